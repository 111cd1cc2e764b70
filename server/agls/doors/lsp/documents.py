"""pygls' documents, held as lines: a keystroke costs its line, not the document."""

from itertools import pairwise
from typing import Any

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from agls.doors.positions import LINE_END, TextPosition, index_in
from agls.workspace.uris import unescaped


class Document(TextDocument):
    """An open document that knows the line ends of LSP and no others."""

    def __init__(self, uri: str, source: str | None = None, *given: Any, **more: Any) -> None:
        super().__init__(uri, source, *given, **more)
        self._lines = lines_of(source or "")
        self._text = source

    @property
    def source(self) -> str:
        """The text."""
        if self._text is None:
            self._text = "".join(self._lines)
        return self._text

    def apply_change(self, change: types.TextDocumentContentChangeEvent) -> None:
        """Take in a change as the client sent it."""
        if isinstance(change, types.TextDocumentContentChangePartial):
            start, end = sorted((self._place(change.range.start), self._place(change.range.end)))
            self._replace(start, end, change.text)
            self._text = None
        else:
            self._lines, self._text = lines_of(change.text), change.text

    def _place(self, at: types.Position) -> TextPosition:
        """Where that is, with an index into the line; what is beyond the line or the text is its end."""
        if at.line >= len(self._lines):
            return TextPosition(len(self._lines) - 1, len(self._lines[-1]))
        line = self._lines[at.line].rstrip("\r\n")
        return TextPosition(at.line, index_in(line, at.character, str(self._position_codec.encoding)))

    def _replace(self, start: TextPosition, end: TextPosition, text: str) -> None:
        lines = self._lines
        first = start.line
        behind = end.line + 1
        text = lines[first][: start.character] + text + lines[end.line][end.character :]
        if first and text.startswith("\n") and lines[first - 1].endswith("\r"):  # together they end one line
            first -= 1
            text = lines[first] + text
        made = lines_of(text)
        lines[first:behind] = made if behind == len(lines) else made[:-1]


class Documents(Workspace):
    """pygls' workspace, with our documents, by `unescaped` URIs."""

    def put_text_document(
        self, text_document: types.TextDocumentItem, notebook_uri: str | None = None
    ) -> None:
        """A document was opened."""
        given = text_document
        made = self._create_text_document(given.uri, given.text, given.version, given.language_id)
        self._text_documents[unescaped(given.uri)] = made

    def update_text_document(
        self, text_doc: types.VersionedTextDocumentIdentifier, change: types.TextDocumentContentChangeEvent
    ) -> None:
        """An open document was changed. **Raises** `KeyError` for another one."""
        document = self._text_documents[unescaped(text_doc.uri)]
        document.apply_change(change)
        document.version = text_doc.version

    def remove_text_document(self, doc_uri: str) -> None:
        """A document was closed."""
        self._text_documents.pop(unescaped(doc_uri), None)

    def _create_text_document(
        self,
        doc_uri: str,
        source: str | None = None,
        version: int | None = None,
        language_id: str | None = None,
    ) -> Document:
        return Document(doc_uri, source, version, language_id, position_codec=self.position_codec)


def lines_of(text: str) -> list[str]:
    """The lines with their ends; the last one has none, and may be empty."""
    places = [0, *(end.end() for end in LINE_END.finditer(text)), len(text)]
    return [text[start:end] for start, end in pairwise(places)]
