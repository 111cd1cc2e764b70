"""Changes of the queue that its user asks for: a request that has a key changes it once."""

from contextlib import suppress

from agls.engine.admission import REQUESTS, ClientRequest, KeyConflict, Refused
from agls.engine.facts import Admitted, Fact, Noted, QueueChanged
from agls.engine.session import Session
from agls.engine.vocabulary import Content

CHANGED = (QueueChanged,)
REPLACED = (QueueChanged, Admitted)


def followed(session: Session, request: ClientRequest, facts: tuple[type[Fact], ...]) -> bool:
    """Return whether this request was carried out before, by whatever process.

    `facts` are what it records; one that a crash broke off in the middle does not count.
    **Raises** `Refused` (`keyConflict`).
    """
    known = [note.data for note in session.state.notes.get(REQUESTS, ()) if "key" in note.data]
    mine = [data for data in known if data["key"] == request.key]
    if not mine:
        return False
    if mine[-1]["asked"] != request.asked:
        raise KeyConflict
    behind = session.log.journal.entries(mine[-1]["seq"])[: len(facts)]
    return tuple(type(entry.fact) for entry in behind) == facts


def remove(session: Session, item_id: str, request: ClientRequest) -> None:
    """Take a prompt out of the queue: its run ends cancelled. **Raises** `Refused` (`noSuchItem`)."""
    run_id = _run_of(session, item_id)
    _note(session, request)
    if not session.cancel(run_id).dropped:  # it was just about to begin
        session.log.record(QueueChanged(tuple(admitted.run_id for admitted in session.state.queue)))


def move(session: Session, item_id: str, to: int, request: ClientRequest) -> None:
    """Move a prompt to place `to` of the queue, counted from 0. **Raises** `Refused` (`noSuchItem`)."""
    run_id = _run_of(session, item_id)
    _note(session, request)
    _put(session, run_id, to)


async def replace(
    session: Session, item_id: str, content: tuple[Content, ...], request: ClientRequest
) -> None:
    """Put another prompt in the place of this one, with its options. **Raises** `Refused` (`noSuchItem`)."""
    run_id = _run_of(session, item_id)
    place, old = next((n, a) for n, a in enumerate(session.state.queue) if a.run_id == run_id)
    _note(session, request)
    session.cancel(run_id)  # in one step with the admission: it cannot begin in between
    admission = await session.prompt(content, options=old.options)
    with suppress(Refused):  # it may have begun
        _put(session, _run_of(session, admission.item_id), place)


def _note(session: Session, request: ClientRequest) -> None:
    """Record for which request the change is that follows."""
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
    raise Refused(
        "That prompt is not (or no longer) waiting: it runs, has run, or was removed.", "noSuchItem"
    )
