"""What comes next in a conversation: what the user types, or a run that the session began by itself."""

import asyncio

from agls.doors.headless.chat_prompts import Prompts
from agls.engine.facts import Admitted, Entry
from agls.engine.log import Event
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Text
from agls.frozen import frozen


@frozen
class BegunRun:
    """A run that nobody here typed the prompt of."""

    run_id: str
    prompt: str


async def next_input(session: Session, prompts: Prompts, draft: str, since: int) -> str | BegunRun | None:
    """Return what is typed, `None` when no more will come, or a run that began behind the fact `since`."""
    begun: asyncio.Future[BegunRun] = asyncio.get_running_loop().create_future()

    def observe(event: Event, state: State) -> None:
        if isinstance(event, Entry) and isinstance(event.fact, Admitted) and not begun.done():
            begun.set_result(_run_of(event.fact))

    if missed := _missed(session, since):
        begun.set_result(missed)
    leave = session.log.subscribe(observe)
    try:
        async with asyncio.TaskGroup() as group:
            typing = group.create_task(prompts.next(session, draft))
            await asyncio.wait({typing, begun}, return_when=asyncio.FIRST_COMPLETED)
            typing.cancel()  # nothing happens where something was typed
    finally:
        leave()
    return begun.result() if typing.cancelled() else typing.result()


def _missed(session: Session, since: int) -> BegunRun | None:
    if session.state.running and session.state.admitted:
        return _run_of(session.state.admitted)
    facts = (entry.fact for entry in session.log.journal.of(Admitted, since))
    return next((_run_of(fact) for fact in facts if isinstance(fact, Admitted)), None)


def _run_of(admitted: Admitted) -> BegunRun:
    said = (part.text for part in admitted.content if isinstance(part, Text))
    return BegunRun(admitted.run_id, "\n".join(said))
