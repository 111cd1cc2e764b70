"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.features.doctor.actions import Examine, actions


def build(examine: Examine) -> Feature:
    """The feature: nothing of it takes part in a run."""
    return Feature(name="doctor", actions=actions(examine))
