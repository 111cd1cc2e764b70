"""The tool `plan`, and the message with the plan for a model that does not know its present state."""

from collections.abc import Awaitable, Callable, Iterator

from agls.engine.feature import RunView
from agls.engine.note_items import PlanEntry
from agls.engine.ports import ToolContext
from agls.engine.prefix_fold import PrefixFold
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Message, Text, ToolOutcome, ToolResult, UserMessage
from agls.features.plan.entries import TITLE, EntryChange, Plan, PlanError, changed, rendered
from agls.features.plan.plan_mode import PRESENT
from agls.features.plan.record import CHANGED, ROOM, USER, NotedPlan, PlanRecord, note_of
from agls.room.run_ports import HookPoints
from agls.toolkit import Arguments, TypedTool

TOOL = "plan"
MODEL = "model"
CREATED, COMPLETED = "TaskCreated", "TaskCompleted"  # events of hooks
BY_USER, REMINDER = "The user changed the plan.", "This is the plan of the work as it stands."


class UpdatePlan(Arguments):
    """Keep a plan when a task has several steps. The user sees it, and may change it.

    Name only entries that are new or change. Mark one inProgress before you begin it, done as soon as it is.
    """

    entries: tuple[EntryChange, ...] = ()


Work = Callable[[UpdatePlan, ToolContext], Awaitable[ToolOutcome]]


async def refuse(arguments: UpdatePlan, context: ToolContext) -> ToolOutcome:
    """Refuse: there is no run in which the model could change the plan."""
    return ToolOutcome("The model changes the plan only in a run.", status="failed")


def tool(work: Work = refuse) -> TypedTool[UpdatePlan]:
    """Return the tool with this work."""
    return TypedTool(name=TOOL, arguments=UpdatePlan, work=work, effects=frozenset())


def work_in(view: RunView, record: PlanRecord, points: HookPoints) -> Work:
    """Return the work of the tool in this run. Hooks see what is new, and what is done, before it holds."""

    async def update(arguments: UpdatePlan, context: ToolContext) -> ToolOutcome:
        plan = record.last(view.state).plan
        try:
            after = changed(plan, arguments.entries)
        except PlanError as problem:
            return ToolOutcome(f"{problem} Nothing was changed.\n\n{rendered(plan)}", status="failed")
        for event, entry in _news(plan, after, arguments):
            task: JsonObject = {"task_id": str(entry.id), "task_subject": entry.text}
            if objection := (await points.ask(event, (), task)).objection:
                return ToolOutcome(
                    f"{objection} Nothing was changed.\n\n{rendered(plan)}",
                    status="rejected",
                    refused_by="hook",
                )
        if after != plan:
            view.note(ROOM, CHANGED, note_of(after, MODEL, view.state))
        return ToolOutcome(rendered(after))

    return update


def _news(before: Plan, after: Plan, arguments: UpdatePlan) -> Iterator[tuple[str, PlanEntry]]:
    """Yield the entries that are new, and those that are done now, each with its event."""
    begins = before.is_over and any(change.id is None for change in arguments.entries)
    known = {} if begins else {entry.id: entry for entry in before.entries}
    for entry in after.entries:
        if entry.id not in known:
            yield CREATED, entry
        if entry.state == "done" and (entry.id not in known or known[entry.id].state != "done"):
            yield COMPLETED, entry


def reminder(noted: NotedPlan, state: State) -> str:
    """Return the plan for the model, "" when the model knows it or nothing of it is left to do.

    The model knows what is in its context: it gets the plan again after a compaction or a rewind removed it.
    """
    if not noted.by:
        return ""
    known = known_plans.of(state.context.messages)
    text = rendered(noted.plan)
    if text in known or not (known or noted.plan.is_open):
        return ""
    return f"{BY_USER if noted.by == USER else REMINDER}\n\n{text}"


def _with_plans(known: str, messages: tuple[Message, ...]) -> str:
    return next((words for message in reversed(messages) if (words := _plan_in(message))), known)


known_plans = PrefixFold(str, _with_plans)  # of each session: the plan that its model saw last


def _plan_in(message: Message) -> str:
    match message:
        case ToolResult(name=name, text=text) if name == TOOL:
            return text
        case ToolResult(name=name, text=text, status="completed") if name == PRESENT and TITLE in text:
            return text
        case UserMessage(content=(Text(text),), origin=origin) if origin == ROOM:
            return text if text.startswith((BY_USER, REMINDER)) else ""
        case _:
            return ""
