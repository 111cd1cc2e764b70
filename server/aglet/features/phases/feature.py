"""The wiring of the room."""

from aglet.engine.feature import Feature
from aglet.features.phases.progress import ROOM
from aglet.features.phases.settings import Phases
from aglet.features.phases.steps import Steps


def build(phases: Phases) -> Feature:
    """The feature of one run of an agent that has phases."""
    steps = Steps(phases)
    return Feature(name=ROOM, before_turn=steps.before_turn, before_stop=steps.before_stop)
