"""What the workspace needs from an editor: its open documents, and edits made through it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import Focus
from agls.workspace.buffer_sync import Buffer, BufferSync


class Editor(Protocol):
    """An editor with open documents. URIs are compared after normalisation by the editor."""

    @property
    def sync(self) -> BufferSync:
        """When its documents and the disk last held the same."""
        ...

    @property
    def can_save(self) -> bool:
        """Whether it saves when it is asked to."""
        ...

    @property
    def focus(self) -> Focus | None:
        """Where its user looks, as far as it tells; the path is a URI."""
        ...

    @property
    def follows(self) -> bool:
        """Whether its user wants to see where the agent works."""
        ...

    def reveal(self, uri: str, line: int) -> None:
        """Show its user this line, from 0, of a file; nobody waits for that."""
        ...

    def buffer(self, uri: str) -> Buffer | None:
        """The open document with this URI. Raises `WorkspaceError` when its text is not known."""
        ...

    def buffers(self) -> Sequence[Buffer]:
        """All open documents whose text is known."""
        ...

    @property
    def lost(self) -> Collection[str]:
        """The URIs of the others."""
        ...

    async def replace(self, buffer: Buffer, text: str, label: str) -> Buffer:
        """Turn `buffer` into `text` by one versioned edit, and give the document as it was right then.

        Raises `Stale` when the document is no longer at `buffer.version` or did not hold `text`
        afterwards, and `WorkspaceError` when the editor refuses.
        """
        ...

    async def save(self, documents: Sequence[Buffer], session_id: str, reason: str) -> Mapping[str, str]:
        """Have these versions of documents saved, in the editor's own way.

        Returns by URI why one was not saved. What the editor says is no proof: look at the disk.
        """
        ...

    def tell(self, uri: str, *, created: bool) -> None:
        """The disk holds something new for this file; the editor may want to show it."""
        ...


class NoEditor:
    """Nobody has a document open: the disk is the truth."""

    can_save = False
    focus = None
    follows = False

    def __init__(self) -> None:
        self.sync = BufferSync()

    def reveal(self, uri: str, line: int) -> None:
        """Nobody looks."""

    def buffer(self, uri: str) -> Buffer | None:
        """No document is open."""
        return None

    def buffers(self) -> Sequence[Buffer]:
        """No document is open."""
        return ()

    @property
    def lost(self) -> Collection[str]:
        """No document is open."""
        return ()

    async def replace(self, buffer: Buffer, text: str, label: str) -> Buffer:
        """There is nothing to edit."""
        raise WorkspaceError("no editor is connected")

    async def save(self, documents: Sequence[Buffer], session_id: str, reason: str) -> Mapping[str, str]:
        """There is nothing to save."""
        return {}

    def tell(self, uri: str, *, created: bool) -> None:
        """Nobody is there to hear it."""
