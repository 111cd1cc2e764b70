"""The real program moves and deletes files: into the trash where there is one, and they can come back."""

import pytest

from doors.headless.conftest import Agls, Done
from support.rich_run import call

PATCH = "*** Begin Patch\n*** Delete File: src/a.py\n*** End Patch"
DELETIONS = {"apply_patch": {"patch": PATCH}, "delete_file": {"path": "src/a.py"}}


def outputs(done: Done) -> list[str]:
    """What the model read of its calls."""
    ended = [event["data"]["item"] for event in done.events if event["type"] == "itemCompleted"]
    return [item["output"] for item in ended if item["kind"] == "toolCall"]


@pytest.mark.parametrize("trash", [True, False])
@pytest.mark.parametrize("tool", DELETIONS)
def test_deleted_file_is_in_the_trash_where_there_is_one_and_comes_back(
    agls: Agls, tool: str, trash: bool
) -> None:
    (agls.workspace / "src").mkdir()
    file = agls.workspace / "src/a.py"
    file.write_bytes(b"x = 1\r\n")
    bin_ = agls.home / ".local/share/Trash"
    if trash:
        bin_.mkdir(parents=True)
    agls.script({"calls": [call(tool, **DELETIONS[tool])]}, {"text": "done"})
    done = agls.run("run", "--mode", "allowAll", "--output", "jsonl", "Delete it.")
    assert done.code == 0, done.err
    said = "It is in the trash." if trash else "There is no trash that could take it."
    assert outputs(done) == [f"Deleted src/a.py. {said}"]
    assert not file.exists()
    if trash:
        assert (bin_ / "files/a.py").read_bytes() == b"x = 1\r\n"
        assert (bin_ / "info/a.py.trashinfo").exists()
    undone = agls.run("undo")
    assert undone.code == 0, undone.err
    assert file.read_bytes() == b"x = 1\r\n", "a restore brings it back, with a trash and without"


def test_moved_file_has_its_new_name_and_is_in_no_trash(agls: Agls) -> None:
    (agls.home / ".local/share/Trash").mkdir(parents=True)
    (agls.workspace / "old.bin").write_bytes(b"\x00\x01binary")
    agls.script(
        {"calls": [call("move_file", path="old.bin", to="deep/er/new.bin")]},
        {"calls": [call("move_file", path="absent.bin", to="x.bin")]},
        {"text": "done"},
    )
    done = agls.run("run", "--mode", "allowAll", "--output", "jsonl", "Move it.")
    moved, missing = outputs(done)
    assert moved == "Moved old.bin to deep/er/new.bin."
    assert "absent.bin does not exist" in missing
    assert (agls.workspace / "deep/er/new.bin").read_bytes() == b"\x00\x01binary"
    assert not (agls.workspace / "old.bin").exists()
    assert not list((agls.home / ".local/share/Trash").iterdir())
