"""Before a call changes files, what they are is kept; afterwards it is noted what became of them."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace

from agls.engine.facts import Notice
from agls.engine.feature import CallTool, Invocation, RunView
from agls.engine.ports import Effect, StoredState, WorkspaceError
from agls.engine.state import State
from agls.engine.vocabulary import FileChange, JsonObject, ToolOutcome
from agls.frozen import frozen
from agls.room.folder_ports import BlobStore, FileSnapshots

from .settings import Settings
from .states import FileState
from .timeline import MADE, ROOM, SEEN, TOUCHED, Timeline
from .withheld import OUTSIDE, withheld

UNSEEN = "it was changed by somebody else at the same moment"
Note = Callable[[str, JsonObject], None]


@frozen
class Sight:
    """A file as it was found, and as it is noted."""

    found: StoredState
    state: FileState


class SnapshotStore:
    """Looks at files, keeps their bytes and notes what is new. For one session."""

    def __init__(self, settings: Settings, files: FileSnapshots, blobs: BlobStore) -> None:
        self.settings = settings
        self.files = files
        self.blobs = blobs
        self._timeline = Timeline()

    def timeline(self, state: State) -> Timeline:
        """Return the known states until now."""
        self._timeline.catch_up(state.notes.get(ROOM, ()))
        return self._timeline

    async def look(self, path: str, known: Timeline) -> Sight:
        """Return a file as it is now; its bytes are kept when they are new. **Raises** `WorkspaceError`."""
        found = await self.files.look(path, self.settings.max_file_bytes)
        state = _state(found)
        last = known.last(state.path)
        if last and not last.exists and not found.on_disk and known.knows(state.path, found.digest):
            state = replace(state, hash="", digest="")  # the document of a file that was removed stays open
        if not state.exists or state.lost or found.data is None:
            return Sight(found, state)
        if last and last.hash == state.hash and not last.lost:
            return Sight(found, state)
        try:
            await self.blobs.keep(found.data)
        except OSError as problem:
            return Sight(found, replace(state, lost=str(problem)))
        return Sight(found, state)

    async def content(self, state: FileState) -> bytes | None:
        """Return the bytes of a state, `None` for no file. **Raises** `OSError` when they were not kept."""
        if state.lost:
            raise OSError(f"Its former content is unknown: {state.lost.rstrip('.')}.")
        return await self.blobs.read(state.hash) if state.exists else None

    async def see(self, paths: Iterable[str], state: State, note: Note) -> dict[str, Sight]:
        """Look at these files, keep what is new and note it as everybody else's. By the path as given."""
        known = self.timeline(state)
        seen: dict[str, Sight] = {}
        for path in paths:
            try:
                seen[path] = await self.look(path, known)
            except WorkspaceError:  # the call will say so itself
                continue
        new = {sight.state.path: sight.state for sight in seen.values() if is_new(sight.state, known)}
        if new:
            note(SEEN, {"at": len(state.transcript), "files": [one.to_json() for one in new.values()]})
        return seen


def is_new(state: FileState, known: Timeline) -> bool:
    """Return whether a state says more than the known one."""
    last = known.last(state.path)
    return last is None or not last.same(state) or bool(last.lost and not state.lost)


