"""What a child of a session changed is also its parent's: it is seen there, and can be taken back there."""

from collections.abc import Iterator
from typing import Protocol

from agls.engine.facts import Entry, Noted
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject

from .recorder import SnapshotStore, is_new
from .states import FileState, state_of
from .timeline import MADE, ROOM, SEEN, Timeline


class ParentSession(Protocol):
    """The session that a child works for."""

    @property
    def state(self) -> State: ...
    def note(self, feature: str, kind: str, data: JsonObject) -> None: ...


class ChangeRelay:
    """Notes in the parent, as the work of the call that the child works for, what the child's room notes."""

    def __init__(self, keeper: SnapshotStore, above: ParentSession) -> None:
        self._keeper, self._above = keeper, above
        self._known = Timeline()  # what the parent knows

    def on_fact(self, entry: Entry, state: State) -> None:
        """Look at one more fact of the child."""
        match entry.fact:
            case Noted(feature, kind, data) if feature == ROOM and kind == SEEN:
                self._see([state_of(file) for file in data["files"]])
            case Noted(feature, kind, data) if feature == ROOM and kind == MADE:
                self._see([*self._before(data["files"], state)])
                work = {"by": state.parent_item, "runId": self._above.state.run_id}
                more = {"command": True} if data.get("command") else {}
                self._note(MADE, {**work, **more, "files": data["files"]})
            case _:
                pass

    def _before(self, files: list[JsonObject], state: State) -> Iterator[FileState]:
        """Yield the child's states of these files before its changes."""
        known = self._keeper.timeline(state)
        for file in files:
            steps = known.steps[file["path"]]
            if len(steps) > 1:
                yield steps[-2].state

    def _see(self, states: list[FileState]) -> None:
        self._known.catch_up(self._above.state.notes.get(ROOM, ()))
        if new := [one.to_json() for one in states if is_new(one, self._known)]:
            self._note(SEEN, {"files": new})

    def _note(self, kind: str, data: JsonObject) -> None:
        self._above.note(ROOM, kind, {"at": len(self._above.state.transcript), **data})
