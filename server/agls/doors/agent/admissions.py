"""Requests for runs that are not admitted yet, so that what ends a session's work reaches them as well."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import asynccontextmanager
from typing import NamedTuple

from agls.doors.agent.call import Call
from agls.engine.vocabulary import Stop


class Admission(NamedTuple):
    """A run that is asked for and not admitted yet; whether it `follows` another that was there before.

    `apart` is set while it has not come to its session, and when it is over: nobody has to wait for it.
    """

    session_id: str
    follows: bool
    apart: asyncio.Event


class Admissions:
    """All that are under way. Those that are cancelled are admitted all the same, and end at once."""

    def __init__(self) -> None:
        self._admitting: dict[Call, Admission] = {}

    @asynccontextmanager
    async def under_way(
        self, session_id: str, call: Call, *, busy: bool, opens: Awaitable[None]
    ) -> AsyncGenerator[None]:
        """While a run is admitted to this session, `busy` with others or not, as soon as that `opens`."""
        follows = busy or bool(self._of(session_id))
        self._admitting[call] = admission = Admission(session_id, follows, asyncio.Event())
        admission.apart.set()
        try:
            await opens
            admission.apart.clear()
            yield
        finally:
            del self._admitting[call]
            admission.apart.set()

    def cancel(self, session_id: str, stop: Stop, *, all: bool) -> bool:
        """Cancel the run that is about to be admitted and follows no other, or `all`; False for none."""
        meant = [call for call, one in self._of(session_id).items() if all or not one.follows]
        for call in meant:
            call.cancelled, call.stop = True, stop
        return bool(meant)

    async def over(self, session_id: str) -> None:
        """Wait until those that are under way now are admitted or refused."""
        for one in self._of(session_id).values():
            await one.apart.wait()

    def _of(self, session_id: str) -> dict[Call, Admission]:
        return {call: one for call, one in self._admitting.items() if one.session_id == session_id}
