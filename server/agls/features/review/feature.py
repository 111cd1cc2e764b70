"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.features.review.actions import actions
from agls.features.review.notebooks import Notebooks
from agls.room import NoSettings
from agls.room.agent_changes import ROOM
from agls.room.folder_ports import FileSnapshots
from agls.room.notebook_ports import EditorNotebooks
from agls.room.session_ports import SessionFacts


def build(
    settings: NoSettings, facts: SessionFacts, files: FileSnapshots, editor: EditorNotebooks
) -> Feature:
    """Build the feature of a session; nothing of it takes part in a run."""
    return Feature(name=ROOM, actions=actions(facts, files, Notebooks(editor)))
