"""The wiring of the room."""

from collections.abc import Callable

from agls.engine.feature import Feature
from agls.engine.log import Log
from agls.engine.ports import ModelResolver
from agls.features.compaction.actions import actions
from agls.features.compaction.gate import Gate
from agls.features.compaction.reduced import around_model
from agls.features.compaction.settings import Settings
from agls.features.compaction.summary import ROOM


def build(
    settings: Settings, models: ModelResolver, log: Log, now: Callable[[], float], *, schema: bool
) -> Feature:
    """The feature of one run; `schema` is whether its answer must follow one."""
    gate = Gate(settings, models, log.record, now, schema=schema)
    offered = actions(settings, models, log, schema=schema)
    return Feature(name=ROOM, actions=offered, before_turn=gate.before_turn, around_model=around_model)
