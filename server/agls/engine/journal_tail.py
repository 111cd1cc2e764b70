"""A session that another process writes, followed as it grows."""

import asyncio

from agls.engine.facts import Notice
from agls.engine.log import Log
from agls.engine.ports import JournalError, Tail

PAUSE = 0.1  # seconds between two looks at the file
RELEASED = Notice(
    "info",
    "No other process writes this session any more",
    "Go on with it here: take control of it (agent/resume with takeControl).",
)


class TailFollower:
    """Copies the entries of another process into this log; records nothing itself."""

    def __init__(self, log: Log, tail: Tail) -> None:
        self.log = log
        self._tail = tail

    async def catch_up(self) -> None:
        """Publish the entries that are new.

        **Raises** `JournalError` when it is not the same session any more.
        """
        await asyncio.to_thread(self._tail.more)
        for entry in self._tail.entries(self.log.state.seq):
            self.log.take(entry)

    async def follow(self) -> None:
        """Catch up every `PAUSE` seconds until cancelled; show a notice when the other process lets go."""
        held = True
        try:
            while True:
                was_held, held = held, await asyncio.to_thread(self._tail.held)
                await self.catch_up()
                if was_held and not held:
                    self.log.show(RELEASED)
                await asyncio.sleep(PAUSE)
        except JournalError as lost:
            self.log.show(Notice("error", "The session cannot be followed any more", str(lost)))
