"""How a session stood when nothing was open in it: places from which all that followed can be made again."""

from bisect import bisect_left
from collections.abc import Callable

from agls.engine.facts import BACKGROUND, Entry, Fact, Noted, RunEnded, ToolFinished
from agls.engine.state import NO_HISTORY, State

APART = 256  # facts at least from one place to the next


class Rests:
    """The states of a session between two runs or two turns, without what grows with it; the first is empty.

    Of the notes of rooms they have those of background tasks: nothing else of a room goes on there.
    """

    def __init__(self) -> None:
        self._states = [State()]

    def __len__(self) -> int:
        return len(self._states)

    def __getitem__(self, index: int) -> State:
        return self._states[index]

    def take(self, entry: Entry, state: Callable[[], State]) -> None:
        """Keep the state after this fact, if nothing is open in it and the last place is not too near."""
        ends = isinstance(entry.fact, RunEnded | ToolFinished | Noted)
        if ends and entry.seq - self._states[-1].seq >= APART and _rests(entry.fact, after := state()):
            tasks = {BACKGROUND: after.notes.get(BACKGROUND, ())}
            self._states.append(after._replace(**{**NO_HISTORY, "notes": tasks}))

    def before(self, seq: int) -> int:
        """Return the index of the last place in front of fact number `seq`; there is none in front of 0."""
        return bisect_left(self._states, seq, key=_seq) - 1


def _rests(fact: Fact, state: State) -> bool:
    if isinstance(fact, ToolFinished):  # the last of its turn
        return state.running and not state.calls and not state.questions
    return not state.running and not state.queue


def _seq(state: State) -> int:
    return state.seq
