"""The client's open documents, and edits made through the client (protocol 4.10). Implements `Editor`."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from aglet.doors.lsp.client import Client
from aglet.doors.lsp.messages import JsonObject
from aglet.doors.lsp.peer import Peer, PeerError
from aglet.doors.lsp.positions import Place, offset_at, smallest_edit
from aglet.doors.shapes import is_object
from aglet.engine.ports import Stale, WorkspaceError
from aglet.workspace.editor import Buffer

ANSWER_PATIENCE = 60.0  # seconds for the client to answer an edit: it may ask its user
CHANGE_PATIENCE = 5.0  # seconds for the change to come back
CANCEL_PATIENCE = 2.0  # seconds a cancelled edit waits for its answer, because it cannot be taken back


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


class LspEditor:
    """The editor behind the client."""

    def __init__(self, peer: Peer, client: Client) -> None:
        self._peer, self._client = peer, client
        self._documents: Mapping[str, TextDocument] = {}
        self._changed = asyncio.Event()

    def show(self, documents: Mapping[str, TextDocument]) -> None:
        """These are the open documents, by URI without escapes; the mapping follows the client."""
        self._documents = documents

    def changed(self) -> None:
        """A document was opened, changed or closed."""
        self._changed.set()

    def buffer(self, uri: str) -> Buffer | None:
        """The open document with this URI, however it is escaped."""
        document = self._documents.get(unquote(uri))
        return _buffer(document) if document else None

    def buffers(self) -> Sequence[Buffer]:
        """All open documents."""
        return [_buffer(document) for document in self._documents.values()]

    async def replace(self, buffer: Buffer, text: str, label: str) -> Buffer:
        """Turn `buffer` into `text` by one versioned edit. Raises `Stale` and `WorkspaceError`."""
        if not self._client.document_changes:
            raise WorkspaceError(
                f"{buffer.uri} is open in the editor, and the editor cannot apply versioned edits "
                "(workspace.applyEdit with documentChanges). Close the file there, then try again."
            )
        self._expect(buffer)
        if text == buffer.text:
            return buffer
        await self._apply(buffer, text, label)
        return await self._arrival(buffer, text)

    def _expect(self, buffer: Buffer) -> None:
        if self.buffer(buffer.uri) != buffer:
            raise Stale(f"{buffer.uri} was changed in the editor since it was read. Read it again.")

    async def _apply(self, buffer: Buffer, text: str, label: str) -> None:
        answer = await self._ask(versioned_edit(buffer, text, label, self._client.encoding))
        if is_object(answer) and answer.get("applied") is True:
            return
        self._expect(buffer)  # it was refused because the document moved on: the model must read it again
        reason = answer.get("failureReason") if is_object(answer) else None
        raise WorkspaceError(
            f"The editor did not apply the edit to {buffer.uri}: {reason or 'no reason given'}."
        )

    async def _ask(self, params: JsonObject) -> Any:
        pending = self._peer.request("workspace/applyEdit", params)
        try:
            return await asyncio.wait_for(asyncio.shield(pending.future), ANSWER_PATIENCE)
        except PeerError as error:
            raise WorkspaceError(f"The editor refused the edit: {error}") from None
        except TimeoutError:
            pending.withdraw()
            raise WorkspaceError("The editor did not answer the edit. Read the file again.") from None
        except asyncio.CancelledError:
            await asyncio.wait({pending.future}, timeout=CANCEL_PATIENCE)
            raise

    async def _arrival(self, buffer: Buffer, text: str) -> Buffer:
        try:
            async with asyncio.timeout(CHANGE_PATIENCE):
                while True:
                    now = self.buffer(buffer.uri)
                    if now is None:
                        raise Stale(f"{buffer.uri} was closed while it was edited. Read it again.")
                    if now.text == text and now.version != buffer.version:
                        return now
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            raise Stale(
                f"The editor applied the edit to {buffer.uri}, but its text is not what was written. "
                "Read it again."
            ) from None


def versioned_edit(buffer: Buffer, text: str, label: str, encoding: str) -> JsonObject:
    """The params of `workspace/applyEdit` that turn this version of a document into this text."""
    edit = smallest_edit(buffer.text, text, encoding)
    span = {"start": edit.start._asdict(), "end": edit.end._asdict()}
    document = {"uri": buffer.uri, "version": buffer.version}
    changes = [{"textDocument": document, "edits": [{"range": span, "newText": edit.text}]}]
    return {"label": label, "edit": {"documentChanges": changes}}


def _buffer(document: TextDocument) -> Buffer:
    return Buffer(document.uri, document.version or 0, document.source)
