"""The wiring of the room."""

from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.feature import Feature
from agls.engine.ports import Clock, ModelResolver
from agls.features.compaction.actions import actions
from agls.features.compaction.gate import CompactionGate
from agls.features.compaction.reduced_request import around_model
from agls.features.compaction.settings import Settings
from agls.features.compaction.summary import ROOM
from agls.room.run_ports import CompactionGuard, RunInfo
from agls.room.session_ports import SessionRecord


def build(
    settings: Settings,
    models: ModelResolver,
    session: SessionRecord,
    clock: Clock,
    run: RunInfo,
    guard: CompactionGuard,
) -> Feature:
    """Build the feature of one run."""
    gate = CompactionGate(settings, models, session, clock.now, guard, schema=run.wants_schema)
    offered = FoundActions(partial(actions, settings, models, session, guard, schema=run.wants_schema))
    return Feature(name=ROOM, actions=offered, before_turn=gate.before_turn, around_model=around_model)
