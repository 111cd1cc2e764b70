"""The client's open documents, and edits made through the client (protocol#edits). Implements `Editor`."""

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from agls.doors.agent.client import ClientCapabilities
from agls.doors.agent.peer import Peer, PeerError, Pending
from agls.doors.lsp.pending_edits import PendingEdit
from agls.doors.lsp.screen import FollowAlongView
from agls.doors.messages import JsonObject
from agls.doors.positions import smallest_edit
from agls.engine.ports import Stale, WorkspaceError
from agls.engine.vocabulary import Focus
from agls.json_values import is_object, object_in, objects_in
from agls.workspace.buffer_sync import Buffer, BufferSync
from agls.workspace.uris import unescaped

if TYPE_CHECKING:  # loaded with the first document
    from pygls.workspace import TextDocument

NOTEBOOK_PATIENCE = 15.0  # seconds for the client to show or change a notebook: it asks nobody
ANSWER_PATIENCE = 60.0  # seconds for the client to answer an edit: it may ask its user
DIAGNOSTICS_PATIENCE = 5.0  # seconds for the client to say what it shows: a prompt waits for it
SAVE_PATIENCE = 30.0  # seconds for the client to save: it may format before
CANCEL_PATIENCE = 2.0  # seconds a cancelled edit waits for its answer, because it cannot be taken back
CREATED, CHANGED = 1, 2  # LSP FileChangeType
WARNING = 2  # LSP MessageType
LOST = (
    "agls could not follow a change that the editor sent of {}. It neither reads nor changes this document "
    "until it is reopened, or the editor sends its whole text."
)
EDITED = "textDocument/didChange"
FRESH = ("textDocument/didOpen", "textDocument/didClose")


