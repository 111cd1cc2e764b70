"""The tool `shell_task`: what the model knows of the commands in the background, and how it stops them."""

from collections.abc import Sequence

from pydantic import Field

from agls.engine.background import ROOM, Background, BackgroundTask
from agls.engine.facts import GateFact, Injected
from agls.engine.feature import Attempt, RunView
from agls.engine.ports import ToolContext, WorkspaceError, new_id
from agls.engine.vocabulary import Stop, Text, ToolOutcome, UserMessage
from agls.frozen import frozen
from agls.terminal_codes import enclosed, without_marks
from agls.toolkit import Arguments

LONGEST_WAIT = 600  # seconds
TAIL = 2_000  # characters at the end of an output that the model gets without asking
BY_MODEL = "the model asked for it"
RUN_ENDED = "the run ended, and nothing is left running behind it here"
ENDED = """\
These commands ended in the background. shell_task shows all of their output.
{}"""
NONE = "No command was begun in the background."


class LookAtTask(Arguments):
    """See what a command in the background printed since you last looked, or stop it.

    Without a task_id you get the list of all.
    """

    task_id: str = Field(default="", description="as shell gave it")
    wait_s: float = Field(default=0, ge=0, le=LONGEST_WAIT, description="seconds to wait for its end first")
    stop: bool = Field(default=False, description="end it and all that it started")


@frozen
class Watching:
    """Does the work of the tool, and reports ends. Where `outlives` is false, tasks end with their run."""

    background: Background
    outlives: bool

    async def around_run(self, attempt: Attempt, view: RunView) -> Stop:
        """Stop what is still running at the end, where nothing may be left behind."""
        try:
            return await attempt()
        finally:
            if not self.outlives:
                stopped = self.background.stop(
                    RUN_ENDED, [task.task_id for task in commands_of(self.background)]
                )
                await self.background.over(stopped)

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Report the tasks that ended since the last report to the model."""
        report = report_of_ended(self.background)
        return (Injected((UserMessage(new_id("item"), (Text(report),), ROOM),)),) if report else ()

    async def look(self, arguments: LookAtTask, context: ToolContext) -> ToolOutcome:
        """Return the list, or one task."""
        if not arguments.task_id:
            return ToolOutcome("\n".join(map(line, commands_of(self.background))) or NONE)
        task = find(self.background, arguments.task_id)
        if arguments.stop:
            self.background.stop(BY_MODEL, {task.task_id})
        await self.background.over({task.task_id}, None if arguments.stop else arguments.wait_s)
        return self._shown(self.background.tasks[task.task_id])

    def _shown(self, task: BackgroundTask) -> ToolOutcome:
        if task.outcome is None:
            news = enclosed(self.background.news(task.task_id).rstrip("\n"))
            return ToolOutcome("\n".join([*([news] if news else []), f"[{task.task_id} is running]"]))
        self.background.mark_reported([task])
        return ToolOutcome(task.outcome.text)


def commands_of(background: Background) -> Sequence[BackgroundTask]:
    """Return the tasks that are commands."""
    return [task for task in background.tasks.values() if not task.owner]


def find(background: Background, task_id: str) -> BackgroundTask:
    """Return the task with this id. **Raises** `WorkspaceError`."""
    tasks = background.tasks
    if task_id not in tasks:
        known = ", ".join(tasks) or "none"
        raise WorkspaceError(f"There is no task {task_id[:100]!r} in this session. There are: {known}.")
    return tasks[task_id]


def state_of(task: BackgroundTask) -> str:
    """Return the state of a task: running, completed, failed or stopped."""
    if task.outcome is None:
        return "running"
    return "stopped" if task.outcome.status == "cancelled" else task.outcome.status


def line(task: BackgroundTask) -> str:
    """Return a task on one line."""
    end = task.outcome.terminal if task.outcome else None
    code = f", exit code {end.exit_code}" if end and end.exit_code is not None else ""
    return f"{task.task_id}: {state_of(task)}{code}: {task.title}"


def report_of_ended(background: Background) -> str:
    """Return the report about tasks that ended since the last one, "" for nothing, and note it as made."""
    ended = background.unreported()
    background.mark_reported(ended)
    return ENDED.format("\n\n".join(map(_ending, ended))) if ended else ""


def _ending(task: BackgroundTask) -> str:
    text = task.outcome.text if task.outcome else ""
    tail = text if len(text) <= TAIL else enclosed(f"[…]\n{without_marks(text)[-TAIL:]}")
    return f"{line(task)}\n{tail}"
