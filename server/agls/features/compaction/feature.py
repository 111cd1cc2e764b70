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
from agls.room.run_ports import HookPoints, RunInfo
from agls.room.session_ports import SessionRecord


def build(
    settings: Settings,
    models: ModelResolver,
    session: SessionRecord,
    clock: Clock,
    run: RunInfo,
    points: HookPoints,
) -> Feature:
    """Build the feature of one run."""
    gate = CompactionGate(settings, models, session, clock.now, points, schema=run.wants_schema)
    offered = FoundActions(partial(actions, settings, models, session, points, schema=run.wants_schema))
    return Feature(name=ROOM, actions=offered, before_turn=gate.before_turn, around_model=around_model)
