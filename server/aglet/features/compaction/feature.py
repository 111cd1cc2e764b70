"""The wiring of the room."""

from collections.abc import Callable

from aglet.engine.feature import Feature
from aglet.engine.log import Log
from aglet.engine.ports import ModelResolver
from aglet.features.compaction.actions import actions
from aglet.features.compaction.gate import Gate
from aglet.features.compaction.settings import Settings
from aglet.features.compaction.summary import ROOM


def build(
    settings: Settings, models: ModelResolver, log: Log, now: Callable[[], float], *, schema: bool
) -> Feature:
    """The feature of one run; `schema` is whether its answer must follow one."""
    gate = Gate(settings, models, log.record, now, schema=schema)
    offered = actions(settings, models, log, schema=schema)
    return Feature(name=ROOM, actions=offered, before_turn=gate.before_turn)
