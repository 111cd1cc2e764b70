"""The background tasks of a session: they outlive the run that began them."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import replace
from typing import Any

from agls.engine.facts import BACKGROUND, Noted, ToolDelta
from agls.engine.log import Log
from agls.engine.ports import JournalError, Spawn, WorkspaceError
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Terminal, ToolOutcome
from agls.frozen import frozen

ROOM = BACKGROUND
BEGAN = "began"
ENDED = "ended"
TOLD = "told"
KEPT = 32_768  # characters at the end of a running task's output
PATIENCE = 4.0  # seconds that a stopped task gets to end; then it counts as ended without it
CLOSED = "the session was closed"
DIED = "the process that it belonged to ended before it; it was not begun again"
FORKED = "it goes on, if at all, in the session that this one was forked from"

Show = Callable[[str], None]
Work = Callable[[Show], Awaitable[ToolOutcome]]


@frozen
class BackgroundTask:
    """A command that the call `call_id` began; `outcome` is how it ended, `None` while it runs.

    `told` is whether the model knows of the end.
    """

    task_id: str
    title: str
    call_id: str
    run_id: str
    terminal: Terminal
    outcome: ToolOutcome | None = None
    told: bool = False

    def began(self) -> Noted:
        """Return the fact that it began."""
        place = {"callId": self.call_id, "runId": self.run_id}
        command = {"command": self.terminal.command, "cwd": self.terminal.cwd}
        return Noted(ROOM, BEGAN, {"taskId": self.task_id, "title": self.title, **place, **command})

    def ended(self, outcome: ToolOutcome) -> Noted:
        """Return the fact that it ended."""
        terminal = outcome.terminal or self.terminal
        left = {"status": outcome.status, "effects": outcome.effects, "text": outcome.text}
        end = {"exitCode": terminal.exit_code, "signal": terminal.signal, "truncated": outcome.truncated}
        return Noted(ROOM, ENDED, {"taskId": self.task_id, **left, **end})

    def cut_off(self, why: str, printed: str = "") -> ToolOutcome:
        """Return the outcome of a task that did not come to its end by itself."""
        text = f"{printed.rstrip()}\n[Stopped: {why}. What it did is unknown.]".lstrip()
        return ToolOutcome(text, "cancelled", "unknown", terminal=self.terminal)


def tasks_of(state: State) -> dict[str, BackgroundTask]:
    """Return all tasks of a session by their id, in the order in which they began."""
    known: dict[str, BackgroundTask] = {}
    for note in state.notes.get(ROOM, ()):
        if note.kind == TOLD:
            known |= {one: replace(known[one], told=True) for one in note.data["taskIds"] if one in known}
        else:
            take(known, note.kind, note.data)
    return known


def take(known: dict[str, BackgroundTask], kind: str, data: JsonObject) -> BackgroundTask | None:
    """Apply a fact about a task to the tasks.

    **Returns** the task as it is then, `None` when the fact says nothing new.
    """
    task_id: str = data.get("taskId", "")
    if kind == BEGAN:
        terminal = Terminal(data["command"], data["cwd"])
        known[task_id] = BackgroundTask(task_id, data["title"], data["callId"], data["runId"], terminal)
        return known[task_id]
    task = known.get(task_id)
    if kind != ENDED or task is None or task.outcome:  # a fork may have the end of a task without its begin
        return None
    terminal = replace(task.terminal, exit_code=data["exitCode"], signal=data["signal"])
    known[task_id] = replace(
        task,
        outcome=ToolOutcome(
            data["text"], data["status"], data["effects"], terminal=terminal, truncated=data["truncated"]
        ),
    )
    return known[task_id]


def left_open(state: State, why: str) -> list[Noted]:
    """Return the ends of the tasks whose process is gone."""
    tasks = tasks_of(state).values()
    return [task.ended(task.cut_off(why)) for task in tasks if task.outcome is None]


class Working:
    """A running task: its last output, and how it is stopped."""

    def __init__(self, task: BackgroundTask, show: Show) -> None:
        self.task, self._show = task, show
        self.stopping: asyncio.Future[str] = asyncio.get_running_loop().create_future()  # and why
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.printed = ""
        self._size = self._seen = 0  # characters printed so far, and those that the model has seen

    def print(self, text: str) -> None:
        """Take in more output, and show it."""
        self.printed = (self.printed + text)[-KEPT:]
        self._size += len(text)
        self._show(text)

    def news(self) -> str:
        """Return the output since the last call."""
        new, self._seen = self._size - self._seen, self._size
        if new > len(self.printed):
            return f"[{new - len(self.printed)} characters are left out here]\n{self.printed}"
        return self.printed[len(self.printed) - new :]

    def outcome(self, job: asyncio.Task[Any]) -> ToolOutcome:
        """Return how the task ended, once its work ended or was given up."""
        if job.done() and not job.cancelled() and isinstance(done := job.result(), ToolOutcome):
            return done
        if self.stopping.done():
            return self.task.cut_off(self.stopping.result(), self.printed)
        return ToolOutcome("It failed unexpectedly; the log says why.", "failed", "unknown")


class Background:
    """The tasks of one session in this process: each ends by itself, is stopped, or ends with the session."""

    def __init__(self, log: Log, spawn: Spawn) -> None:
        self._log, self._spawn = log, spawn
        self._working: dict[str, Working] = {}
        self._closed = False

    @property
    def running(self) -> tuple[str, ...]:
        """The running tasks."""
        return tuple(self._working)

    @property
    def tasks(self) -> dict[str, BackgroundTask]:
        """All tasks of the session."""
        return tasks_of(self._log.state)

    def begin(self, title: str, call_id: str, terminal: Terminal, work: Work) -> BackgroundTask:
        """Record that a task begins, and let it run.

        **Raises** `WorkspaceError` when the session is closed.
        """
        if self._closed:
            raise WorkspaceError("Nothing was begun: the session is being closed.")
        task_id = f"task_{len(self.tasks) + 1}"
        task = BackgroundTask(task_id, title, call_id, self._log.state.run_id, terminal)
        self._log.record(task.began())
        working = Working(task, lambda text: self._log.show(ToolDelta(task.task_id, text)))
        self._working[task.task_id] = working
        self._spawn(self._carry_out(working, work))
        return task

    def printed(self, task_id: str) -> str:
        """Return the last output of a running task."""
        return self._working[task_id].printed if task_id in self._working else ""

    def news(self, task_id: str) -> str:
        """Return the output since the last call."""
        return self._working[task_id].news() if task_id in self._working else ""

    def tell(self, tasks: Iterable[BackgroundTask]) -> None:
        """Record that the model knows of the ends of these tasks."""
        if new := [task.task_id for task in tasks if task.outcome and not task.told]:
            self._log.record(Noted(ROOM, TOLD, {"taskIds": new}))

    def stop(self, why: str, task_ids: Collection[str] | None = None) -> tuple[str, ...]:
        """Stop these running tasks, `None` for all of them. They are over in a moment.

        **Returns** the ids of the tasks that are stopped.
        """
        stopped = [one for one in self._working if task_ids is None or one in task_ids]
        for task_id in stopped:
            if not (stopping := self._working[task_id].stopping).done():
                stopping.set_result(why)
        return tuple(stopped)

    async def over(self, task_ids: Collection[str] | None = None, seconds: float | None = None) -> None:
        """Wait until these tasks are over (`None` for all that run), or so many seconds."""
        ends = {one.over for name, one in self._working.items() if task_ids is None or name in task_ids}
        if ends:
            await asyncio.wait(ends, timeout=seconds)

    def settle(self) -> bool:
        """Record the ends of the tasks that a dead process left open.

        **Returns** whether there were any.
        """
        ends = left_open(self._log.state, DIED)
        for end in ends:
            self._log.record(end)
        return bool(ends)

    async def close(self) -> None:
        """Stop all tasks, and let none begin any more."""
        self._closed = True
        self.stop(CLOSED)
        await self.over()

    async def _carry_out(self, working: Working, work: Work) -> None:
        job = self._spawn(_done(work, working.print))
        try:
            await asyncio.wait({job, working.stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            job.cancel()
            await asyncio.wait({job}, timeout=PATIENCE)
        del self._working[working.task.task_id]
        with suppress(JournalError):  # another process has the session, and says how this ended
            self._log.record(working.task.ended(working.outcome(job)))
        working.over.set_result(None)


async def _done(work: Work, show: Show) -> ToolOutcome:
    return await work(show)
