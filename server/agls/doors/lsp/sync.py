"""Document synchronisation, by pygls: the open documents as the client sends them."""

import logging
from collections.abc import Callable, Generator
from typing import Any, cast

from cattrs import Converter
from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import LanguageServerProtocol, default_converter, lsp_method

from agls import __version__
from agls.doors.lsp.documents import Documents
from agls.doors.lsp.editor import LspEditor
from agls.doors.messages import JsonObject
from agls.json_values import object_in
from agls.workspace.uris import unescaped

SYNCED = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.TEXT_DOCUMENT_DID_SAVE,
)
WholeText = types.TextDocumentContentChangeWholeDocument
TEXTS = (types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE)  # without one the text is unknown
_log = logging.getLogger(__name__)


class Protocol(LanguageServerProtocol):
    """pygls' protocol over our documents."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """Take in the position encoding; our documents take the place of pygls'."""
        result = yield from super().lsp_initialize(params)
        encoding = self.workspace.position_encoding
        self._workspace = Documents(None, types.TextDocumentSyncKind.Incremental, [], encoding)
        return result


class Server(LanguageServer):
    """Keeps what goes wrong between client and documents out of the user's face."""

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Log it, without what was in the message."""
        _log.warning("a notification was not understood: %s", error)


class Nowhere:
    """pygls writes nothing of use: the first answer was given before it was loaded."""

    def write(self, data: bytes) -> None:
        """Forget it."""

    def close(self) -> None:
        """Nothing to close."""


class Sync:
    """Takes the document notifications of one connection."""

    def __init__(self, encoding: str, editor: LspEditor) -> None:
        logging.getLogger("pygls").setLevel(logging.CRITICAL)  # it would log whole documents
        server = make_server(editor.changed, editor.find)
        self._protocol, self._lose = server.protocol, editor.lose
        self._protocol.set_writer(Nowhere(), include_headers=False)
        general = {"general": {"positionEncodings": [encoding]}}
        params = {"processId": None, "rootUri": None, "capabilities": general}
        self.take({"jsonrpc": "2.0", "id": 0, "method": types.INITIALIZE, "params": params})
        editor.show(server.workspace.text_documents)

    def take(self, message: JsonObject) -> None:
        """Follow a notification. One that makes no sense changes nothing, but its document may be lost."""
        try:
            said = {**message, "params": given(message.get("params", {}))}
            structured: Any = self._protocol.structure_message(said)
        except Exception as error:  # noqa: BLE001 - pygls raises what its converters raise
            _log.warning("%s was not understood: %s", message["method"], type(error).__name__)
            uri = object_in(message, "params", "textDocument").get("uri")
            if message["method"] in TEXTS and isinstance(uri, str):
                self._lose(uri)
            return
        self._protocol.handle_message(structured)


def given(value: Any) -> Any:
    """The value without the members that are null: they mean the same as those that are left out."""
    if isinstance(value, dict):
        members = cast(JsonObject, value).items()
        return {name: given(member) for name, member in members if member is not None}
    return [given(each) for each in cast(list[Any], value)] if isinstance(value, list) else value


def quick_converter() -> Converter:
    """pygls' converter, which stops at the first thing that is wrong: each costs as much as a document."""
    converter = default_converter()
    converter.detailed_validation = False
    return converter


def make_server(changed: Callable[[str, str], None], found: Callable[[str], None]) -> Server:
    """pygls' server with the features of this connection.

    After each notification about a document it calls `changed` with the method and the URI, and before it
    `found` with the URI when a change brought the whole text.
    """
    server = Server("agls", __version__, protocol_cls=Protocol, converter_factory=quick_converter)

    def follow(method: str) -> None:
        def look(params: Any) -> None:
            document = server.workspace.text_documents.get(unescaped(params.text_document.uri))
            if document and method == types.TEXT_DOCUMENT_DID_CHANGE:
                document.version = params.text_document.version  # also when nothing was changed
                if any(isinstance(each, WholeText) for each in params.content_changes):
                    found(params.text_document.uri)
            changed(method, params.text_document.uri)

        server.feature(method)(look)

    for method in SYNCED:
        follow(method)
    return server
