"""An editor with open documents that can also misbehave the ways real ones do."""

from collections.abc import Callable, Mapping, Sequence

from agls.engine.ports import Stale, WorkspaceError
from agls.engine.vocabulary import Focus, JsonObject
from agls.workspace.buffer_sync import Buffer, BufferSync
from agls.workspace.texts import with_plain_ends


class FakeEditor:
    """Implements `Editor`. It misbehaves at the next `replace` when it was told to.

    `refuse()`: the edit is not applied. `meanwhile(action)`: the action happens (the user types, the
    disk changes) just before the edit arrives. `distort(change)`: another text is applied than asked.
    """

    name = "an editor"
    can_save = True
    encoding = "utf-16"
    knows_code = False
    has_notebooks = False
    lost: Sequence[str] = ()
    follows = False

    def __init__(self, documents: Mapping[str, str] | None = None) -> None:
        self._buffers = {uri: Buffer(uri, 1, text) for uri, text in (documents or {}).items()}
        self.focus: Focus | None = None
        self.sync = BufferSync()
        self.labels: list[str] = []
        self.revealed: list[tuple[str, int]] = []
        self.told: list[tuple[str, bool]] = []
        self.saves: list[Sequence[str]] = []
        self.saving: Callable[[str], None] = lambda uri: None
        self.problems: Mapping[str, Sequence[JsonObject]] = {}
        self._refusal = ""
        self._action: Callable[[], None] = lambda: None
        self._change: Callable[[str], str] = str

    def open(self, uri: str, text: str) -> None:
        """The user opens a document."""
        self._buffers[uri] = Buffer(uri, 1, text)
        self.sync.opened(self._buffers[uri])

    async def diagnostics(
        self, session_id: str, uri: str = "", wait: float = 0.0
    ) -> Mapping[str, Sequence[JsonObject]]:
        """What the user sees as wrong."""
        return self.problems

    async def ask_notebook(self, method: str, params: JsonObject) -> JsonObject:
        """It has no notebook."""
        return {}

    async def ask_servers(
        self, session_id: str, method: str, params: JsonObject, seconds: float
    ) -> tuple[bool, object]:
        """It has no language server."""
        return False, None

    def type(self, uri: str, text: str) -> None:
        """The user turns a document into this text."""
        self._buffers[uri] = Buffer(uri, self._buffers[uri].version + 1, text)

    def close(self, uri: str) -> None:
        """The user closes a document."""
        del self._buffers[uri]
        self.sync.closed(uri)

    def refuse(self, reason: str = "the editor refused the edit") -> None:
        """Do not apply edits from now on."""
        self._refusal = reason

    def meanwhile(self, action: Callable[[], None]) -> None:
        """Do this when the next edit arrives, before it is looked at."""
        self._action = action

    def distort(self, change: Callable[[str], str]) -> None:
        """Apply this to the text of every edit."""
        self._change = change

    def reveal(self, uri: str, line: int) -> None:
        """Its user sees this line."""
        self.revealed.append((uri, line))

    def buffer(self, uri: str) -> Buffer | None:
        """The open document with this URI."""
        return self._buffers.get(uri)

    def buffers(self) -> Sequence[Buffer]:
        """All open documents."""
        return tuple(self._buffers.values())

    async def replace(self, buffer: Buffer, text: str, label: str) -> Buffer:
        """Apply an edit, or misbehave."""
        action, self._action = self._action, lambda: None
        action()
        if self._refusal:
            raise WorkspaceError(self._refusal)
        now = self._buffers.get(buffer.uri)
        if now is None or now.version != buffer.version:
            raise Stale("the document changed in the meantime")
        self.labels.append(label)
        self.type(buffer.uri, self._change(text))
        after = self._buffers[buffer.uri]
        if with_plain_ends(after.text) != with_plain_ends(text):
            raise Stale("the document does not hold the new text", "partial")
        return after

    async def save(self, documents: Sequence[Buffer], session_id: str, reason: str) -> Mapping[str, str]:
        """Remember what should be saved, and do what `saving` says for each."""
        self.saves.append([each.uri for each in documents])
        for each in documents:
            self.saving(each.uri)
            self.sync.saved(self._buffers[each.uri])
        return {}

    def report_written(self, uri: str, *, created: bool) -> None:
        """Remember it."""
        self.told.append((uri, created))
