"""The models that the client has, asked with `agent/languageModel/ask` (protocol#to-the-client)."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import get_args

from agls.doors.agent.peer import Peer, PeerError
from agls.doors.messages import JsonObject
from agls.engine.ports import ModelError, new_id
from agls.engine.vocabulary import ErrorKind
from agls.json_values import is_object, object_in, objects_in, text_in
from agls.models.editor_host import EditorModelRow

MOST = 200  # models of one editor
KINDS = frozenset(get_args(ErrorKind))
BY_KIND = {
    "auth": "Allow agls to use the models of the editor when it asks, or choose another model.",
    "modelNotFound": "Choose a model that the editor has.",
}


class ClientLanguageModels:
    """Implements `EditorModelHost` by requests to the client; `is_there` if it announced `languageModels`."""

    def __init__(self, peer: Peer, *, is_there: bool) -> None:
        self._peer, self.is_there = peer, is_there
        self.rows: Sequence[EditorModelRow] = ()
        self._open: dict[str, asyncio.Queue[JsonObject | None]] = {}

    def learn(self, params: JsonObject) -> None:
        """Replace the known models by the client's list; entries without an `id` are skipped."""
        rows = (_row(each) for each in objects_in(params.get("models")))
        self.rows = tuple(row for row in rows if row.id)[:MOST] if self.is_there else ()

    def take(self, params: JsonObject) -> None:
        """Queue a piece of an answer; one of an unknown request is ignored."""
        if queue := self._open.get(text_in(params.get("requestId"))):
            queue.put_nowait({name: value for name, value in params.items() if name != "finish"})

    async def ask(self, body: JsonObject) -> AsyncGenerator[JsonObject, None]:
        """Yield the pieces of the answer, the last with `finish`. **Raises** `ModelError`."""
        request_id = new_id("ask")
        queue = self._open[request_id] = asyncio.Queue[JsonObject | None]()
        pending = self._peer.request("agent/languageModel/ask", {"requestId": request_id, **body})
        pending.future.add_done_callback(lambda _: queue.put_nowait(None))
        try:
            while (piece := await queue.get()) is not None:
                yield piece
            yield _end(pending.future)
        finally:
            del self._open[request_id]
            pending.withdraw()


def _row(given: JsonObject) -> EditorModelRow:
    size = given.get("maxInputTokens")
    window = size if isinstance(size, int) and not isinstance(size, bool) and size > 0 else None
    return EditorModelRow(text_in(given.get("id"))[:200], window)


def _end(future: asyncio.Future[object]) -> JsonObject:
    """Return the last piece. **Raises** `ModelError` for the error that the client sent."""
    try:
        answer = future.result()
    except PeerError as problem:
        raise ModelError(f"The editor did not ask its model: {problem}", kind="providerInternal") from None
    given: JsonObject = answer if is_object(answer) else {}
    if error := object_in(given, "error"):
        kind = text_in(error.get("kind"))
        kind = kind if kind in KINDS else "providerInternal"
        message = text_in(error.get("message")) or "it gave no reason"
        raise ModelError(f"The editor's model failed: {message}", kind=kind, hint=BY_KIND.get(kind, ""))
    return {"finish": text_in(given.get("finish")) or "stop"}