class LspEditor:
    """The editor behind the client."""

    def __init__(self, peer: Peer, client: ClientCapabilities) -> None:
        self._peer, self._client = peer, client
        self._documents: Mapping[str, TextDocument] = {}
        self._pending_edits: dict[
            str, PendingEdit
        ] = {}  # by URI without escapes, like the locks and the lost
        self._sent: dict[str, Pending] = {}  # what the client has not answered of these
        self._lost: dict[str, str] = {}  # documents whose text nobody here knows, as the client names them
        self._locks = WeakValueDictionary[str, asyncio.Lock]()  # one lives as long as somebody needs it
        self.focus: Focus | None = None  # where the user looks, as the client sent it last
        self.on_edit: Callable[[str], None] = _ignore  # hears of every edit but those sent from here
        self.name = " ".join(client.name.split())[:60] or "an editor"
        self.sync = BufferSync()
        self.follows, self.reveal = client.follows, FollowAlongView(peer).reveal
        self._follow: Mapping[str, Callable[[Buffer], None]] = {
            "textDocument/didOpen": self.sync.opened,
            "textDocument/didSave": self.sync.saved,
        }

    @property
    def can_save(self) -> bool:
        """Whether the client saves when it is asked to."""
        return self._client.saves

    def show(self, documents: Mapping[str, "TextDocument"]) -> None:
        """These are the open documents, by URI without escapes; the mapping follows the client."""
        self._documents = documents

    def changed(self, method: str, uri: str) -> None:
        """A document was opened, changed, saved or closed."""
        if method in FRESH:
            self.find(uri)
        document = self._documents.get(unescaped(uri))
        now = _buffer(document) if document else None
        if now is None:
            self.sync.closed(uri)
        elif method in self._follow:
            self._follow[method](now)
        edit = self._pending_edits.get(unescaped(uri))
        if edit:
            edit.look(now)
        if method == EDITED and not (edit and edit.came == now):
            self.on_edit(uri)
        if now is None and (sent := self._sent.get(unescaped(uri))):
            sent.send_cancel()  # opened again, its versions may begin anew, and match an edit of another text

    def lose(self, uri: object) -> None:
        """The client said what makes no sense of this document, or (no URI) of any: its text is not known.

        The client's log says once how to get it back: the user need not know before the agent needs it.
        """
        every = [document.uri for document in self._documents.values()]
        named = [uri] if uri and isinstance(uri, str) else every
        lost = {unescaped(each): each for each in named}
        for each in (lost[key] for key in lost if key not in self._lost):
            self._peer.notify("window/logMessage", {"type": WARNING, "message": LOST.format(each[:300])})
        self._lost |= lost

    def find(self, uri: str) -> None:
        """The client sent the whole text of a document: whatever was lost of it does not count any more."""
        self._lost.pop(unescaped(uri), None)

    def buffer(self, uri: str) -> Buffer | None:
        """Return the open document with this URI, however escaped. **Raises** `WorkspaceError`."""
        key = unescaped(uri)
        if key in self._lost:
            raise WorkspaceError(
                f"The editor changed {uri} in a way that the server could not follow, so its text is lost. "
                "Ask the user to close it and to open it again."
            )
        document = self._documents.get(key)
        return _buffer(document) if document else None

    def language(self, uri: str) -> str:
        """Return the language of an open document, as the client names it; "" for another."""
        document = self._documents.get(unescaped(uri))
        return (document.language_id or "") if document else ""

    def buffers(self) -> Sequence[Buffer]:
        """All open documents but the lost."""
        return [_buffer(document) for key, document in self._documents.items() if key not in self._lost]

    @property
    def lost(self) -> Collection[str]:
        """The documents whose text is not known, as the client names them."""
        return self._lost.values()

    async def replace(self, buffer: Buffer, text: str, label: str) -> Buffer:
        """Turn `buffer` into `text` by one versioned edit. **Raises** `Stale` and `WorkspaceError`.

        Edits of one document wait for each other, whichever session they come from.
        """
        if not self._client.document_changes:
            raise WorkspaceError(
                f"{buffer.uri} is open in the editor, and the editor cannot apply versioned edits "
                "(workspace.applyEdit with documentChanges). Close the file there, then try again."
            )
        key = unescaped(buffer.uri)
        async with self._locks.setdefault(key, asyncio.Lock()):
            self._expect(buffer)
            if text == buffer.text:
                return buffer
            edit = self._pending_edits[key] = PendingEdit(buffer, text)
            try:
                self._check(await self._ask(buffer, text, label), edit)
                return await edit.wait()
            finally:
                del self._pending_edits[key]

    async def save(self, documents: Sequence[Buffer], session_id: str, reason: str) -> Mapping[str, str]:
        """Have the client save, if it can; gives by URI why a document was not saved.

        Its changes and saves of documents come before its answer. No edit is made of them meanwhile.
        """
        if not self.can_save:
            return {each.uri: "this editor saves only when its user does" for each in documents}
        async with AsyncExitStack() as stack:
            for key in sorted({unescaped(each.uri) for each in documents}):  # the order of all who wait
                await stack.enter_async_context(self._locks.setdefault(key, asyncio.Lock()))
            versions = [{"uri": each.uri, "version": each.version} for each in documents]
            params = {"sessionId": session_id, "documents": versions, "reason": reason}
            pending = self._peer.request("agent/saveDocuments", params)
            try:
                answer = await asyncio.wait_for(asyncio.shield(pending.future), SAVE_PATIENCE)
            except PeerError as error:
                return dict.fromkeys((each.uri for each in documents), f"the editor refused: {error}")
            except TimeoutError:
                said_nothing = f"the editor did not answer within {SAVE_PATIENCE:g} seconds"
                return dict.fromkeys((each.uri for each in documents), said_nothing)
            finally:
                pending.withdraw()
        failed = objects_in(object_in(answer).get("failed"))
        return {str(each.get("uri")): str(each.get("message") or "no reason given") for each in failed}

    @property
    def encoding(self) -> str:
        """The negotiated position encoding."""
        return self._client.encoding

    @property
    def knows_code(self) -> bool:
        """Whether the client asks its language servers for us."""
        return self._client.code_query

    @property
    def has_notebooks(self) -> bool:
        """Whether the client shows and changes the notebooks that it has open."""
        return self._client.notebooks

    async def ask_notebook(self, method: str, params: JsonObject) -> JsonObject:
        """Have the client show or change a notebook. **Raises** `Stale` and `WorkspaceError`."""
        pending = self._peer.request(method, params)
        try:
            answer = await asyncio.wait_for(asyncio.shield(pending.future), NOTEBOOK_PATIENCE)
        except PeerError as error:
            raise WorkspaceError(f"The editor refused: {error}") from None
        except TimeoutError:
            said_nothing = f"The editor did not answer within {NOTEBOOK_PATIENCE:g} seconds. Read it again."
            raise Stale(said_nothing, "unknown") from None
        finally:
            pending.withdraw()
        return object_in(answer)

    async def ask_servers(
        self, session_id: str, method: str, params: JsonObject, seconds: float
    ) -> tuple[bool, object]:
        """Have the client ask its language servers. **Raises** `WorkspaceError`."""
        asked = {"sessionId": session_id, "method": method, "params": params}
        pending = self._peer.request("agent/codeQuery", asked)
        try:
            answer = await asyncio.wait_for(asyncio.shield(pending.future), seconds)
        except PeerError as error:
            raise WorkspaceError(f"The editor refused: {error}") from None
        except TimeoutError:
            raise WorkspaceError(f"The editor did not answer within {seconds:g} seconds.") from None
        finally:
            pending.withdraw()
        given = object_in(answer)
        return given.get("answered") is True, given.get("result")

    async def diagnostics(
        self, session_id: str, uri: str = "", wait: float = 0.0
    ) -> Mapping[str, Sequence[JsonObject]]:
        """Ask the client what it shows as wrong, if it can say that; an error or silence is nothing."""
        if not self._client.diagnostics:
            return {}
        only: JsonObject = {"uri": uri} if uri else {}
        waits: JsonObject = {"waitMs": int(wait * 1000)} if wait else {}
        asked = {"sessionId": session_id, **only, **waits}
        pending = self._peer.request("agent/diagnostics", asked)
        try:
            answer = await asyncio.wait_for(asyncio.shield(pending.future), DIAGNOSTICS_PATIENCE + wait)
        except (PeerError, TimeoutError):
            return {}
        finally:
            pending.withdraw()
        files = objects_in(object_in(answer).get("files"))
        return {str(each.get("uri")): objects_in(each.get("diagnostics")) for each in files}

    def report_written(self, uri: str, *, created: bool) -> None:
        """Report a changed file to a client that watches files: its own watcher would do so later."""
        if self._client.file_events:
            change = {"uri": uri, "type": CREATED if created else CHANGED}
            self._peer.notify("workspace/didChangeWatchedFiles", {"changes": [change]})

    def _expect(self, buffer: Buffer) -> None:
        if self.buffer(buffer.uri) != buffer:
            raise Stale(f"{buffer.uri} was changed in the editor since it was read. Read it again.")

    def _check(self, answer: Any, edit: PendingEdit) -> None:
        """Raise unless the editor says that it applied the edit."""
        given = answer if is_object(answer) else {}
        if given.get("applied") is True:
            return
        uri = edit.before.uri
        if not edit.spared:
            raise Stale(f"The editor may have applied a part of the edit to {uri}. Read it again.", "partial")
        self._expect(edit.before)  # it was refused because the document moved on
        reason = given.get("failureReason") or "no reason given"
        raise WorkspaceError(f"The editor did not apply the edit to {uri}: {reason}. Nothing was changed.")

    async def _ask(self, buffer: Buffer, text: str, label: str) -> Any:
        params = versioned_edit(buffer, text, label, self._client.encoding)
        pending = self._peer.request("workspace/applyEdit", params)
        self._sent[unescaped(buffer.uri)] = pending
        try:
            return await asyncio.wait_for(asyncio.shield(pending.future), ANSWER_PATIENCE)
        except PeerError as error:
            self._expect(buffer)
            raise WorkspaceError(f"The editor refused the edit: {error}. Nothing was changed.") from None
        except TimeoutError:
            pending.withdraw()
            problem = f"The editor did not say whether it applied the edit to {buffer.uri}. Read it again."
            raise Stale(problem, "unknown") from None
        except asyncio.CancelledError:
            await self._peer.wait_for_last(pending, CANCEL_PATIENCE)
            raise
        finally:
            del self._sent[unescaped(buffer.uri)]


def _ignore(uri: str) -> None:
    del uri


def versioned_edit(buffer: Buffer, text: str, label: str, encoding: str) -> JsonObject:
    """The params of `workspace/applyEdit` that turn this version of a document into this text."""
    edit = smallest_edit(buffer.text, text, encoding)
    span = {"start": edit.start._asdict(), "end": edit.end._asdict()}
    document = {"uri": buffer.uri, "version": buffer.version}
    changes = [{"textDocument": document, "edits": [{"range": span, "newText": edit.text}]}]
    return {"label": label, "edit": {"documentChanges": changes}}


def _buffer(document: "TextDocument") -> Buffer:
    return Buffer(document.uri, document.version or 0, document.source)
