"""Progress of a run, for a client that asked for it: what the agent does now, and signs of life."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import suppress

from agls.engine.facts import Entry, ToolStarted, TurnStarted
from agls.engine.log import Event
from agls.engine.state import State
from agls.views.values import call_title

PAUSE = 0.25  # seconds between two reports: in between, the last one counts
SIGN_OF_LIFE = 10.0  # seconds without anything new; many clients give up after a minute


class RunProgress:
    """The last thing that a run did, and in which session. `end` ends the reports."""

    def __init__(self) -> None:
        self.session_id = ""
        self._news, self._over = asyncio.Event(), asyncio.Event()
        self._said = ""
        self._count = 0

    def observe(self, event: Event, state: State) -> None:
        """Take note of what happens in the session."""
        match event.fact if isinstance(event, Entry) else None:
            case TurnStarted(model=model):
                self._say(f"asks {model}")
            case ToolStarted(_, name, arguments):
                self._say(call_title(name, arguments))
            case _:
                pass

    def _say(self, words: str) -> None:
        """Report this, unless something else comes at once."""
        self._said = f"{self.session_id}: {words}"
        self._count += 1
        self._news.set()

    def end(self) -> None:
        """Report nothing any more."""
        self._over.set()
        self._news.set()

    async def reports(self) -> AsyncGenerator[tuple[int, str]]:
        """Yield numbers that grow, each with what is done then, until the end."""
        while not self._over.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(self._news.wait(), SIGN_OF_LIFE)
            if self._over.is_set():
                return
            self._count += not self._news.is_set()
            self._news.clear()
            yield self._count, self._said
            with suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), PAUSE)
