"""Text typed by a user: a command, or a prompt with the references that the rooms find in it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from agls.commands import TypedCommand, command_in, unescaped
from agls.doors.from_wire import GivenFile
from agls.engine.run_action import actions
from agls.engine.session import Session
from agls.engine.vocabulary import Content, Resource, ResourceLink, Text
from agls.room import Piece


class TextReader(Protocol):
    """Understands text typed by a user."""

    async def expand(self, session: Session, text: str) -> Sequence[Piece]:
        """Return the meaning of the text besides its words. **Raises** `ConfigError`."""
        ...


def command_of(session: Session, content: Sequence[Content | GivenFile]) -> TypedCommand | None:
    """**Returns** the command that the text is, `None` for a prompt. **Raises** `ConfigError`."""
    text = _text_of(content)
    return command_in(text, actions(session)) if text.lstrip().startswith("/") else None


async def understood(
    reader: TextReader, session: Session, content: tuple[Content, ...], key: str = ""
) -> tuple[Content, ...]:
    """Return the content of a prompt with everything its texts point at.

    A request that is repeated under its `key` means what it meant the first time.

    **Raises** `ConfigError`.
    """
    content = _unescaped(session, content)
    known = session.state.keys.get(key)
    if known and known[0].content[: len(content)] == content:
        return known[0].content
    there = {part.uri for part in content if isinstance(part, Resource | ResourceLink)}
    found = await reader.expand(session, _text_of(content))
    return (*content, *(piece for piece in found if piece.uri not in there))


def _text_of(content: Sequence[Content | GivenFile]) -> str:
    return "\n".join(part.text for part in content if isinstance(part, Text))


def _unescaped(session: Session, content: tuple[Content, ...]) -> tuple[Content, ...]:
    """Return the content with one slash instead of two before the name of a command."""
    for place, part in enumerate(content):
        if isinstance(part, Text) and part.text.strip():
            if not part.text.lstrip().startswith("//"):
                break
            text = replace(part, text=unescaped(part.text, actions(session)))
            return (*content[:place], text, *content[place + 1 :])
    return content
