"""The language servers of the editor, which asks them for us."""

from collections.abc import Sequence

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.code_ports import NO_ANSWER, CodeDocument
from agls.workspace.editor import Editor
from agls.workspace.uris import unescaped


@frozen
class EditorServers:
    """Implements `CodeServer`. The editor keeps its servers up to date itself."""

    source: Editor
    session_id: str
    name = "the editor's language servers"
    runs = True

    @property
    def encoding(self) -> str:
        """The position encoding of the client."""
        return self.source.encoding

    @property
    def documents(self) -> Sequence[str]:
        """The open documents: of others the editor need not say what is wrong."""
        return [buffer.uri for buffer in self.source.buffers()]

    async def ask(
        self, method: str, params: JsonObject, documents: Sequence[CodeDocument], seconds: float
    ) -> object:
        """Ask the editor. **Raises** `WorkspaceError`."""
        answered, result = await self.source.ask_servers(self.session_id, method, params, seconds)
        return result if answered else NO_ANSWER

    async def diagnostics(
        self,
        document: CodeDocument,
        seconds: float,
        *,
        changed: bool = False,
        beside: Sequence[CodeDocument] = (),
    ) -> Sequence[JsonObject] | None:
        """Return errors and warnings in the editor in a document, `None` when it is not open there."""
        wanted = unescaped(document.uri)
        if wanted not in map(unescaped, self.documents):
            return None
        found = await self.source.diagnostics(self.session_id, document.uri, seconds if changed else 0.0)
        return next((rows for uri, rows in found.items() if unescaped(uri) == wanted), ())
