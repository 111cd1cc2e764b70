"""The tool `present_plan`: the model's plan, put to the user, and what comes of their answer."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field

from agls.engine.actions import ActionError
from agls.engine.facts import Notice
from agls.engine.feature import RunView
from agls.engine.ports import Asker, Preview, ToolContext, WorkspaceError, new_id
from agls.engine.state import State
from agls.engine.vocabulary import ToolOutcome
from agls.features.plan.approval import TITLE, Decision, by_person, by_prepared, deciding, question
from agls.features.plan.entries import LONGEST, EntryChange, Plan, changed, rendered
from agls.features.plan.plan_mode import PLAN_MODE, PRESENT
from agls.features.plan.record import APPROVED, PREPARED, ROOM, USER, PlanRecord, approval_of
from agls.frozen import frozen
from agls.modes import Mode
from agls.room.prepared_answers import PreparedAnswer
from agls.room.session_ports import ModeControl
from agls.room.whole_outputs import WholeOutputs
from agls.toolkit import Arguments, TypedTool

LONGEST_PLAN = 50_000  # characters
NOT_NOW = "The session is not in plan mode: nothing has to be approved. Go on with the work."
NOT_APPROVED = "The plan is not approved. {} Give it as your answer, whole and in Markdown, and end."
DONE = "The user approved the plan{changed}. Plan mode is off: {mode}. Do the work by this plan now.{said}"
EFFECTS = {
    "ask": "the user is asked about each effect",
    "acceptEdits": "files of the workspace are changed without a question",
}
KEEP = "The user did not approve the plan yet: nothing may be changed. {said}"
SILENT = "They did not say what is missing: ask them, or end your turn and wait."
VERSION = "Their version of the plan:\n\n{}"


class PresentPlan(Arguments):
    """Present your plan to the user, who approves it, changes it, or has you go on planning.

    Finish plan mode with it, as soon as you know what to do. Write what changes where, and how it is checked.
    """

    plan: str = Field(min_length=1, max_length=LONGEST_PLAN, description="the whole plan, in Markdown")
    steps: tuple[str, ...] = Field(
        default=(), max_length=50, description="its steps in a few words, in order"
    )


async def describe(arguments: PresentPlan, context: ToolContext) -> Preview:
    """Name the call for people."""
    return Preview("Present the plan", {})


@frozen
class PlanPresenter:
    """Puts plans to the user, unless an answer was prepared; `outputs` keeps those that are approved."""

    asker: Asker
    mode: ModeControl
    outputs: WholeOutputs
    record: PlanRecord
    answers: Sequence[PreparedAnswer] = ()

    @property
    def can_be_approved(self) -> bool:
        """Whether anybody could approve a plan now, or an answer was prepared."""
        return self.asker.available or bool(deciding(self.answers))

    def tool(self, view: RunView | None = None) -> TypedTool[PresentPlan]:
        """Return the tool; it presents plans in the run of a view."""

        async def work(arguments: PresentPlan, context: ToolContext) -> ToolOutcome:
            if view is None or self.mode.of(view.state) != PLAN_MODE:
                return ToolOutcome(NOT_NOW, status="failed")
            return await self._present(arguments, context, view)

        return TypedTool(
            name=PRESENT, arguments=PresentPlan, work=work, effects=frozenset(), describe=describe
        )

    async def _present(self, arguments: PresentPlan, context: ToolContext, view: RunView) -> ToolOutcome:
        decision = by_prepared(self.answers, view.state)
        if decision is None:
            answer = await self.asker.ask(question(arguments.plan, context.call_id))
            decision = by_person(answer, arguments.plan, LONGEST_PLAN)
        else:
            view.note(ROOM, PREPARED, {"question": TITLE, "key": decision.key})
        if decision.absent:
            text = NOT_APPROVED.format(decision.comment)
            return ToolOutcome(text, status="rejected", refused_by="nobody")
        if decision.mode is None:
            return ToolOutcome(_kept_planning(decision), status="rejected", refused_by="user")
        mode = await self._leave_plan_mode(decision.mode, decision, view)
        plan = await self._approved(arguments, decision, view.state)
        view.note(ROOM, APPROVED, approval_of(plan, USER, view.state))
        return ToolOutcome(_approval(plan, mode, decision))

    async def _leave_plan_mode(self, mode: Mode, decision: Decision, view: RunView) -> Mode:
        """Set the mode of the session. A prepared answer widens nothing where nobody trusts the folder."""
        try:
            await self.mode.change(mode, by_user=not decision.key)
        except ActionError as problem:
            if mode == "ask":
                raise WorkspaceError(f"Plan mode could not be left: {problem}") from None
            view.show(Notice("warning", "Edits are asked about", str(problem)))
            return await self._leave_plan_mode("ask", decision, view)
        return mode

    async def _approved(self, arguments: PresentPlan, decision: Decision, state: State) -> Plan:
        """Return the plan of the work with the approved one; with its steps, unless the user changed it."""
        before = self.record.last(state).plan
        base = before if before.is_open and not before.document else Plan()
        steps = () if decision.edited else (" ".join(step.split())[:LONGEST] for step in arguments.steps)
        document = decision.edited or arguments.plan.strip()
        file = await self.outputs.keep(f"{new_id('plan')}.md", document)
        plan = changed(base, [EntryChange(text=step) for step in dict.fromkeys(steps) if step])
        return replace(plan, document=document, file=file)


def _approval(plan: Plan, mode: Mode, decision: Decision) -> str:
    said = f" They said: {decision.comment}" if decision.comment else ""
    edited = ", as they changed it" if decision.edited else ""
    parts = [
        DONE.format(changed=edited, mode=EFFECTS[mode], said=said),
        VERSION.format(plan.document) if decision.edited else "",
        rendered(plan) if plan.entries else "",
    ]
    return "\n\n".join(filter(None, parts))


def _kept_planning(decision: Decision) -> str:
    said = f"They said: {decision.comment}" if decision.comment else "" if decision.edited else SILENT
    version = VERSION.format(decision.edited) if decision.edited else ""
    return KEEP.format(said="\n\n".join(filter(None, (said, version))))
