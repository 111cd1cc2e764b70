"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.features.phases.progress import ROOM
from agls.features.phases.settings import Phases
from agls.features.phases.steps import Steps


def build(phases: Phases) -> Feature | None:
    """Build the feature of one run of an agent that has phases."""
    if not phases:
        return None
    steps = Steps(phases)
    return Feature(name=ROOM, before_turn=steps.before_turn, before_stop=steps.before_stop)
