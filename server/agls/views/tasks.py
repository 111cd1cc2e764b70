"""Background tasks on the wire: items that outlive their run, and how many go on (protocol#events)."""

from typing import Literal

from agls.engine import background
from agls.engine.background import Background, Task
from agls.engine.facts import Noted
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Stop, ToolOutcome
from agls.views import wire_json
from agls.views.events import Envelope
from agls.views.items import OpenItems

STATES = {"completed": "completed", "failed": "failed", "rejected": "failed", "cancelled": "stopped"}


class Tasks:
    """Tells of the tasks of one session; those that go on in `state` were told before."""

    def __init__(self, out: Envelope, items: OpenItems, state: State) -> None:
        self._out, self._items = out, items
        self._open = {i: task for i, task in background.tasks_of(state).items() if task.outcome is None}
        for task in self._open.values():
            items.adopt(_item(task), "output")

    def __len__(self) -> int:
        return len(self._open)

    def take(self, note: Noted) -> bool:
        """Tell what a note says of tasks; gives whether more or fewer go on now."""
        task = background.take(self._open, note.kind, note.data) if note.feature == background.ROOM else None
        if task is None:
            return False
        if task.outcome is None:
            self._items.start(_item(task), "output")
            self._change(task, "running")
            return True
        del self._open[task.task_id]
        self._change(task, STATES[task.outcome.status])
        self._items.complete(task.task_id, _members(task, task.outcome))
        return True

    def _change(self, task: Task, state: str) -> None:
        code = task.outcome.terminal.exit_code if task.outcome and task.outcome.terminal else None
        said = {"taskId": task.task_id, "itemId": task.task_id, "state": state, "title": task.title}
        self._out.put_for("", "taskChanged", {**said, **wire_json.known({"exit_code": code})})


def _item(task: Task) -> JsonObject:
    """The item of a task that goes on."""
    item: JsonObject = {"itemId": task.task_id, "kind": "task", "status": "running", "title": task.title}
    return {**item, "background": True, "terminal": wire_json.terminal(task.terminal)}


def _members(task: Task, outcome: ToolOutcome) -> JsonObject:
    """What its end adds to the item."""
    output, omitted = wire_json.capped(outcome.text)
    said: JsonObject = {"status": outcome.status, "effects": outcome.effects, "output": output}
    said["terminal"] = wire_json.terminal(outcome.terminal or task.terminal)
    return said | wire_json.filled(truncated=omitted + outcome.truncated or None)


def left(
    tasks: Background, wish: Literal["keep", "stop"], stop: Stop
) -> tuple[list[str] | None, list[str] | None]:
    """Stop the tasks, or not, as a cancel says; gives those that were kept and those that were stopped."""
    if wish == "stop":
        return None, list(tasks.stop(stop.detail)) or None
    return list(tasks.running) or None, None
