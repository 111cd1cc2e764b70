"""The user's consent to a server that a folder offers: looked at before each use, and while it runs."""

import asyncio
from collections.abc import Callable

from agls.room.mcp_ports import ServerConsent, ServerProblem

REVOKED = "{} was ended: its folder is not trusted any more, or the user withdrew their consent to it."
NOT_THE_SAME = "{} is not what the user consented to any more, so it was not started. The next prompt asks."
LOOKED_AGAIN = 2.0  # seconds


class ConsentWatch:
    """Ends a server (`end`) when the user withdrew their consent, here or in another process.

    Without a `consent` it needs none.
    """

    def __init__(self, name: str, end: Callable[[], object]) -> None:
        self._name, self._end = name, end
        self.consent: ServerConsent | None = None
        self._is_revoked = False
        self._next: asyncio.TimerHandle | None = None

    def revoke(self) -> None:
        """End it, also for runs that began with it: none starts it again."""
        self._is_revoked = True
        self._end()

    async def check(self) -> None:
        """Look before it is used. **Raises** `ServerProblem` when the consent was withdrawn."""
        if self.consent and not await asyncio.to_thread(self.consent.stands):
            self.revoke()
        if self._is_revoked:
            raise ServerProblem(REVOKED.format(self._name))

    async def check_start(self) -> None:
        """Look before it is started. **Raises** `ServerProblem` when it is something else by now."""
        if self.consent and not await asyncio.to_thread(self.consent.holds):
            raise ServerProblem(NOT_THE_SAME.format(self._name))

    def begin(self) -> None:
        """It runs: look again and again, without a task of its own."""
        self.stop()
        if self.consent:
            loop = asyncio.get_running_loop()
            self._next = loop.call_later(LOOKED_AGAIN, self._look, loop, self.consent)

    def stop(self) -> None:
        """It ended."""
        if self._next:
            self._next.cancel()
        self._next = None

    def _look(self, loop: asyncio.AbstractEventLoop, consent: ServerConsent) -> None:
        loop.run_in_executor(None, consent.stands).add_done_callback(self._looked)

    def _looked(self, looked: asyncio.Future[bool]) -> None:
        if self._next is None or looked.cancelled() or looked.exception():
            return
        if looked.result():
            self.begin()
        else:
            self.revoke()
