"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.features.doctor.actions import actions
from agls.features.doctor.settings import Settings
from agls.room.process_ports import Examiner


def build(settings: Settings, examine: Examiner) -> Feature:
    """Build the feature: nothing of it takes part in a run."""
    return Feature(name="doctor", actions=actions(examine))
