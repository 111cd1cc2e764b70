"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.engine.ports import Journal
from agls.features.review.actions import actions
from agls.features.review.notes import ROOM
from agls.room import NoSettings
from agls.room.ports import FileSnapshots


def build(settings: NoSettings, journal: Journal, files: FileSnapshots) -> Feature:
    """Build the feature of the session with this journal; nothing of it takes part in a run."""
    return Feature(name=ROOM, actions=actions(journal, files))
