"""What somebody typed, as the content of a prompt: its text, and beside it what the rooms find in it."""

from collections.abc import Sequence
from typing import Protocol

from agls.engine.session import Session
from agls.engine.vocabulary import Content, Resource, ResourceLink, Text
from agls.room import Piece


class TextReader(Protocol):
    """Understands what somebody typed."""

    async def expand(self, session: Session, text: str) -> Sequence[Piece]:
        """**Returns** what the text means besides its words. **Raises** `ConfigError`."""
        ...


async def understood(
    reader: TextReader, session: Session, content: tuple[Content, ...], key: str = ""
) -> tuple[Content, ...]:
    """**Returns** the content and what its texts point at that is not in it.

    A request that is repeated under its `key` means what it meant the first time. **Raises** `ConfigError`.
    """
    known = session.state.keys.get(key)
    if known and known[0].content[: len(content)] == content:
        return known[0].content
    there = {part.uri for part in content if isinstance(part, Resource | ResourceLink)}
    text = "\n".join(part.text for part in content if isinstance(part, Text))
    return (*content, *(piece for piece in await reader.expand(session, text) if piece.uri not in there))
