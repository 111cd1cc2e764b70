"""Background tasks: items that outlive their run, and how many go on."""

from agls.engine import background
from agls.engine.background import BackgroundTask
from agls.engine.facts import Noted
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, ToolOutcome
from agls.terminal_codes import without_marks
from agls.views.events import EventWriter
from agls.views.items import OpenItems
from agls.views.values import terminal
from agls.views.wire_json import capped, compact, filled
from agls_protocol.events import TaskChangedData
from agls_protocol.items import TaskItem

STATES = {"completed": "completed", "failed": "failed", "rejected": "failed", "cancelled": "stopped"}


class RunningTasks:
    """The background tasks of one session that go on; those of `state` were shown before."""

    def __init__(self, out: EventWriter, items: OpenItems, state: State) -> None:
        self._out = out
        self._items = items
        self._open = {i: task for i, task in background.tasks_of(state).items() if task.outcome is None}
        for task in self._open.values():
            items.adopt(_item(task), "output")

    def __len__(self) -> int:
        return len(self._open)

    def take(self, note: Noted) -> bool:
        """Write what a note says of tasks. **Returns** whether more or fewer go on now."""
        task = background.take(self._open, note.kind, note.data) if note.feature == background.ROOM else None
        if task is None:
            return False
        if task.outcome is None:
            self._items.start(_item(task), "output")
            self._change(task, "running")
            return True
        del self._open[task.task_id]
        self._change(task, STATES[task.outcome.status])
        self._items.complete(task.task_id, _end(task, task.outcome))
        return True

    def _change(self, task: BackgroundTask, state: str) -> None:
        code = task.outcome.terminal.exit_code if task.outcome and task.outcome.terminal else None
        data: TaskChangedData = {
            "taskId": task.task_id,
            "itemId": task.task_id,
            "state": state,
            "title": task.title,
            "exitCode": code,
        }
        self._out.write_for("", "taskChanged", compact(TaskChangedData, data))


def _item(task: BackgroundTask) -> TaskItem:
    """Return the item of a task that goes on."""
    item: TaskItem = {
        "itemId": task.task_id,
        "kind": "task",
        "status": "running",
        "title": task.title,
        "background": True,
    }
    return {**item, "terminal": terminal(task.terminal)} if task.terminal.command else item


def _end(task: BackgroundTask, outcome: ToolOutcome) -> JsonObject:
    """Return what its end adds to the item."""
    output, omitted = capped(without_marks(outcome.text))
    ended: JsonObject = {"status": outcome.status, "effects": outcome.effects, "output": output}
    if task.terminal.command:
        ended["terminal"] = terminal(outcome.terminal or task.terminal, output)
    return ended | filled(truncated=omitted + outcome.truncated or None)
