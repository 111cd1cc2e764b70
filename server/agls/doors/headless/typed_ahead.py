"""Prompts that somebody types while the agent works: they wait until it is done, or are sent at once."""

from collections.abc import Awaitable, Callable, Sequence


class TypedAhead:
    """What was typed so far.

    `send` puts a prompt into the run that is on, `act` does a command that need not wait for its end. Both
    return whether that was done.
    """

    def __init__(self, send: Callable[[str], Awaitable[bool]], act: Callable[[str], Awaitable[bool]]) -> None:
        self._send, self._act = send, act
        self._queued: list[str] = []
        self.draft = ""  # typed, and not yet sent

    @property
    def queued(self) -> tuple[str, ...]:
        """The prompts that wait, the next one first."""
        return tuple(self._queued)

    async def add(self, text: str) -> None:
        """Do this now, where it is a command that can be done, else let it wait behind the others."""
        if not await self._act(text):
            self._queued.append(text)

    def came(self, lines: Sequence[str], begun: str) -> None:
        """Let the lines wait that were typed before anybody read them; what was begun goes into the draft."""
        self._queued += lines
        self.draft += begun

    def edit_last(self) -> str:
        """Return the prompt that was typed last, which waits no more; "" where none does."""
        return self._queued.pop() if self._queued else ""

    async def send_now(self) -> None:
        """Send all that wait into the run; those that it does not take go on waiting."""
        texts, self._queued = self._queued, []
        kept = [text for text in texts if not await self._send(text)]
        self._queued = [*kept, *self._queued]

    def next(self) -> str | None:
        """Return the prompt whose turn it is, `None` where none waits."""
        return self._queued.pop(0) if self._queued else None

    def recall(self) -> None:
        """Put what waits into the draft: the run did not come to its end, so the user decides anew."""
        self.draft = "\n".join(filter(None, (*self._queued, self.draft)))
        self._queued = []

    def take_draft(self) -> str:
        """Return the draft, from which somebody goes on typing."""
        draft, self.draft = self.draft, ""
        return draft
