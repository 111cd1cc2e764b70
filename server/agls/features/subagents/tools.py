"""The tools: one for each entry of the palette, and `delegate` for several pieces of work at once."""

from collections.abc import Sequence
from dataclasses import replace

from pydantic import Field, NonNegativeInt

from agls.engine.ports import Preview, Tool, ToolContext, WorkspaceError
from agls.engine.vocabulary import ToolOutcome
from agls.features.subagents.background_helpers import BackgroundHelpers
from agls.features.subagents.conversation import report, single
from agls.features.subagents.delegates import HELPER, DelegateSpec, chosen
from agls.features.subagents.delegation_runner import DelegationRunner
from agls.features.subagents.lineage import children_of
from agls.features.subagents.plan import PlannedTask, batches, named
from agls.features.subagents.settings import Settings
from agls.features.subagents.shares import Shares
from agls.features.subagents.worktrees import WorktreesOfHelpers
from agls.frozen import frozen
from agls.room.delegation import DELEGATE
from agls.room.folder_ports import Worktrees
from agls.short_text import brief
from agls.toolkit import Arguments, SpecifiedTool, TypedTool

AGENTS = "Agents that you can name:"
SHARE = "whether the helpers are also given what was said here"
BESIDE = "go on at once, and get the report when it is done"


class HandOver(Arguments):
    """Hand a piece of work to this agent and wait for its answer."""

    task: str = Field(
        min_length=1, description="all that it needs to know: it does not see this conversation"
    )
    resume: str = Field(default="", description="session id of an earlier helper, which then goes on")
    share_conversation: bool = Field(default=False, description=SHARE)
    background: bool = Field(default=False, description=BESIDE)


class Delegate(Arguments):
    """Hand pieces of work to helpers and wait for their answers.

    Each helper has a context of its own and works with the same files and rules as you; its commands begin
    in the root of the workspace, wherever yours do. Tasks that do not
    depend on each other are done side by side. Use it to look into several things at once, or to keep long
    searches out of your own context; do what is quick yourself.
    """

    tasks: tuple[PlannedTask, ...] = Field(min_length=1, max_length=16)
    continue_on_error: bool = Field(default=True, description="whether a failure leaves the others alone")
    max_failures: NonNegativeInt | None = Field(default=None, description="how many may fail before all stop")
    share_conversation: bool = Field(default=False, description=SHARE)
    background: bool = Field(default=False, description=BESIDE)


@frozen
class Delegating:
    """Does the work of the tools."""

    settings: Settings
    shares: Shares
    palette: Sequence[DelegateSpec]
    beside: BackgroundHelpers
    worktrees: Worktrees

    async def delegate(self, arguments: Delegate, context: ToolContext) -> ToolOutcome:
        """Several tasks, as they depend on each other."""
        try:
            plan = named(arguments.tasks)
            order = batches(plan)
        except ValueError as problem:
            raise WorkspaceError(f"Nothing was begun: {problem}.") from None
        self._check_number(len(plan))
        failures = arguments.max_failures if arguments.continue_on_error else 0
        whole = {label: (plan[label], self._who(plan[label])) for batch in order for label in batch}

        async def work(context: ToolContext) -> ToolOutcome:
            runner = self._runner(context, share=arguments.share_conversation, failures=failures)
            return report(order, await runner.run(whole))

        if not (arguments.background or any(entry.background for _, entry in whole.values())):
            return await work(context)
        return self.beside.begin(f"{DELEGATE}: {', '.join(whole)}", context, work)

    async def hand_over(self, entry: DelegateSpec, arguments: HandOver, context: ToolContext) -> ToolOutcome:
        """Run one task with one of the delegates."""
        self._check_number(1)
        task = PlannedTask(prompt=arguments.task, agent=entry.name, resume=arguments.resume)

        async def work(context: ToolContext) -> ToolOutcome:
            runner = self._runner(context, share=arguments.share_conversation, failures=None)
            return single((await runner.run({entry.name: (task, entry)}))[0])

        if not (arguments.background or entry.background):
            return await work(context)
        return self.beside.begin(f"{entry.name}: {brief(arguments.task, 80)}", context, work)

    def tools(self) -> Sequence[Tool]:
        """Return the tools of the room."""
        generic = TypedTool(
            name=DELEGATE, arguments=Delegate, work=self.delegate, effects=frozenset(), describe=_describe
        )
        named = [f"- {entry.name}: {entry.description}" for entry in self.palette if not entry.has_tool]
        said = "\n".join([generic.spec.description, *([AGENTS, *named] if named else [])])
        offered = SpecifiedTool(generic, replace(generic.spec, description=said))
        own = [self._tool_for(entry) for entry in self.palette if entry.has_tool]
        handing = (*((offered,) if self.settings.delegate else ()), *own)
        return (*handing, self.beside.tool()) if handing else ()

    def _tool_for(self, entry: DelegateSpec) -> Tool:
        async def work(arguments: HandOver, context: ToolContext) -> ToolOutcome:
            return await self.hand_over(entry, arguments, context)

        tool = TypedTool(name=entry.tool, arguments=HandOver, work=work, effects=frozenset())
        load = "auto" if entry.may_wait else "always"
        return SpecifiedTool(tool, replace(tool.spec, description=entry.description, load=load))

    def _runner(self, context: ToolContext, *, share: bool, failures: int | None) -> DelegationRunner:
        apart = WorktreesOfHelpers(self.worktrees, self.settings)
        return DelegationRunner(self.shares, self.settings, context, apart, share=share, failures=failures)

    def _who(self, task: PlannedTask) -> DelegateSpec:
        entry = chosen(self.palette, task.agent)
        if entry is None:
            there = ", ".join(entry.name for entry in self.palette) or "none"
            raise WorkspaceError(f"Nothing was begun: there is no agent {task.agent!r}. Agents: {there}.")
        return entry

    def _check_number(self, more: int) -> None:
        state, most = self.shares.spawner.state, self.settings.max_children
        begun = sum(child.run_id == state.run_id for child in children_of(state))
        if begun + more > most:
            raise WorkspaceError(
                f"Nothing was begun: a run may have {most} helpers and this one has had {begun}. "
                "Do the rest yourself."
            )
        allowed = self.shares.free().max_delegated_tasks
        if allowed is not None and more > allowed:
            raise WorkspaceError(
                f"Nothing was begun: {allowed} more tasks may be delegated. Do the rest yourself."
            )


async def _describe(arguments: Delegate, context: ToolContext) -> Preview:
    labels = ", ".join(task.label or HELPER.description for task in arguments.tasks)
    return Preview(f"Delegate: {labels}", {})
