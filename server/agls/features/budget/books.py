"""What the budgets of one process share: the ledger, and which runs are on, for those that work for them."""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import field
from typing import NamedTuple, Protocol

from agls.engine.ledger import Ledger
from agls.engine.limits import Kind
from agls.engine.vocabulary import Limits, Stop
from agls.frozen import frozen


class Refusal(NamedTuple):
    """Of what nothing is left, and what the model is told."""

    kind: Kind
    text: str


class Purse(Protocol):
    """What a run and all that work for it spend from."""

    async def look(self) -> Stop | None:
        """Why no model may be asked any more, `None` while one may."""
        ...

    def refusal(self, tool: str, ahead: int) -> Refusal | None:
        """Why no tool of this name may be called any more, when so many calls come before this one."""
        ...

    def left(self) -> Limits:
        """What is left, by everything that holds for the run."""
        ...


@frozen
class Books:
    """The ledger, `now` in Unix seconds, whether the tool of a name `delegates` work, and who is on."""

    ledger: Ledger
    now: Callable[[], float]
    delegates: Callable[[str], bool]
    _purses: dict[str, Purse] = field(default_factory=dict[str, Purse])

    @contextmanager
    def opened(self, session_id: str, purse: Purse) -> Generator[None, None, None]:
        """Let those that work for this session spend from its run."""
        self._purses[session_id] = purse
        try:
            yield
        finally:
            if self._purses.get(session_id) is purse:
                del self._purses[session_id]

    def payers(self, session_id: str) -> tuple[Purse, ...]:
        """The purse of the run that is on in this session, if one is."""
        return (self._purses[session_id],) if session_id in self._purses else ()

    def left(self, session_id: str) -> Limits:
        """What is left for those that work for this session."""
        return next((purse.left() for purse in self.payers(session_id)), Limits())
