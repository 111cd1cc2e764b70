"""The waiting runs of a session, rearranged by its user."""

from contextlib import suppress

from aglet.engine.admission import Refused
from aglet.engine.facts import QueueChanged
from aglet.engine.session import Session
from aglet.engine.vocabulary import Content


def remove(session: Session, item_id: str) -> None:
    """This prompt shall not run: it ends cancelled. Raises `Refused` (`noSuchItem`)."""
    session.cancel(_run_of(session, item_id))


def move(session: Session, item_id: str, to: int) -> None:
    """This prompt shall be number `to` in the queue, counted from 0. Raises `Refused` (`noSuchItem`)."""
    run_id = _run_of(session, item_id)
    order = [admitted.run_id for admitted in session.state.queue]
    order.remove(run_id)
    order.insert(max(0, to), run_id)
    session.log.record(QueueChanged(tuple(order)))


async def replace(session: Session, item_id: str, content: tuple[Content, ...]) -> None:
    """Another prompt takes the place of this one, with its options. Raises `Refused` (`noSuchItem`)."""
    run_id = _run_of(session, item_id)
    place, old = next((n, a) for n, a in enumerate(session.state.queue) if a.run_id == run_id)
    session.cancel(run_id)  # in one step with the admission: it cannot begin in between
    admission = await session.prompt(content, options=old.options)
    with suppress(Refused):  # it may have begun
        move(session, admission.item_id, place)


def _run_of(session: Session, item_id: str) -> str:
    for admitted in session.state.queue:
        if admitted.item_id == item_id:
            return admitted.run_id
    raise Refused("That prompt does not wait (any more): it runs, has run, or was removed.", "noSuchItem")
