"""Who is there while a run is on."""

from typing import Protocol

from agls.engine.session import Session


class Company(Protocol):
    """Somebody who may answer questions.

    `attend` comes before the run of a session begins, so that it may ask, and before that of each of its
    children; `invokes` is whether it can invoke actions; `serve` works while the run is on and is
    cancelled after it; `settle` comes between: what was begun is finished, nothing new is waited for.
    """

    @property
    def invokes(self) -> bool: ...
    def attend(self, session: Session) -> None: ...
    async def serve(self, session: Session) -> None: ...
    async def settle(self) -> None: ...


class Nobody:
    """Nobody is there: every question is refused at once."""

    invokes = False

    def attend(self, session: Session) -> None:
        """Take no seat."""

    async def serve(self, session: Session) -> None:
        """Do nothing."""

    async def settle(self) -> None:
        """There is nothing to finish."""
