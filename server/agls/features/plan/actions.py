"""What the user may do with the plan: see it, and change it."""

import re
from collections.abc import Callable, Sequence
from typing import Literal

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.note_items import EntryState
from agls.engine.state import State
from agls.features.plan.entries import (
    EntryChange,
    Plan,
    PlanError,
    changed,
    only,
    rendered,
    title_of,
    without,
)
from agls.features.plan.plan_mode import PLAN_MODE
from agls.features.plan.record import CHANGED, USER, PlanRecord, entry_json, note_of
from agls.frozen import frozen
from agls.toolkit import Arguments, TypedAction

ON = "Plan mode is on: nothing is changed before you approve a plan. /mode ask ends it."
WAITS = "A plan waits for your approval: answer the question that is open."
STATES: dict[str, EntryState] = {
    "start": "inProgress",
    "done": "done",
    "cancel": "cancelled",
    "reopen": "pending",
}


class ChangePlan(Arguments):
    """Show the plan or some of its entries; add one; start, done, cancel, reopen or remove by id; clear."""

    do: Literal["show", "add", "start", "done", "cancel", "reopen", "remove", "clear"] = "show"
    entry: str = Field(default="", description="the text of a new entry, or ids: 2 3")
    after: tuple[int, ...] = Field(default=(), description="ids that must be done before a new entry")


def actions(record: PlanRecord, mode_of: Callable[[State], str]) -> tuple[Action, ...]:
    """The actions of the room."""
    user = UserPlan(record, mode_of)
    return (
        TypedAction(
            name="plan",
            title="Show or change the plan",
            arguments=ChangePlan,
            work=user.change,
            aliases=("todo", "task", "planner", "next-task", "task-next"),
            group="Work",
            choices={"entry": user.entries, "after": user.entries},
        ),
    )


@frozen
class UserPlan:
    """The plan in the hands of the user."""

    record: PlanRecord
    mode_of: Callable[[State], str]

    async def entries(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the ids that there are."""
        plan = self.record.last(context.state).plan
        return [ActionValue(str(entry.id), f"{entry.text} ({entry.state})") for entry in plan.entries]

    async def change(self, arguments: ChangePlan, context: ActionContext) -> ActionOutcome:
        """Change the plan as the user says, and show it. **Raises** `ActionError`."""
        before = self.record.last(context.state).plan
        try:
            after = _changed(before, arguments)
            shown = only(after, _ids(arguments)) if arguments.do == "show" and arguments.entry else ""
        except PlanError as problem:
            raise ActionError(str(problem)) from None
        if after != before:
            context.note(CHANGED, note_of(after, USER, context.state))
        entries = [entry_json(entry) for entry in after.entries]
        upcoming = after.next.id if after.next else None
        data = {"title": title_of(after), "entries": entries, "next": upcoming}
        if after.document:
            data |= {"document": after.document, "file": after.file}
        texts = (shown,) if shown else (rendered(after), _document(after), self._mode(context.state))
        return ActionOutcome("\n\n".join(filter(None, texts)), data)

    def _mode(self, state: State) -> str:
        """Return where plan mode stands, "" when it is off."""
        if self.mode_of(state) != PLAN_MODE:
            return ""
        waits = any(question.kind == "plan" for question in state.questions.values())
        return WAITS if waits else ON


def _document(plan: Plan) -> str:
    if not plan.document:
        return ""
    place = f"in {plan.file}" if plan.file else "in the record of this session"
    return f"The approved plan ({place}):\n\n{plan.document}"


def _changed(plan: Plan, arguments: ChangePlan) -> Plan:
    match arguments.do:
        case "show":
            return plan
        case "add":
            return changed(plan, [EntryChange(text=arguments.entry, after=arguments.after or None)])
        case "clear" if arguments.entry:
            raise PlanError(
                f"To take some entries out: /plan remove {arguments.entry}. To take out all: /plan clear"
            )
        case "clear":
            return Plan()
        case "remove":
            return without(plan, _ids(arguments))
        case verb:
            return changed(plan, [EntryChange(id=each, state=STATES[verb]) for each in _ids(arguments)])


def _ids(arguments: ChangePlan) -> list[int]:
    words = re.split(r"[\s,]+", arguments.entry.strip())
    if not all(word.isdecimal() for word in words):
        raise PlanError(f"Write which entries, by their ids: /plan {arguments.do} 2 3")
    return [int(word) for word in words]
