"""The wiring of the room."""

from collections.abc import Sequence
from dataclasses import replace

from agls.engine.facts import GateFact, Injected
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import new_id
from agls.engine.vocabulary import Stop, Text, ToolOutcome, UserMessage
from agls.features.plan.actions import actions
from agls.features.plan.record import ROOM, PlanRecord
from agls.features.plan.settings import Settings
from agls.features.plan.tool import reminder, tool, work_in
from agls.room.ports import RunInfo, SessionFacts


def build(settings: Settings, facts: SessionFacts, run: RunInfo) -> Feature | None:
    """Build the feature of a run; one that works for another has no plan of its own."""
    if run.works_for:
        return None
    record, offered = PlanRecord(facts), tool()

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        text = reminder(record.last(view.state), view.state, run.session_id)
        return (Injected((UserMessage(new_id("item"), (Text(text),), ROOM),)),) if text else ()

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if invocation.tool is not offered:
            return await inner(invocation)
        return await inner(replace(invocation, tool=tool(work_in(view, record))))

    return Feature(
        name=ROOM,
        tools=(offered,) if settings.enabled else (),
        actions=actions(record),
        before_turn=before_turn,
        around_tool=around_tool,
    )
