"""The runs that wait for their turn, as a client sees them."""

from collections.abc import Iterable, Sequence

from agls.engine.facts import Admitted
from agls.engine.vocabulary import JsonObject
from agls.views.wire_json import content_blocks, filled


class Waiting:
    """The queue of one session. The run that begins by itself in the next moment is not told as waiting."""

    def __init__(self, queue: Iterable[Admitted]) -> None:
        self._queue = list(queue)
        self._next = ""  # the run that begins by itself
        self._told = self._ids()

    def __len__(self) -> int:
        return len(self._queue)

    def admit(self, admitted: Admitted, *, running: bool) -> bool:
        """One more; gives whether it has to wait for another."""
        idle = not running and not self._next
        self._queue.append(admitted)
        if idle:
            self._next = self._queue[0].run_id
        return self._next != admitted.run_id

    def order(self, run_ids: Sequence[str]) -> None:
        """These wait, in this order, and no others."""
        known = {admitted.run_id: admitted for admitted in self._queue}
        self._queue = [known[run_id] for run_id in run_ids if run_id in known]

    def leave(self, run_id: str) -> Admitted | None:
        """A run waits no more; gives its admission."""
        if self._queue and self._queue[0].run_id == run_id:  # as nearly always
            return self._queue.pop(0)
        left = next((admitted for admitted in self._queue if admitted.run_id == run_id), None)
        self._queue = [admitted for admitted in self._queue if admitted is not left]
        return left

    def is_next(self, run_id: str) -> bool:
        """Whether this run was about to begin."""
        return run_id == self._next

    def go_on(self, *, begin: bool) -> bool:
        """The last run is over: the first in the queue begins, or nothing does. Gives whether one begins."""
        self._next = self._queue[0].run_id if begin and self._queue else ""
        return bool(self._next)

    def news(self) -> list[JsonObject] | None:
        """The whole queue, `None` when it is what was told last."""
        if self._told == (now := self._ids()):
            return None
        self._told = now
        return [{"runId": a.run_id, **prompt(a)} for a in self._queue if a.run_id in now]

    def _ids(self) -> tuple[str, ...]:
        return tuple(a.run_id for a in self._queue if a.run_id != self._next) if self._queue else ()


def prompt(admitted: Admitted) -> JsonObject:
    """What an admitted run was asked."""
    return {"itemId": admitted.item_id, "content": content_blocks(admitted.content)}


def admission(admitted: Admitted, *, queued: bool) -> JsonObject:
    """What `runAdmitted` says of a run."""
    data = {"admission": "queued" if queued else "started", **prompt(admitted)}
    return {**data, **filled(recovers=admitted.recovers)}
