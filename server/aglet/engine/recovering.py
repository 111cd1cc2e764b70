"""Going on with what a crash or a shutdown cut off: how often that was tried, what is left of its limits."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields

from aglet.engine.facts import Admitted, Answered, Asked, Entry, RunEnded, RunStarted
from aglet.engine.session import Session
from aglet.engine.state import State, Totals
from aglet.engine.vocabulary import JsonObject, Limits, StopReason

Bounds = tuple[Limits, float | None]  # what a run may spend, and its seconds
ATTEMPTS = 3  # of going on with the same run, without being told to
NAMES = {"max_cost_usd": "cost"}  # limits whose totals are not called like them


def cut_off(state: State) -> str:
    """The last run when the end of its process ended it, "" for every other end."""
    return state.run_id if state.stop and state.stop.reason is StopReason.INTERRUPTED else ""


async def go_on(session: Session) -> str:
    """Begin what was cut off, and behind it what still waits; gives the run that begins, "" for none.

    The run has no new input, and what is left of its limits (`left_of`).
    """
    if session.state.running:
        return ""
    if run_id := cut_off(session.state):
        return (await session.prompt((), "interrupt", recovers=run_id)).run_id
    if not session.state.queue:
        return ""
    first = session.state.queue[0].run_id
    session.start_next()
    return first


def attempts(entries: Iterable[Entry]) -> int:
    """How many runs in a row, up to the last, went on with one that was cut off, and were cut off as well."""
    return max(0, len(_chain(entries)) - 1)


def left_of(session: Session, admitted: Admitted, usual: Bounds, asked: Bounds) -> Bounds:
    """What a run may spend: what is left when it goes on with one that was cut off, else the usual.

    `usual` are those of a run that begins anew, `asked` those that were asked for with this very run: they
    count from here on. What is not limited is `None` in all of them.
    """
    state = session.state
    if not admitted.recovers or cut_off(state) != admitted.recovers:
        return usual
    left: JsonObject = {f.name: _left(state, f.name, usual[0], asked[0]) for f in fields(Limits)}
    limits = Limits(**left)
    if usual[1] is None or asked[1] is not None:
        return limits, usual[1]
    return limits, max(0.0, usual[1] - seconds_used(session.log.journal.entries()))


def remaining(state: State) -> dict[str, float]:
    """What is left of each limit of the running run, by the name of its field."""
    given = ((f.name, getattr(state.limits, f.name)) for f in fields(Limits))
    return {name: max(0, limit - _used(state.run, name)) for name, limit in given if limit is not None}


def seconds_used(entries: Sequence[Entry]) -> float:
    """The time that the runs took that were cut off and gone on with, up to the last; questions not counted.

    Seconds between facts: a clock that was set back counts as standing still, and what passed between the
    last fact of a run and its being cut off is not known.
    """
    runs = _chain(entries)
    return sum(_seconds(entries, runs))


def _left(state: State, name: str, usual: Limits, asked: Limits) -> float | None:
    before, now = getattr(state.limits, name), getattr(usual, name)
    if before is None or getattr(asked, name) is not None:
        return now
    left = max(0, before - _used(state.run, name))
    return left if now is None else min(left, now)


def _used(totals: Totals, name: str) -> float:
    return getattr(totals, NAMES.get(name, name.removeprefix("max_")), 0)


def _chain(entries: Iterable[Entry]) -> tuple[str, ...]:
    """The last run that began, if it was cut off, behind those that it went on with."""
    recovers: dict[str, str] = {}
    chain: tuple[str, ...] = ()
    for entry in entries:
        match entry.fact:
            case Admitted(run_id, recovers=cut) if cut:
                recovers[run_id] = cut
            case RunStarted(run_id):
                goes_on = bool(chain) and recovers.get(run_id) == chain[-1]
                chain = (*chain, run_id) if goes_on else (run_id,)
            case RunEnded(run_id, stop) if chain and run_id == chain[-1]:
                chain = chain if stop.reason is StopReason.INTERRUPTED else ()
            case _:
                pass
    return chain


def _seconds(entries: Iterable[Entry], runs: Sequence[str]) -> Iterator[float]:
    running, last = "", 0.0
    questions: set[str] = set()
    for entry in entries:
        if running in runs and not questions and not isinstance(entry.fact, RunEnded):
            yield max(0.0, entry.at - last)
        last = entry.at
        match entry.fact:
            case RunStarted(run_id):
                running = run_id
            case RunEnded(run_id) if run_id == running:
                running = ""
                questions.clear()
            case Asked(request_id):
                questions.add(request_id)
            case Answered(request_id):
                questions.discard(request_id)
            case _:
                pass
