"""The actions on background tasks, of all rooms: list them, show their output, stop them."""

from collections.abc import Sequence

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.background import Background, BackgroundTask
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.terminal_codes import without_marks
from agls.toolkit import Arguments, TypedAction, fenced

from .command import Shell
from .tasks import find, state_of

BY_USER = "stopped by the user"
NOTHING = "No command is being waited for, so nothing was moved."
NOT_WAITED_FOR = "No command of a call {!r} is being waited for. There are: {}."


class ListTasks(Arguments):
    """Show the commands, helpers and timed prompts in the background, and the state of each."""


class ShowOutput(Arguments):
    """Show what a command or a helper in the background has printed."""

    task_id: str = Field(min_length=1, description="as task.list gives it")


class MoveCommands(Arguments):
    """Move a running command to the background: the agent goes on without waiting for it."""

    call_id: str = Field(default="", description="the call that runs it; empty for all that are waited for")


class StopTasks(Arguments):
    """Stop a command or a helper in the background with everything that it started, or stop all of them."""

    task_id: str = Field(default="", description="as task.list gives it; empty for all that run")


def actions_of(shell: Shell) -> tuple[Action, ...]:
    """Return the actions of the room on running commands."""
    handlers = TaskActions(shell)
    return (
        TypedAction(
            "task.list", "List background tasks", ListTasks, handlers.show, aliases=("tasks",), group="Work"
        ),
        TypedAction(
            name="task.output",
            title="Show a task's output",
            arguments=ShowOutput,
            work=handlers.output,
            group="Work",
            choices={"task_id": handlers.known},
        ),
        TypedAction(
            name="task.background",
            title="Move to the background",
            aliases=("background", "bg"),
            arguments=MoveCommands,
            work=handlers.move,
            when="running",
            choices={"call_id": handlers.waited_for},
        ),
        TypedAction(
            name="task.stop",
            title="Stop background tasks",
            arguments=StopTasks,
            work=handlers.stop,
            group="Work",
            choices={"task_id": handlers.known},
        ),
    )


@frozen
class TaskActions:
    """Do the actions of the room."""

    shell: Shell

    @property
    def background(self) -> Background:
        """The tasks of the session."""
        return self.shell.background

    async def known(self, context: ActionContext) -> Sequence[ActionValue]:
        """The tasks there are, with what they do."""
        return [ActionValue(task.task_id, task.title) for task in self.background.tasks.values()]

    async def show(self, arguments: ListTasks, context: ActionContext) -> ActionOutcome:
        """Return all tasks, the running ones first."""
        tasks = sorted(self.background.tasks.values(), key=lambda task: task.outcome is not None)
        rows = [f"| {task.task_id} | {state_of(task)} | `{_cell(task.title)}` |" for task in tasks]
        if not rows:
            return ActionOutcome("There are no background tasks.", {"tasks": []})
        head = ["| Task | State | What it does |", "|---|---|---|"]
        return ActionOutcome("\n".join([*head, *rows]), {"tasks": [_data(task) for task in tasks]})

    async def output(self, arguments: ShowOutput, context: ActionContext) -> ActionOutcome:
        """Return the kept output: of a running task its end."""
        task = find(self.background, arguments.task_id)
        ended = task.outcome
        text = without_marks(ended.text) if ended else self.background.printed(task.task_id)
        return ActionOutcome(fenced(text.rstrip()), {**_data(task), "output": text})

    async def waited_for(self, context: ActionContext) -> Sequence[ActionValue]:
        """The calls whose command can be moved, with what it does."""
        return [ActionValue(call_id, title) for call_id, title in self.background.waited_for.items()]

    async def move(self, arguments: MoveCommands, context: ActionContext) -> ActionOutcome:
        """Move the command of this call, or of all calls that wait for one. **Raises** `ActionError`."""
        waited_for = tuple(self.background.waited_for)
        if arguments.call_id and arguments.call_id not in waited_for:
            raise ActionError(NOT_WAITED_FOR.format(arguments.call_id[:100], ", ".join(waited_for) or "none"))
        moved: list[BackgroundTask] = []
        for call_id in (arguments.call_id,) if arguments.call_id else waited_for:
            self.shell.check_number()
            if task := self.background.move(call_id):
                moved.append(task)
        text = f"In the background now: {', '.join(task.task_id for task in moved)}." if moved else NOTHING
        return ActionOutcome(text, {"tasks": [_data(task) for task in moved]})

    async def stop(self, arguments: StopTasks, context: ActionContext) -> ActionOutcome:
        """Stop it, or all, and wait until that is done."""
        named = {find(self.background, arguments.task_id).task_id} if arguments.task_id else None
        stopped = self.background.stop(BY_USER, named)
        await self.background.over(stopped)
        text = (
            f"Stopped: {', '.join(stopped)}." if stopped else "Nothing was running, so nothing was stopped."
        )
        return ActionOutcome(text, {"stopped": list(stopped)})


def _data(task: BackgroundTask) -> JsonObject:
    end = task.outcome.terminal if task.outcome else None
    ran = task.terminal
    command = {"command": ran.command, "cwd": ran.cwd} if ran.command else {}
    code = {"exitCode": end.exit_code} if end and end.exit_code is not None else {}
    return {"taskId": task.task_id, "state": state_of(task), "title": task.title, **command, **code}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'")
