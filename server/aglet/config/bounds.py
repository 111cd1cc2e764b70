"""What a run may spend and has to give: from its options, the configuration, and the door it came through."""

from collections.abc import Mapping
from dataclasses import dataclass

from aglet.config.schema import Config
from aglet.engine.vocabulary import JsonObject, Limits
from aglet.features.budget.limits import limits_from
from aglet.features.deadline.settings import seconds_from
from aglet.features.delivery.settings import target_from
from aglet.features.output_schema.settings import schema_from

UNSET = Config()
EDITOR, HEADLESS = (100, None), (12, 60.0)  # turns and seconds of a run for which nobody set a limit


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a run, its seconds (`None`: no end), the schema of its answer ({}: any), and the name of
    the target that its result is delivered to ("": nowhere).
    """

    limits: Limits
    seconds: float | None
    schema: JsonObject
    target: str

    @property
    def spending(self) -> tuple[Limits, float | None]:
        """The limits and the seconds."""
        return self.limits, self.seconds


def bounds_of(config: Config, options: Mapping[str, object], *, headless: bool) -> Bounds:
    """The bounds of a run with these options. Raises `ValueError`."""
    turns, seconds = HEADLESS if headless else EDITOR
    return Bounds(
        limits_from(options, config.budget, turns),
        seconds_from(options, config.deadline, seconds),
        schema_from(options),
        target_from(options, config.delivery),
    )


def asked(options: Mapping[str, object]) -> tuple[Limits, float | None]:
    """What the options alone say of limits and seconds. Raises `ValueError`."""
    return limits_from(options, UNSET.budget, None), seconds_from(options, UNSET.deadline, None)
