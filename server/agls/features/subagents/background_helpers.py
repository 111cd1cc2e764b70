"""Helpers that go on while their caller works on, or ends: begun, reported, looked at and stopped."""

from collections.abc import Awaitable, Callable, Sequence

from pydantic import Field

from agls.engine.background import Background, BackgroundTask
from agls.engine.facts import GateFact, Injected, PhaseStarted, Replied
from agls.engine.feature import Attempt, RunView
from agls.engine.ports import ToolContext, ToolSpec, WorkspaceError, new_id
from agls.engine.state import State
from agls.engine.vocabulary import Stop, Terminal, Text, ToolOutcome, UserMessage
from agls.features.subagents.lineage import ROOM
from agls.frozen import frozen
from agls.toolkit import Arguments, TypedTool

LOOK = "helper_task"
LONGEST_WAIT = 600  # seconds
BY_MODEL = "the model asked for it"
RUN_ENDED = "the run ended, and nothing is left running behind it here"
NONE = "No helper was begun in the background."
BEGUN = """\
Begun in the background as {0}. You get the report as soon as it is done: go on with something else, or end \
your turn. Do not do its work yourself. helper_task shows how far it is, waits for it or stops it."""
ENDED = """\
These helpers ended in the background.
{}"""


class LookAtHelper(Arguments):
    """See how far a helper in the background is, wait for its end, or stop it.

    Without a task_id you get the list of all.
    """

    task_id: str = Field(default="", description="as the call that began it gave it")
    wait_s: float = Field(default=0, ge=0, le=LONGEST_WAIT, description="seconds to wait for its end first")
    stop: bool = Field(default=False, description="end it and all that it began")


@frozen
class BackgroundHelpers:
    """The helpers of a session that outlive their call. Where `outlives` is false, none outlives its run."""

    background: Background
    outlives: bool

    def begin(
        self, title: str, context: ToolContext, work: Callable[[ToolContext], Awaitable[ToolOutcome]]
    ) -> ToolOutcome:
        """Begin this work; **returns** the answer to the call. **Raises** `WorkspaceError`."""

        def beside(show: Callable[[str], None]) -> Awaitable[ToolOutcome]:
            return work(ToolContext(context.workspace, context.call_id, show))

        terminal = Terminal("", context.workspace.root)
        task = self.background.begin(title, context.call_id, terminal, beside, ROOM)
        return ToolOutcome(BEGUN.format(task.task_id), effects="unknown")

    @property
    def tasks(self) -> Sequence[BackgroundTask]:
        """All of them, also those that ended."""
        return [task for task in self.background.tasks.values() if task.owner == ROOM]

    @property
    def running(self) -> frozenset[str]:
        """The ids of those that go on."""
        return frozenset(task.task_id for task in self.tasks) & frozenset(self.background.running)

    @property
    def calls(self) -> frozenset[str]:
        """The calls that began those that go on."""
        return frozenset(task.call_id for task in self.tasks if task.task_id in self.running)

    async def around_run(self, attempt: Attempt, view: RunView) -> Stop:
        """Stop what is still running at the end, where nothing may be left behind."""
        try:
            return await attempt()
        finally:
            if not self.outlives:
                await self.background.over(self.background.stop(RUN_ENDED, self.running))

    def reports(self) -> Sequence[GateFact]:
        """Return the message about those that ended since the last one, and note it as given."""
        ended = self.background.unreported(ROOM)
        self.background.mark_reported(ended)
        return (_message(ended),) if ended else ()

    async def before_stop(self, reply: Replied, view: RunView) -> Sequence[Injected | PhaseStarted]:
        """Wait for a report, where helpers end with the run: what they find out is not lost."""
        while not self.outlives and self.running and not self.background.unreported(ROOM):
            await self.background.over(self.running, 1.0)
        if self.outlives or not (ended := self.background.unreported(ROOM)):
            return ()
        self.background.mark_reported(ended)
        return (_message(ended),)

    def tool(self) -> TypedTool[LookAtHelper]:
        """Return the tool to look at them."""
        return TypedTool(name=LOOK, arguments=LookAtHelper, work=self.look, effects=frozenset(), polls=True)

    async def look(self, arguments: LookAtHelper, context: ToolContext) -> ToolOutcome:
        """Return the list, or one of them."""
        known = {task.task_id: task for task in self.tasks}
        if not arguments.task_id:
            return ToolOutcome("\n".join(map(_line, known.values())) or NONE)
        if arguments.task_id not in known:
            there = ", ".join(known) or "none"
            raise WorkspaceError(f"There is no helper {arguments.task_id[:100]!r}. There are: {there}.")
        wanted = {arguments.task_id}
        if arguments.stop:
            self.background.stop(BY_MODEL, wanted)
        await self.background.over(wanted, None if arguments.stop else arguments.wait_s)
        task = self.background.tasks[arguments.task_id]
        if task.outcome is None:
            news = self.background.news(task.task_id).rstrip("\n")
            return ToolOutcome("\n".join([*([news] if news else []), f"[{task.task_id} is running]"]))
        self.background.mark_reported([task])
        return ToolOutcome(f"{_line(task)}\n{task.outcome.text}")


def shown_once_used(specs: Sequence[ToolSpec], state: State) -> Sequence[ToolSpec]:
    """Return the tools without the one that looks at helpers, until there is one in the background."""
    used = any(note.data.get("owner") == ROOM for note in state.notes.get("background", ()))
    return specs if used else [spec for spec in specs if spec.name != LOOK]


def _message(ended: Sequence[BackgroundTask]) -> Injected:
    said = "\n\n".join(f"{_line(task)}\n{task.outcome.text if task.outcome else ''}" for task in ended)
    return Injected((UserMessage(new_id("item"), (Text(ENDED.format(said)),), ROOM),))


def _line(task: BackgroundTask) -> str:
    status = "running" if task.outcome is None else task.outcome.status
    return f"{task.task_id}: {'stopped' if status == 'cancelled' else status}: {task.title}"
