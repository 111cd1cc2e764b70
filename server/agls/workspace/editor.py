"""The needs of the workspace from an editor: its open documents, and edits made through it."""

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import Focus, JsonObject
from agls.workspace.buffer_sync import Buffer, BufferSync


class Editor(Protocol):
    """An editor with open documents. URIs are compared after normalisation by the editor."""

    @property
    def name(self) -> str:
        """What the user calls it, "" for none."""
        ...

    @property
    def sync(self) -> BufferSync:
        """The last common states of its documents and the disk."""
        ...

    @property
    def can_save(self) -> bool:
        """Whether it saves when it is asked to."""
        ...

    @property
    def focus(self) -> Focus | None:
        """The place where its user looks, as far as it is known; the path is a URI."""
        ...

    @property
    def follows(self) -> bool:
        """Whether its user wants to see where the agent works."""
        ...

    def reveal(self, uri: str, line: int) -> None:
        """Show its user this line, from 0, of a file; nobody waits for that."""
        ...

    def buffer(self, uri: str) -> Buffer | None:
        """Return the open document with this URI. **Raises** `WorkspaceError` when its text is not known."""
        ...

    def buffers(self) -> Sequence[Buffer]:
        """Return all open documents whose text is known."""
        ...

    @property
    def lost(self) -> Collection[str]:
        """The URIs of the others."""
        ...

    async def replace(self, buffer: Buffer, text: str, label: str) -> Buffer:
        """Turn `buffer` into `text` by one versioned edit.

        **Returns** the document as it was right then. **Raises** `Stale` when the document is no longer at
        `buffer.version` or did not hold `text` afterwards, and `WorkspaceError` when the editor refuses.
        """
        ...

    async def save(self, documents: Sequence[Buffer], session_id: str, reason: str) -> Mapping[str, str]:
        """Have these versions of documents saved, in the editor's own way.

        The editor's answer is no proof: look at the disk.

        **Returns** by URI why one was not saved.
        """
        ...

    async def diagnostics(
        self, session_id: str, uri: str = "", wait: float = 0.0
    ) -> Mapping[str, Sequence[JsonObject]]:
        """Return what it shows as wrong (LSP 3.17, Diagnostic), by URI; nothing when it does not say that.

        With a `uri` only of that file, which changed just now if there is a time to `wait` for that.
        """
        ...

    @property
    def encoding(self) -> str:
        """The unit of positions."""
        ...

    @property
    def knows_code(self) -> bool:
        """Whether it asks its language servers when it is asked to."""
        ...

    @property
    def has_notebooks(self) -> bool:
        """Whether it shows and changes the notebooks that it has open."""
        ...

    async def ask_notebook(self, method: str, params: JsonObject) -> JsonObject:
        """Ask for a notebook, or for a change of one (`agent/notebook`, `agent/editNotebook`).

        **Returns** its answer. **Raises** `Stale` when it is not known what was done, and `WorkspaceError`.
        """
        ...

    async def ask_servers(
        self, session_id: str, method: str, params: JsonObject, seconds: float
    ) -> tuple[bool, object]:
        """Ask its language servers (LSP 3.17).

        **Returns** whether one of them knows such files, and its answer. **Raises** `WorkspaceError`.
        """
        ...

    def report_written(self, uri: str, *, created: bool) -> None:
        """Notify the editor that the disk holds something new for this file."""
        ...


class NoEditor:
    """No editor: no document is open, and the disk is the truth. `name` is what the user works with."""

    can_save = False
    encoding = "utf-16"
    knows_code = False
    has_notebooks = False
    focus = None
    follows = False

    def __init__(self, name: str = "") -> None:
        self.name = name
        self.sync = BufferSync()

    def reveal(self, uri: str, line: int) -> None:
        """Do nothing: nobody looks."""

    def buffer(self, uri: str) -> Buffer | None:
        """Return `None`: no document is open."""
        return None

    def buffers(self) -> Sequence[Buffer]:
        """Return nothing: no document is open."""
        return ()

    @property
    def lost(self) -> Collection[str]:
        """No document is open."""
        return ()

    async def replace(self, buffer: Buffer, text: str, label: str) -> Buffer:
        """Refuse: no document is open."""
        raise WorkspaceError("no editor is connected")

    async def save(self, documents: Sequence[Buffer], session_id: str, reason: str) -> Mapping[str, str]:
        """Save nothing: no document is open."""
        return {}

    async def diagnostics(
        self, session_id: str, uri: str = "", wait: float = 0.0
    ) -> Mapping[str, Sequence[JsonObject]]:
        """Return nothing: nobody shows anything."""
        return {}

    async def ask_notebook(self, method: str, params: JsonObject) -> JsonObject:
        """Answer nothing: no notebook is open."""
        return {}

    async def ask_servers(
        self, session_id: str, method: str, params: JsonObject, seconds: float
    ) -> tuple[bool, object]:
        """Know nothing: there is no language server."""
        return False, None

    def report_written(self, uri: str, *, created: bool) -> None:
        """Do nothing: nobody listens."""
