"""pygls' documents, with our reading of a change."""

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from aglet.doors.lsp.positions import Place, offset_at


class Document(TextDocument):
    """An open document that knows the line ends of LSP and no others."""

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Take in a change as the client told it."""
        if not isinstance(change, types.TextDocumentContentChangePartial):
            self._source = change.text
            return
        text, encoding = self.source, str(self._position_codec.encoding)
        start, end = (
            offset_at(text, Place(at.line, at.character), encoding)
            for at in (change.range.start, change.range.end)
        )
        self._source = text[:start] + change.text + text[end:]


class Documents(Workspace):
    """pygls' workspace, with our documents."""

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> Document:
        return Document(doc_uri, source, version, language_id, position_codec=self.position_codec)
