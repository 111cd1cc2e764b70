"""Whoever listens to the wire: nobody, unless a wire dump is wanted (`wire_dump.py`)."""

from collections.abc import Callable, Iterable


class Tap:
    """Hears every message, from any thread. This one keeps nothing."""

    def received(self, body: bytes) -> None:
        """Take a message of the client."""

    def sent(self, frame: bytes) -> None:
        """Take a frame of the server."""

    def know(self, secrets: Callable[[], Iterable[str]]) -> None:
        """Learn the keys: from now on `secrets` returns all of them, as they are at that time."""

    def close(self) -> None:
        """Take nothing more."""


NO_TAP = Tap()
