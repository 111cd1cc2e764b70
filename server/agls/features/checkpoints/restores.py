"""The way back: files as they were, where nobody else changed them since."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import PurePath

from agls.engine.actions import ActionContext
from agls.engine.ports import WorkspaceError, new_id
from agls.engine.vocabulary import FileChange, FileVersion, JsonObject
from agls.frozen import frozen
from agls.toolkit import change_json, file_json

from .comparison import kind_of
from .recorder import Sight, SnapshotStore
from .states import FileState
from .timeline import MADE, RESTORED, OwnStretch, Timeline

LABEL = "Take back changes of the agent"
AGAIN = "The agent changed it again after that."
CHANGED = "It was changed by you or somebody else after the agent's last change."
UNSAVED = "The editor shows it as it was, but the disk does not hold that. Save it in the editor."
MIXED = "It was changed by you or somebody else between the agent's changes."


@frozen
class Wish:
    """A file that shall be again as it was in `want`, if it still is as it was in `expected`."""

    want: FileState
    expected: FileState
    refused: str = ""


@frozen
class Conflict:
    """A file that was left alone, and why."""

    uri: str
    reason: str

    def to_json(self) -> JsonObject:
        """Return the members for programs."""
        return {"uri": self.uri, "reason": self.reason}


@frozen
class FileRestore:
    """One file that can go back: its bytes now and then (`None`: no file)."""

    wish: Wish
    sight: Sight
    before: bytes | None
    after: bytes | None


@frozen
class Restored:
    """What came of it."""

    checkpoint_id: str
    files: tuple[JsonObject, ...]
    conflicts: tuple[Conflict, ...]
    changes: tuple[FileChange, ...]

    def to_json(self) -> JsonObject:
        """Return the members for programs, as `README.md` promises."""
        return {
            "checkpointId": self.checkpoint_id,
            "files": list(self.files),
            "conflicts": [conflict.to_json() for conflict in self.conflicts],
            "changes": [change_json(change) for change in self.changes],
        }


def back_to(changed: Iterable[tuple[str, Sequence[OwnStretch]]]) -> Iterator[Wish]:
    """Yield the wishes to take back our changes."""
    for _, stretches in changed:
        refused = MIXED if len(stretches) > 1 else ""
        yield Wish(stretches[0].before, stretches[-1].after, refused)


def in_order(wishes: Iterable[Wish]) -> Sequence[Wish]:
    """Return the wishes, those for no file first where another differs only in the case of its name.

    Some disks know only one of the two: a removal that came last would take the file that was just put back.
    """
    wanted = list(wishes)
    names = Counter(wish.want.path.casefold() for wish in wanted)
    return sorted(wanted, key=lambda wish: wish.want.exists or names[wish.want.path.casefold()] == 1)


def undo(known: Timeline, checkpoint_id: str) -> Iterator[Wish]:
    """Yield the wishes to take back the changes of a restore."""
    for before, after in known.made_by(checkpoint_id):
        yield Wish(before, after)


class Restoring:
    """One restore of one session."""

    def __init__(self, keeper: SnapshotStore, context: ActionContext) -> None:
        self._keeper, self._context = keeper, context
        self._known = keeper.timeline(context.state)
        self._conflicts: list[Conflict] = []

    async def preview(self, wishes: Iterable[Wish]) -> Restored:
        """Return the outcome of a restore, without doing it."""
        files: list[JsonObject] = []
        for wish in wishes:
            if step := await self._step(wish):
                patch = await self._keeper.files.diff(wish.want.path, step.before, step.after)
                files.append(file_json(wish.want.uri, kind_of(step.before, step.after), patch))
        return Restored("", tuple(files), tuple(self._conflicts), ())

    async def carry_out(self, wishes: Iterable[Wish], why: JsonObject) -> Restored:
        """Do it; each file that changed is noted at once. `why` says what was asked for."""
        checkpoint_id, at = new_id("rewind"), len(self._context.state.transcript)
        self._context.note(RESTORED, {"checkpointId": checkpoint_id, "at": at, **why})
        changes: list[FileChange] = []
        wanted = in_order(wishes)
        for wish in wanted:
            if (step := await self._step(wish)) and (change := await self._put(step)):
                state = replace(wish.want, in_editor=change.via == "editor")
                made = {"at": at, "by": checkpoint_id, "files": [state.to_json()]}
                single = {"itemId": new_id("item"), "change": change_json(change)}
                self._context.note(MADE, {**made, **(single if "reverts" in why else {})})
                changes.append(change)
        await self._tidy([wish.want for wish in wanted if not wish.want.exists])
        files = tuple(file_json(change.uri, change.change, change) for change in changes)
        return Restored(checkpoint_id, files, tuple(self._conflicts), tuple(changes))

    async def _tidy(self, gone: Sequence[FileState]) -> None:
        """Remove the folders that were made for these files, as far as nothing else is in them."""
        made = sorted({state.new_folder for state in gone if state.new_folder}, key=len)
        for state in gone:
            if folder := next((each for each in made if PurePath(state.path).is_relative_to(each)), ""):
                with suppress(WorkspaceError):  # it leads to another place than before
                    await self._keeper.files.tidy(state.path, folder)

    async def _step(self, wish: Wish) -> FileRestore | None:
        """Return the step for a file; `None` when it is as wished, or must be left alone."""
        try:
            sight = await self._keeper.look(wish.want.path, self._known)
            if sight.state.same(wish.want):
                return self._leave(wish, UNSAVED) if _is_only_shown(wish, sight) else None
            if reason := self._objection(wish, sight.state):
                return self._leave(wish, reason)
            before, after = sight.found.data, await self._keeper.content(wish.want)
        except (WorkspaceError, OSError) as problem:
            return self._leave(wish, str(problem))
        return FileRestore(wish, sight, before if sight.state.exists else None, after)

    def _objection(self, wish: Wish, now: FileState) -> str:
        last = self._known.steps[wish.want.path][-1]
        if wish.refused:
            return wish.refused
        if not now.same(wish.expected):
            return AGAIN if last.by and now.same(last.state) else CHANGED
        if now.lost:
            return f"What it is now could not be brought back: {now.lost}."
        return ""

    async def _put(self, step: FileRestore) -> FileChange | None:
        want, version = step.wish.want, step.sight.found.version if step.sight.state.exists else FileVersion()
        try:
            return await self._keeper.files.put(want.path, step.after, version, mode=want.mode, label=LABEL)
        except WorkspaceError as problem:
            self._leave(step.wish, str(problem))
            return None

    def _leave(self, wish: Wish, reason: str) -> None:
        self._conflicts.append(Conflict(wish.want.uri, reason))


def _is_only_shown(wish: Wish, sight: Sight) -> bool:
    """Return whether the editor shows the old file, while the disk still holds the agent's change of it."""
    return bool(sight.found.edits) and sight.found.on_disk == wish.expected.hash != sight.state.hash
