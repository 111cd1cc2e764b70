"""The runs that wait for their turn, as a client sees them."""

from collections.abc import Sequence

from agls.engine.facts import Admitted
from agls.engine.state import State
from agls.engine.vocabulary import Stop, StopReason
from agls.views.values import waiting
from agls_protocol.events import Waiting


class RunQueue:
    """Says when the queue of a session has changed for a client.

    The run that begins by itself in the next moment (`starting`, "" for none) is not shown as waiting.
    """

    def __init__(self, state: State) -> None:
        self.starting = ""
        self._sent = self._waiting(state.queue)

    def admit(self, run_id: str, before: State, after: State) -> bool:
        """Take in an admission. **Returns** whether the run has to wait for another."""
        if not before.running and not self.starting:
            self.starting = after.queue[0].run_id
        return self.starting != run_id

    def end(self, stop: Stop, after: State) -> None:
        """Take in that the run that was on, or about to begin, is over: the next one begins, or none does."""
        goes_on = stop.reason is not StopReason.INTERRUPTED and bool(after.queue)
        self.starting = after.queue[0].run_id if goes_on else ""

    def news(self, state: State) -> list[Waiting] | None:
        """Return the whole queue, `None` when it is what was sent last."""
        now = self._waiting(state.queue)
        if now == self._sent:
            return None
        self._sent = now
        return [waiting(admitted) for admitted in state.queue if admitted.run_id in now]

    def _waiting(self, queue: Sequence[Admitted]) -> tuple[str, ...]:
        return tuple(a.run_id for a in queue if a.run_id != self.starting) if queue else ()
