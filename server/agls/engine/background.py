"""The background tasks of a session: they outlive the run that began them."""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from agls.engine.facts import BACKGROUND, Fact, Noted, ToolDelta
from agls.engine.log import Log
from agls.engine.ports import JournalError, Spawn, WorkspaceError
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, KeptOutput, Terminal, ToolOutcome
from agls.frozen import frozen
from agls.terminal_codes import enclosed, without_colours

ROOM = BACKGROUND
BEGAN = "began"
ENDED = "ended"
REPORTED = "told"  # the kind of the note in journals
KEPT = 32_768  # characters at the end of a running task's output
PATIENCE = 4.0  # seconds that a stopped task gets to end; then it counts as ended without it
CLOSED = "the session was closed"
DIED = "the process that it belonged to ended before it; it was not begun again"
FORKED = "it goes on, if at all, in the session that this one was forked from"

Show = Callable[[str], None]
Work = Callable[[Show], Awaitable[ToolOutcome]]


@frozen
class BackgroundTask:
    """Work that the call `call_id` began; `outcome` is how it ended, `None` while it runs.

    `is_reported` is whether the model knows of the end. `owner` is the room that reports it ("": that of
    the commands); what is no command has a `terminal` without one.
    """

    task_id: str
    title: str
    call_id: str
    run_id: str
    terminal: Terminal
    outcome: ToolOutcome | None = None
    is_reported: bool = False
    owner: str = ""

    def began(self) -> Noted:
        """Return the fact that it began."""
        place = {"callId": self.call_id, "runId": self.run_id}
        command = {"command": self.terminal.command, "cwd": self.terminal.cwd}
        whose = {"owner": self.owner} if self.owner else {}
        return Noted(ROOM, BEGAN, {"taskId": self.task_id, "title": self.title, **place, **command, **whose})

    def ended(self, outcome: ToolOutcome) -> Noted:
        """Return the fact that it ended."""
        outcome = outcome.settled()
        terminal = outcome.terminal or self.terminal
        left = {"status": outcome.status, "effects": outcome.effects, "text": outcome.text}
        end = {"exitCode": terminal.exit_code, "signal": terminal.signal, "truncated": outcome.truncated}
        file = outcome.kept
        kept = {"kept": {"name": file.name, "truncated": file.truncated}} if file else {}
        coloured = {"coloured": terminal.coloured} if terminal.coloured else {}
        return Noted(ROOM, ENDED, {"taskId": self.task_id, **left, **end, **kept, **coloured})

    def cut_off(self, why: str, printed: str = "") -> ToolOutcome:
        """Return the outcome of a task that did not come to its end by itself."""
        said = printed.rstrip() if self.owner else enclosed(printed.rstrip())
        text = f"{said}\n[Stopped: {why}. What it did is unknown.]".lstrip()
        return ToolOutcome(text, "cancelled", "unknown", terminal=self.terminal)


def tasks_of(state: State) -> dict[str, BackgroundTask]:
    """Return all tasks of a session by their id, in the order in which they began."""
    known: dict[str, BackgroundTask] = {}
    for note in state.notes.get(ROOM, ()):
        if note.kind == REPORTED:
            known |= {
                one: replace(known[one], is_reported=True) for one in note.data["taskIds"] if one in known
            }
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
        place = data["callId"], data["runId"], terminal
        known[task_id] = BackgroundTask(task_id, data["title"], *place, owner=data.get("owner", ""))
        return known[task_id]
    task = known.get(task_id)
    if kind != ENDED or task is None or task.outcome:  # a fork may have the end of a task without its begin
        return None
    end = {"exit_code": data["exitCode"], "signal": data["signal"], "coloured": data.get("coloured", "")}
    terminal = replace(task.terminal, **end)
    known[task_id] = replace(task, outcome=replace(_outcome(data), terminal=terminal))
    return known[task_id]


def outcome_in(fact: Fact) -> ToolOutcome | None:
    """Return the outcome of the task whose end this fact is, `None` for any other fact."""
    if isinstance(fact, Noted) and fact.feature == ROOM and fact.kind == ENDED:
        return _outcome(fact.data)
    return None


def _outcome(data: JsonObject) -> ToolOutcome:
    kept = KeptOutput(**data["kept"]) if "kept" in data else None
    return ToolOutcome(data["text"], data["status"], data["effects"], truncated=data["truncated"], kept=kept)


def left_open(state: State, why: str) -> list[Noted]:
    """Return the ends of the tasks whose process is gone."""
    tasks = tasks_of(state).values()
    return [task.ended(task.cut_off(why)) for task in tasks if task.outcome is None]


class Working:
    """A running task: its last output, and how it is stopped."""

    def __init__(self, task: BackgroundTask, show: Show) -> None:
        self.task, self.show = task, show
        self.stopping: asyncio.Future[str] = asyncio.get_running_loop().create_future()  # and why
        self.over: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.printed = ""
        self._size = self._seen = 0  # characters printed so far, and those that the model has seen

    def print(self, text: str) -> None:
        """Take in more output, and show it."""
        plain = without_colours(text)
        self.printed = (self.printed + plain)[-KEPT:]
        self._size += len(plain)
        self.show(text)

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


