"""What the workspace needs from an editor: its open documents, and edits made through it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from aglet.engine.ports import WorkspaceError


@dataclass(frozen=True, slots=True)
class Buffer:
    """An open document as the editor last told it; `version` is the editor's own count."""

    uri: str
    version: int
    text: str


class Editor(Protocol):
    """An editor with open documents. URIs are compared after normalisation by the editor."""

    def buffer(self, uri: str) -> Buffer | None:
        """The open document with this URI."""
        ...

    def buffers(self) -> Sequence[Buffer]:
        """All open documents."""
        ...

    async def replace(self, buffer: Buffer, text: str, label: str) -> Buffer:
        """Turn `buffer` into `text` by one versioned edit, and give the document as it is then.

        Raises `Stale` when the document is no longer at `buffer.version` or does not hold `text`
        afterwards, and `WorkspaceError` when the editor refuses.
        """
        ...


class NoEditor:
    """Nobody has a document open: the disk is the truth."""

    def buffer(self, uri: str) -> Buffer | None:
        """No document is open."""
        return None

    def buffers(self) -> Sequence[Buffer]:
        """No document is open."""
        return ()

    async def replace(self, buffer: Buffer, text: str, label: str) -> Buffer:
        """There is nothing to edit."""
        raise WorkspaceError("no editor is connected")
