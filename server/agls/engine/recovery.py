"""Continuing a run that a crash or a shutdown interrupted: how often, and with what is left of its limits."""

from collections.abc import Iterable
from dataclasses import replace

from agls.engine.facts import Admitted, Entry, QueueChanged, RunEnded, RunStarted
from agls.engine.limits import FIELDS, left, tightest
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Limits, StopReason

ATTEMPTS = 3  # automatic continuations of the same run


def interrupted_run(state: State) -> str:
    """Return the last run when the end of its process interrupted it, "" for every other end."""
    return state.run_id if state.stop and state.stop.reason is StopReason.INTERRUPTED else ""


async def continue_interrupted(session: Session) -> str:
    """Continue the interrupted run, and behind it what still waits.

    The run has no new input, and what is left of its limits (`left_of`). **Returns** the run that begins, ""
    for none.
    """
    queue = session.state.queue
    if session.state.running:
        return ""
    if run_id := interrupted_run(session.state):
        goes_on = [waiting for waiting in queue if waiting.recovers == run_id]
        if not goes_on:
            return (await session.prompt((), "interrupt", recovers=run_id)).run_id
        queue = (
            *goes_on,
            *(waiting for waiting in queue if waiting not in goes_on),
        )  # it died before that began
        session.log.record(QueueChanged(tuple(waiting.run_id for waiting in queue)))
    if not queue:
        return ""
    session.start_next()
    return queue[0].run_id


def attempts(entries: Iterable[Entry]) -> int:
    """Return how many runs in a row, up to the last, continued another and were interrupted like it."""
    return max(0, len(_chain(entries)) - 1)


def left_of(state: State, admitted: Admitted, usual: Limits, asked: Limits) -> Limits:
    """Return what a run may spend: what is left when it continues an interrupted one, else the usual.

    `usual` are those of a run that begins anew, `asked` those that were asked for with this very run: they
    count from here on.
    """
    if not admitted.recovers or interrupted_run(state) != admitted.recovers:
        return usual
    rest = left(state.limits, state.run)
    kept = {field: None for field in FIELDS if getattr(asked, field) is not None}
    return tightest(usual, replace(rest, **kept))


def _chain(entries: Iterable[Entry]) -> tuple[str, ...]:
    """Return the last run that began, if it was interrupted, behind those that it continued."""
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
