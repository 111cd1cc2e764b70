"""What a command changed that decides what runs later: found, shown, and asked about from then on."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath

from agls.engine.background import tasks_of
from agls.engine.facts import Notice
from agls.engine.feature import RunView
from agls.engine.ports import Effect, Workspace, WorkspaceError
from agls.engine.state import State
from agls.engine.vocabulary import ToolOutcome
from agls.features.permissions.decision import Ask
from agls.features.permissions.grants import ROOM
from agls.features.permissions.questions import CHANGED, after_change
from agls.features.permissions.rules import ResolvedTarget
from agls.features.permissions.visible import one_line
from agls.room.permission_memory import OwnFiles, PermissionMemory, Traces

LEFT, SEEN = "left", "seen"
MOST = 10  # paths that are named
TITLE = "A command changed what programs run or obey"
LEFT_BEHIND = (
    "A command changed files that programs run or obey: {}. Nothing more is approved automatically in this "
    "run until you looked at them."
)
FOR_MODEL = "\n[It changed files that programs run or obey: {}. The user is shown that{}.]"
ASKED_NOW = ", and is asked about each effect from now on in this run"


class CommandWatch:
    """Stands around the commands of one run: agls's own files, and names that programs run or obey.

    With `asks` a change of the latter ends automatic approval for the rest of the run, until the user looked.
    """

    def __init__(self, memory: PermissionMemory, workspace: Workspace, *, asks: bool) -> None:
        self._files: OwnFiles = memory.files
        self._traces: Traces = memory.traces
        self._workspace, self._asks = workspace, asks

    async def begin(self) -> None:
        """Look before a command."""
        await asyncio.to_thread(self._begin)  # both in one go: a thread costs more than a look

    def _begin(self) -> None:
        self._files.begin()
        self._traces.begin()

    async def end(self, targets: Sequence[ResolvedTarget], view: RunView, *, was_asked: bool) -> str:
        """Look behind a command. **Returns** what the model should read of it.

        What the user was asked about, and allowed, is no surprise.
        """
        lasting = any(task.outcome is None for task in tasks_of(view.state).values())
        own, found = await asyncio.to_thread(self._end, lasting=lasting)
        self._report(own, view)
        wanted = [each.place.path for each in targets if was_asked and each.place and _is_written(each)]
        return self._note([path for path in found if not _covers(wanted, path)], view)

    def _end(self, *, lasting: bool) -> tuple[Sequence[str], Sequence[str]]:
        return self._files.end(lasting=lasting), self._traces.end(lasting=lasting)

    def _look(self) -> tuple[Sequence[str], Sequence[str]]:
        return self._files.look(), self._traces.look()

    async def question(self, targets: Sequence[ResolvedTarget], view: RunView) -> Ask | None:
        """Return the question about a call that would run unasked, when something changed meanwhile."""
        if self._files.lasting or self._traces.lasting:
            own, found = await asyncio.to_thread(self._look)
            self._report(own, view)
            self._note(found, view)
        if changed := self._files.changed:
            return after_change(changed)
        left = left_behind(view.state)
        if not (left and self._asks) or all(map(only_reads, targets)):
            return None
        return replace(after_change(left), reasons=(LEFT_BEHIND.format(_named(left)),))

    async def accept(self, view: RunView) -> None:
        """Take it that the user looked."""
        view.note(ROOM, SEEN, {"runId": view.state.run_id})
        try:
            await asyncio.to_thread(self._files.accept)
        except OSError as problem:
            view.show(Notice("warning", "The next process will ask again", str(problem)))

    def _note(self, paths: Sequence[str], view: RunView) -> str:
        if not paths:
            return ""
        shown = [self._shown(path) for path in paths]
        view.note(ROOM, LEFT, {"runId": view.state.run_id, "files": shown})
        view.show(
            Notice("warning", TITLE, LEFT_BEHIND.format(_named(shown)) if self._asks else _named(shown))
        )
        return FOR_MODEL.format(_named(shown), ASKED_NOW if self._asks else "")

    def _shown(self, path: str) -> str:
        with suppress(WorkspaceError):
            return self._workspace.place(path).shown
        return path

    def _report(self, files: Sequence[str], view: RunView) -> None:
        if files:
            text = CHANGED.format(", ".join(files))
            view.show(Notice("warning", "Something changed agls's own files", text))


def only_reads(target: ResolvedTarget) -> bool:
    """Return whether nothing of it changes anything, as far as it is known."""
    return target.effect is Effect.READS or target.guessed or target.reads_only


def with_text(outcome: ToolOutcome, text: str) -> ToolOutcome:
    """Return an outcome with what the model should read behind it."""
    return replace(outcome, text=f"{outcome.text}{text}") if text else outcome


def left_behind(state: State) -> Sequence[str]:
    """Return what commands of this run left, as far as the user did not look since."""
    left: dict[str, None] = {}
    for note in state.notes.get(ROOM, ()):
        if note.data.get("runId") != state.run_id:
            continue
        if note.kind == LEFT:
            left |= dict.fromkeys(map(str, note.data["files"]))
        elif note.kind == SEEN:
            left.clear()
    return list(left)


def _is_written(target: ResolvedTarget) -> bool:
    return target.effect is Effect.WRITES


def _covers(wanted: Sequence[str], path: str) -> bool:
    changed = PurePath(path)
    return any(changed.is_relative_to(one) or PurePath(one).is_relative_to(changed) for one in wanted)


def _named(paths: Sequence[str]) -> str:
    more = f" and {len(paths) - MOST} more" if len(paths) > MOST else ""
    return one_line(", ".join(paths[:MOST])) + more
