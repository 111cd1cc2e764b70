"""The wiring of the room."""

from aglet.engine.feature import Feature
from aglet.features.budget import checks


def build() -> Feature:
    """The feature. The limits themselves are the run's (`limits.limits_from`)."""
    return Feature(name=checks.ROOM, before_turn=checks.before_turn, around_tool=checks.around_tool)
