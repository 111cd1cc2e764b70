"""The waiting runs of a session, rearranged by its user: each request that has a key is followed once."""

from contextlib import suppress

from agls.engine.admission import REQUESTS, KeyConflict, Refused, Request
from agls.engine.facts import Admitted, Fact, Noted, QueueChanged
from agls.engine.session import Session
from agls.engine.vocabulary import Content

CHANGED = (QueueChanged,)
REPLACED = (QueueChanged, Admitted)


def followed(session: Session, request: Request, facts: tuple[type[Fact], ...]) -> bool:
    """Whether this was done before, by whatever process; `facts` are what doing it leaves.

    What a crash broke off in the middle was not done. Raises `Refused` (`keyConflict`).
    """
    known = [note.data for note in session.state.notes.get(REQUESTS, ()) if "key" in note.data]
    mine = [data for data in known if data["key"] == request.key]
    if not mine:
        return False
    if mine[-1]["asked"] != request.asked:
        raise KeyConflict
    behind = session.log.journal.entries(mine[-1]["seq"])[: len(facts)]
    return tuple(type(entry.fact) for entry in behind) == facts


def remove(session: Session, item_id: str, request: Request) -> None:
    """This prompt shall not run: it ends cancelled. Raises `Refused` (`noSuchItem`)."""
    run_id = _run_of(session, item_id)
    _note(session, request)
    if not session.cancel(run_id).dropped:  # it was just about to begin
        session.log.record(QueueChanged(tuple(admitted.run_id for admitted in session.state.queue)))


def move(session: Session, item_id: str, to: int, request: Request) -> None:
    """This prompt shall be number `to` in the queue, counted from 0. Raises `Refused` (`noSuchItem`)."""
    run_id = _run_of(session, item_id)
    _note(session, request)
    _put(session, run_id, to)


async def replace(session: Session, item_id: str, content: tuple[Content, ...], request: Request) -> None:
    """Another prompt takes the place of this one, with its options. Raises `Refused` (`noSuchItem`)."""
    run_id = _run_of(session, item_id)
    place, old = next((n, a) for n, a in enumerate(session.state.queue) if a.run_id == run_id)
    _note(session, request)
    session.cancel(run_id)  # in one step with the admission: it cannot begin in between
    admission = await session.prompt(content, options=old.options)
    with suppress(Refused):  # it may have begun
        _put(session, _run_of(session, admission.item_id), place)


def _note(session: Session, request: Request) -> None:
    """Write down, right before the change of the queue, for which request it is."""
    if request.key:
        data = {"key": request.key, "asked": request.asked, "seq": session.state.seq + 1}
        session.log.record(Noted(REQUESTS, "queue", data))


def _put(session: Session, run_id: str, to: int) -> None:
    order = [admitted.run_id for admitted in session.state.queue]
    order.remove(run_id)
    order.insert(max(0, to), run_id)
    session.log.record(QueueChanged(tuple(order)))


def _run_of(session: Session, item_id: str) -> str:
    for admitted in session.state.queue:
        if admitted.item_id == item_id:
            return admitted.run_id
    raise Refused("That prompt does not wait (any more): it runs, has run, or was removed.", "noSuchItem")
