"""How a session stood when nothing was open in it: places from which all that followed can be made again."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import replace

from agls.engine.facts import BACKGROUND, Entry, Fact, Noted, Rewound, RunEnded, ToolFinished
from agls.engine.state import NO_HISTORY, State, fold_all

APART = 256  # facts at least from one place to the next
NEAR = 64  # facts at least from a place to the end of a session that is closed


def outline_of(state: State) -> State:
    """Return the state without what grows with the session, and without the words of the prompt.

    Of the notes of rooms it has those of background tasks: nothing else of a room goes on between two runs.
    """
    tasks = {BACKGROUND: notes} if (notes := state.notes.get(BACKGROUND)) else {}
    prompt = state.admitted and replace(state.admitted, content=())
    return state._replace(**{**NO_HISTORY, "notes": tasks, "admitted": prompt})


def outlined(entries: Sequence[Entry], rests: "Rests") -> State | None:
    """Return the outline of a session that does nothing, folded from its last known rest on.

    `None` where that would not be enough: it has none, something goes on, or the conversation was rewound
    since.
    """
    start = rests[-1]
    behind = entries[start.seq :]
    if not start.seq or any(isinstance(entry.fact, Rewound) for entry in behind):
        return None
    state = fold_all(behind, start=start)
    return None if state.running or state.queue else outline_of(state)


class Rests:
    """The outlines of a session between two runs or two turns (`outline_of`); the first is empty.

    Those that an earlier process found are `known`: the number of the fact, and what returns the outline.
    """

    def __init__(self, known: Sequence[tuple[int, Callable[[], State]]] = ()) -> None:
        self._seqs = [0, *(seq for seq, _ in known)]
        self._states: list[State | Callable[[], State]] = [State(), *(state for _, state in known)]

    def __len__(self) -> int:
        return len(self._states)

    @property
    def seqs(self) -> tuple[int, ...]:
        """The numbers of the facts behind which the places are."""
        return tuple(self._seqs)

    def __getitem__(self, index: int) -> State:
        state = self._states[index]
        if not isinstance(state, State):
            state = self._states[index] = state()
        return state

    def take(self, entry: Entry, state: Callable[[], State]) -> None:
        """Keep the state after this fact, if nothing is open in it and the last place is not too near."""
        ends = isinstance(entry.fact, RunEnded | ToolFinished | Noted)
        if ends and entry.seq - self._seqs[-1] >= APART and _rests(entry.fact, after := state()):
            self._seqs.append(entry.seq)
            self._states.append(outline_of(after))

    def with_end(self, state: State) -> "Rests":
        """Return these places and the end of the session, which stands there as `state` says.

        Who opens the session next has nothing to fold behind it. An end that was added earlier is left out,
        so that opening a session often adds no places. Where something goes on, or little came since, the
        places stay as they are.
        """
        last = len(self) - 1
        if last and self._seqs[last] - self._seqs[last - 1] < APART:
            last -= 1
        if not _is_idle(state) or state.seq - self._seqs[last] < NEAR or state.seq == self._seqs[-1]:
            return self
        ended = Rests()
        ended._seqs = [*self._seqs[: last + 1], state.seq]
        ended._states = [*self._states[: last + 1], outline_of(state)]
        return ended

    def before(self, seq: int) -> int:
        """Return the index of the last place in front of fact number `seq`; there is none in front of 0."""
        return bisect_left(self._seqs, seq) - 1


def _rests(fact: Fact, state: State) -> bool:
    if isinstance(fact, ToolFinished):  # the last of its turn
        return state.running and not state.calls and not state.questions
    return _is_idle(state)


def _is_idle(state: State) -> bool:
    return not state.running and not state.queue
