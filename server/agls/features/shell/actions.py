"""What the user may do with commands in the background: see them, read their output, stop them."""

from collections.abc import Sequence

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionOutcome, ActionValue
from agls.engine.background import Background, BackgroundTask
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.toolkit import Arguments, TypedAction, fenced

from .tasks import find, state_of

BY_USER = "stopped by the user"


class ListTasks(Arguments):
    """Show the commands that were begun in the background, and how they stand."""


class ShowOutput(Arguments):
    """Show what a command in the background has printed."""

    task_id: str = Field(min_length=1, description="as task.list gives it")


class StopTasks(Arguments):
    """Stop a command in the background and all that it started, or every one of them."""

    task_id: str = Field(default="", description="as task.list gives it; empty for all that run")


def actions_of(background: Background) -> tuple[Action, ...]:
    """Return the actions of the room."""
    handlers = TaskActions(background)
    return (
        TypedAction(name="task.list", title="List background tasks", arguments=ListTasks, work=handlers.show),
        TypedAction(
            name="task.output",
            title="Show a task's output",
            arguments=ShowOutput,
            work=handlers.output,
            choices={"task_id": handlers.known},
        ),
        TypedAction(
            name="task.stop",
            title="Stop background tasks",
            arguments=StopTasks,
            work=handlers.stop,
            choices={"task_id": handlers.known},
        ),
    )


@frozen
class TaskActions:
    """Do the actions of the room."""

    background: Background

    async def known(self, context: ActionContext) -> Sequence[ActionValue]:
        """The tasks there are, with what they do."""
        return [ActionValue(task.task_id, task.title) for task in self.background.tasks.values()]

    async def show(self, arguments: ListTasks, context: ActionContext) -> ActionOutcome:
        """Return all tasks, the running ones first."""
        tasks = sorted(self.background.tasks.values(), key=lambda task: task.outcome is not None)
        rows = [f"| {task.task_id} | {state_of(task)} | `{_cell(task.title)}` |" for task in tasks]
        if not rows:
            return ActionOutcome("No command was begun in the background.", {"tasks": []})
        head = ["| BackgroundTask | State | Command |", "|---|---|---|"]
        return ActionOutcome("\n".join([*head, *rows]), {"tasks": [_data(task) for task in tasks]})

    async def output(self, arguments: ShowOutput, context: ActionContext) -> ActionOutcome:
        """Return the kept output: of a running task its end."""
        task = find(self.background, arguments.task_id)
        text = task.outcome.text if task.outcome else self.background.printed(task.task_id)
        return ActionOutcome(fenced(text.rstrip()), {**_data(task), "output": text})

    async def stop(self, arguments: StopTasks, context: ActionContext) -> ActionOutcome:
        """Stop it, or all, and wait until that is done."""
        named = {find(self.background, arguments.task_id).task_id} if arguments.task_id else None
        stopped = self.background.stop(BY_USER, named)
        await self.background.over(stopped)
        told = (
            f"Stopped: {', '.join(stopped)}." if stopped else "Nothing was running, so nothing was stopped."
        )
        return ActionOutcome(told, {"stopped": list(stopped)})


def _data(task: BackgroundTask) -> JsonObject:
    end = task.outcome.terminal if task.outcome else None
    command = {"command": task.terminal.command, "cwd": task.terminal.cwd}
    code = {"exitCode": end.exit_code} if end and end.exit_code is not None else {}
    return {"taskId": task.task_id, "state": state_of(task), "title": task.title, **command, **code}


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("`", "'")