class Recorder:
    """The room's `around_tool`. `changed` is awaited after each call that changed files."""

    def __init__(self, keeper: SnapshotStore, changed: Callable[[RunView], Awaitable[None]]) -> None:
        self._keeper, self._changed = keeper, changed
        self._reported: set[tuple[str, str]] = set()  # a notice may be lost, so this memory may be, too

    async def around(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Keep what the call may change, let it run, note what it changed."""
        effects = invocation.tool.spec.effects
        if not effects & {Effect.WRITES, Effect.EXECUTES}:
            return await self._read(invocation, view, inner)
        wanted = await _targets(invocation, Effect.WRITES)
        blind = Effect.EXECUTES in effects or not wanted
        paths = list(dict.fromkeys((*wanted, *(self._candidates(view.state) if blind else ()))))
        call = Watched(self._keeper, invocation, view, blind=blind)
        await call.begin(paths)
        self._tell(call.seen.values(), view)
        try:
            outcome = await inner(invocation)
        except asyncio.CancelledError:
            await self._end(call, None, view)
            raise
        await self._end(call, outcome, view)
        return outcome

    async def _end(self, call: "Watched", outcome: ToolOutcome | None, view: RunView) -> None:
        if await call.end(outcome):
            await self._changed(view)

    async def _read(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Remember the files that were read: a later command is most likely to change these."""
        outcome = await inner(invocation)
        if Effect.READS in invocation.tool.spec.effects and not outcome.is_error:
            known = self._keeper.timeline(view.state)
            for path, inside in (await _targets(invocation, Effect.READS)).items():
                if inside and path not in known.touched:
                    view.note(ROOM, TOUCHED, {"path": path})
        return outcome

    def _candidates(self, state: State) -> list[str]:
        """Return the files whose changes by a command can be known: the open ones, and the last touched."""
        known = self._keeper.timeline(state)
        paths = dict.fromkeys((*known.touched, *known.steps, *self._keeper.files.open_documents()))
        return list(reversed(paths))[: self._keeper.settings.max_files]

    def _tell(self, seen: Iterable[Sight], view: RunView) -> None:
        lost = [(sight.found.place.shown, sight.state.lost) for sight in seen if sight.state.lost]
        if new := [one for one in lost if one not in self._reported]:
            self._reported.update(new)
            text = "\n".join(f"{shown}: {reason}" for shown, reason in new)
            view.show(Notice("warning", "Changes to these files cannot be undone", text))


class Watched:
    """One call that may change files."""

    def __init__(self, keeper: SnapshotStore, invocation: Invocation, view: RunView, *, blind: bool) -> None:
        self._keeper = keeper
        self._invocation = invocation
        self._view = view
        self._blind = blind
        self.seen: dict[str, Sight] = {}

    async def begin(self, paths: Sequence[str]) -> None:
        """Keep what is there."""
        self.seen = await self._keeper.see(paths, self._view.state, self._note)

    async def end(self, outcome: ToolOutcome | None) -> bool:
        """Note the outcome: the changes of the call, and those of others at the same time."""
        known, place = self._keeper.timeline(self._view.state), self._invocation.context.workspace.place
        changes = {place(change.uri).path: change for change in (outcome.changes if outcome else ())}
        earlier = list[FileState]()
        made = list[FileState]()
        later = list[FileState]()
        for path, before in self.seen.items():
            with suppress(WorkspaceError):
                after = await self._keeper.look(path, known)
                if change := changes.get(after.state.path):
                    _attribute(change, before, after, (earlier, made, later))
                elif is_new(after.state, known):
                    (made if self._is_ours(before, after, outcome) else later).append(after.state)
        self._record(SEEN, earlier)
        if made or self._blind:
            more = {"by": self._invocation.call.call_id, "runId": self._view.state.run_id}
            self._record(MADE, made, **more, **({"command": True} if self._blind else {}))
        self._record(SEEN, later)
        return bool(made)

    def _is_ours(self, before: Sight, after: Sight, outcome: ToolOutcome | None) -> bool:
        """Return whether the call changed a file that its outcome does not name."""
        if outcome and not self._blind and (outcome.changes or outcome.effects == "none"):
            return False
        return before.found.edits == after.found.edits

    def _record(self, kind: str, states: Sequence[FileState], **more: object) -> None:
        if states or more:
            files = [state.to_json() for state in states]
            self._note(kind, {"at": len(self._view.state.transcript), **more, "files": files})

    def _note(self, kind: str, data: JsonObject) -> None:
        self._view.note(ROOM, kind, data)


def _attribute(
    change: FileChange,
    before: Sight,
    after: Sight,
    steps: tuple[list[FileState], list[FileState], list[FileState]],
) -> None:
    """Separate the change that the call reports from others' changes just before or after it."""
    earlier, made, later = steps
    if change.base.hash == change.result.hash:
        return
    if not before.found.problem and change.base.hash not in (before.found.known_as or ("",)):
        earlier.append(replace(before.state, hash=change.base.hash, digest="", lost=UNSEEN))
    if after.found.problem or change.result.hash in (after.found.known_as or ("",)):
        made.append(after.state)
        return
    made.append(replace(after.state, hash=change.result.hash, digest="", lost=UNSEEN))
    later.append(after.state)


async def _targets(invocation: Invocation, effect: Effect) -> dict[str, bool]:
    """Return the paths that a call names for this effect, with links resolved, and whether each is inside."""
    preview = invocation.preview or await invocation.tool.preview(invocation.call, invocation.context)
    paths: dict[str, bool] = {}
    for target in preview.targets:
        if target.effect is effect:
            try:
                place = invocation.context.workspace.place(target.value)
                paths[place.path] = place.inside
            except WorkspaceError:  # no path at all; the call will say so
                paths[target.value] = False
    return paths


def _state(found: StoredState) -> FileState:
    place = found.place
    lost = withheld(place.shown) if place.inside else OUTSIDE
    if found.problem:
        return FileState(place.path, place.uri, f"unread {found.stamp}", lost=lost or found.problem)
    if found.data is None:
        return FileState(place.path, place.uri, lost=lost, new_folder=found.new_folder)
    return FileState(place.path, place.uri, found.hash, found.digest, bool(found.edits), found.mode, lost)