class Waiting:
    """Work that a call waits for, and the way from there to the background."""

    def __init__(self, working: Working, job: asyncio.Task[Any]) -> None:
        self.working, self.job = working, job
        self.moved: asyncio.Future[BackgroundTask] = asyncio.get_running_loop().create_future()


class Background:
    """The tasks of one session in this process: each ends by itself, is stopped, or ends with the session."""

    def __init__(self, log: Log, spawn: Spawn) -> None:
        self._log, self._spawn = log, spawn
        self._working: dict[str, Working] = {}
        self._waiting: dict[str, Waiting] = {}
        self._closed = False

    @property
    def running(self) -> tuple[str, ...]:
        """The running tasks."""
        return tuple(self._working)

    @property
    def waited_for(self) -> Mapping[str, str]:
        """The calls that wait for work which can be moved to the background, with what it does."""
        return {call_id: waiting.working.task.title for call_id, waiting in self._waiting.items()}

    @property
    def tasks(self) -> dict[str, BackgroundTask]:
        """All tasks of the session."""
        return tasks_of(self._log.state)

    def begin(
        self, title: str, call_id: str, terminal: Terminal, work: Work, owner: str = ""
    ) -> BackgroundTask:
        """Record that a task of a room begins, and let it run.

        **Raises** `WorkspaceError` when the session is closed.
        """
        if self._closed:
            raise WorkspaceError("Nothing was begun: the session is being closed.")
        working = self._made(title, call_id, terminal, nowhere)
        working.task = replace(working.task, owner=owner)
        self._begin(working, self._spawn(_done(work, working.print)))
        return working.task

    async def wait_for(
        self, title: str, call_id: str, terminal: Terminal, work: Work, show: Show
    ) -> ToolOutcome | BackgroundTask:
        """Do the work of a call until it ends, or is moved to the background. Cancelling ends it.

        **Returns** its outcome, or the task that it became.
        """
        working = self._made(title, call_id, terminal, show)
        job = self._spawn(_done(work, working.print))
        waiting = self._waiting[call_id] = Waiting(working, job)
        try:
            await asyncio.wait({job, waiting.moved}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if self._waiting.pop(call_id, None):
                job.cancel()
                await asyncio.wait({job})
        return waiting.moved.result() if waiting.moved.done() else working.outcome(job)

    def move(self, call_id: str) -> BackgroundTask | None:
        """Move the work of a call to the background: the call goes on without it.

        **Returns** the task that it is from now on, `None` where the call waits for nothing.
        """
        waiting = self._waiting.get(call_id)
        if waiting is None or self._closed:
            return None
        self._begin(waiting.working, waiting.job)
        del self._waiting[call_id]
        waiting.moved.set_result(waiting.working.task)
        return waiting.working.task

    def printed(self, task_id: str) -> str:
        """Return the last output of a running task."""
        return self._working[task_id].printed if task_id in self._working else ""

    def news(self, task_id: str) -> str:
        """Return the output since the last call."""
        return self._working[task_id].news() if task_id in self._working else ""

    def unreported(self, owner: str = "") -> Sequence[BackgroundTask]:
        """Return the tasks of a room that ended, and of whose end the model does not know yet."""
        return [
            task
            for task in self.tasks.values()
            if task.owner == owner and task.outcome and not task.is_reported
        ]

    def mark_reported(self, tasks: Iterable[BackgroundTask]) -> None:
        """Record that the model knows of the ends of these tasks."""
        if new := [task.task_id for task in tasks if task.outcome and not task.is_reported]:
            self._log.record(Noted(ROOM, REPORTED, {"taskIds": new}))

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
        ends = left_open(self._log.outline, DIED)
        for end in ends:
            self._log.record(end)
        return bool(ends)

    async def close(self) -> None:
        """Stop all tasks, and let none begin any more."""
        self._closed = True
        self.stop(CLOSED)
        await self.over()

    def _made(self, title: str, call_id: str, terminal: Terminal, show: Show) -> Working:
        return Working(BackgroundTask("", title, call_id, self._log.state.run_id, terminal), show)

    def _begin(self, working: Working, job: asyncio.Task[Any]) -> None:
        task = working.task = replace(working.task, task_id=f"task_{len(self.tasks) + 1}")
        self._log.record(task.began())
        working.show = partial(self._show, task.task_id)
        self._working[task.task_id] = working
        self._spawn(self._carry_out(working, job))

    def _show(self, task_id: str, text: str) -> None:
        self._log.show(ToolDelta.of(task_id, text))

    async def _carry_out(self, working: Working, job: asyncio.Task[Any]) -> None:
        try:
            await asyncio.wait({job, working.stopping}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            job.cancel()
            await asyncio.wait({job}, timeout=PATIENCE)
        del self._working[working.task.task_id]
        with suppress(JournalError):  # another process has the session, and says how this ended
            self._log.record(working.task.ended(working.outcome(job)))
        working.over.set_result(None)


def nowhere(text: str) -> None:
    """Show a text to nobody."""


async def _done(work: Work, show: Show) -> ToolOutcome:
    return await work(show)
