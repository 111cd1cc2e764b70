"""What the notes of the room show."""

from agls.engine.note_items import FileEdit
from agls.engine.vocabulary import FileChange, FileVersion
from agls.features.review.notes import NOTES, edit
from agls.room.agent_changes import JUDGED, verdict

CHANGE = FileChange("file:///p/a", "modified", FileVersion("1"), FileVersion("2", 3), "+x\n", "editor", 1, 0)


def test_undone_change_is_shown_as_an_edit_of_its_file() -> None:
    data = verdict("h1", "reverted") | edit(CHANGE)
    assert NOTES[JUDGED](data) == (FileEdit(data["itemId"], "A change of the agent was undone", CHANGE),)


def test_kept_change_shows_nothing() -> None:
    assert NOTES[JUDGED](verdict("h1", "kept")) == ()
