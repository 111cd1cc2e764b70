"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.features.review.actions import actions
from agls.features.review.notes import ROOM
from agls.room import NoSettings
from agls.room.ports import FileSnapshots, SessionFacts


def build(settings: NoSettings, facts: SessionFacts, files: FileSnapshots) -> Feature:
    """Build the feature of a session; nothing of it takes part in a run."""
    return Feature(name=ROOM, actions=actions(facts, files))
