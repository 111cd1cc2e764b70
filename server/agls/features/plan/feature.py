"""The wiring of the room."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.facts import GateFact, Injected
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import ToolSpec, new_id
from agls.engine.state import State
from agls.engine.vocabulary import Stop, Text, ToolOutcome, UserMessage
from agls.features.plan.actions import actions
from agls.features.plan.plan_mode import PLAN_MODE, PRESENT, document_message, mode_message
from agls.features.plan.presenting import PlanPresenter
from agls.features.plan.record import MODE_SHOWN, ROOM, PlanRecord
from agls.features.plan.settings import Settings
from agls.features.plan.tool import reminder, tool, work_in
from agls.room.prepared_answers import answers_of
from agls.room.run_ports import HookPoints, RunInfo
from agls.room.session_ports import Approval, SessionFacts
from agls.room.whole_outputs import WholeOutputs


def build(
    settings: Settings,
    facts: SessionFacts,
    run: RunInfo,
    approval: Approval,
    outputs: WholeOutputs,
    points: HookPoints,
) -> Feature | None:
    """Build the feature of a run; one that works for another has no plan of its own."""
    if run.works_for:
        return None
    record, entries = PlanRecord(facts), tool()
    mode = approval.mode
    presenter = PlanPresenter(approval.asker, mode, outputs, record, answers_of(run.options, ()))
    is_presented, presents = presenter.can_be_approved, presenter.tool()

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        planning, state = mode.of(view.state) == PLAN_MODE, view.state
        if not planning and ROOM not in state.notes:
            return ()  # it has said nothing yet that could need another word
        plan = record.last(state)
        texts = (
            mode_message(state, planning=planning, offered=is_presented),
            document_message(plan.plan, state),
            reminder(plan, state),
        )
        if texts[0]:
            view.note(ROOM, MODE_SHOWN, {"planning": planning})
        messages = (UserMessage(new_id("item"), (Text(text),), ROOM) for text in texts if text)
        return [Injected((message,)) for message in messages]

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if invocation.tool is entries:
            return await inner(replace(invocation, tool=tool(work_in(view, record, points))))
        if invocation.tool is presents:
            return await inner(replace(invocation, tool=presenter.tool(view)))
        return await inner(invocation)

    def show_tools(tools: Sequence[ToolSpec], state: State) -> Sequence[ToolSpec]:
        if mode.of(state) == PLAN_MODE:
            return tools
        return [each for each in tools if each.name != PRESENT]

    return Feature(
        name=ROOM,
        tools=((entries,) if settings.enabled else ()) + ((presents,) if is_presented else ()),
        actions=FoundActions(partial(actions, record, mode.of)),
        before_turn=before_turn,
        around_tool=around_tool,
        show_tools=show_tools,
    )
