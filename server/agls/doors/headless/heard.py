"""What is said in a session before anybody listens to it: kept, and told when somebody does."""

from agls.engine.facts import Entry, Noted, Transient
from agls.engine.session import Session
from agls.engine.state import State


class Heard:
    """Listens to a session, or to the sketch that a prompt is looked at in before its session is made."""

    def __init__(self, session: Session) -> None:
        self._source = session
        self._target: Session | None = None
        self._waiting: list[Noted | Transient] = []
        self._leave = session.log.subscribe(self._hear)

    def pass_on(self, session: Session) -> None:
        """Show in this session what was shown in the other, and note what was noted, also from now on."""
        if session is self._source:
            self._leave()
        self._target = session
        for said in self._waiting:
            self._tell(session, said)
        self._waiting.clear()

    def _hear(self, event: Entry | Transient, state: State) -> None:
        if not isinstance(event, Entry):
            said = event
        elif isinstance(event.fact, Noted):
            said = event.fact
        else:
            return
        if self._target:
            self._tell(self._target, said)
        else:
            self._waiting.append(said)

    def _tell(self, session: Session, said: Noted | Transient) -> None:
        if not isinstance(said, Noted):
            session.log.show(said)
        elif session is not self._source:
            session.log.record(said)
