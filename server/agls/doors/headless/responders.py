"""The port of the responder to the questions of a headless run."""

from typing import Protocol

from agls.engine.session import Session


class Responder(Protocol):
    """Answers the questions of a run and of its children.

    `attach` is called before the run of a session begins, so that the run may ask, and before that of each
    of its children. `invokes` says whether the responder can invoke actions. `serve` works while the run is
    on and is cancelled after it. `settle` is called between the two: it finishes what was begun and waits
    for nothing new.
    """

    @property
    def invokes(self) -> bool: ...
    def attach(self, session: Session) -> None: ...
    async def serve(self, session: Session) -> None: ...
    async def settle(self) -> None: ...


class Nobody:
    """The responder where nobody is there: every question is refused at once."""

    invokes = False

    def attach(self, session: Session) -> None:
        """Do nothing: the session asks nobody."""

    async def serve(self, session: Session) -> None:
        """Do nothing."""

    async def settle(self) -> None:
        """Return at once: there is nothing to finish."""
