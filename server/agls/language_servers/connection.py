"""JSON-RPC with one language server: requests of ours, and answers to its own."""

import asyncio
from collections.abc import Callable
from itertools import count
from typing import Any, cast

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.language_servers.framing import BrokenStream, MessageReader, encode
from agls.short_text import sentence

METHOD_NOT_FOUND = -32601
Notified = Callable[[str, Any], None]
PASSING = {-32801, -32802}  # the content was modified, the server cancelled (LSP 3.17, ErrorCodes)
PAUSES = (0.1, 0.3, 1.0)  # seconds before it is asked again
Asked = Callable[[str, Any], Any]


class ServerRefusal(WorkspaceError):
    """The language server answered a request with an error, which may be another answer `soon`."""

    soon = False


class ServerGone(WorkspaceError):
    """The language server ended, or cannot be followed any more."""


class ServerConnection:
    """The messages of one language server. `write` sends bytes to it, `broken` is called when it raves.

    `notified` takes its notifications; `asked` **returns** the answers to its requests, and raises `KeyError`
    for a method that it does not know.
    """

    def __init__(
        self,
        name: str,
        write: Callable[[bytes], None],
        broken: Callable[[], None],
        notified: Notified,
        asked: Asked,
    ) -> None:
        self._name, self._write = name, write
        self._broken = broken
        self._notified, self._asked = notified, asked
        self._reader = MessageReader()
        self._ids = count(1)
        self._pending: dict[int, asyncio.Future[Any]] = {}
        self._gone = ""

    def received(self, data: bytes) -> None:
        """Take in what the server wrote."""
        try:
            for message in self._reader.feed(data):
                self._take(message)
        except BrokenStream as problem:
            self.close(f"{self._name} cannot be understood: {problem}.")
            self._broken()

    def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification."""
        self._send({"method": method, "params": params})

    async def request(self, method: str, params: JsonObject | None, seconds: float) -> Any:
        """Ask the server. Cancelling, and silence for so many seconds, withdraws the question.

        A server that is still reading the newest texts is asked again.

        **Raises** `ServerRefusal`, `ServerGone`, and `WorkspaceError` when there is no answer in time.
        """
        for pause in PAUSES:
            try:
                return await self._request(method, params, seconds)
            except ServerRefusal as problem:
                if not problem.soon:
                    raise
            await asyncio.sleep(pause)
        return await self._request(method, params, seconds)

    async def _request(self, method: str, params: JsonObject | None, seconds: float) -> Any:
        if self._gone:
            raise ServerGone(self._gone)
        number = next(self._ids)
        future = self._pending[number] = asyncio.get_running_loop().create_future()
        self._send({"id": number, "method": method, **({} if params is None else {"params": params})})
        try:
            return await asyncio.wait_for(future, seconds)
        except TimeoutError:
            self._withdraw(number)
            raise WorkspaceError(f"{self._name} did not answer within {seconds:g} seconds.") from None
        except asyncio.CancelledError:
            self._withdraw(number)
            raise
        finally:
            self._pending.pop(number, None)

    def close(self, reason: str) -> None:
        """End the connection: what is not answered yet fails with this reason."""
        self._gone = self._gone or reason
        for future in self._pending.values():
            if not future.done():
                future.set_exception(ServerGone(self._gone))

    def _withdraw(self, number: int) -> None:
        self.notify("$/cancelRequest", {"id": number})

    def _send(self, message: JsonObject) -> None:
        if not self._gone:
            self._write(encode({"jsonrpc": "2.0", **message}))

    def _take(self, message: JsonObject) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            self._settle(message)
        elif "id" in message:
            self._send({"id": message["id"], **self._answer(method, message.get("params"))})
        else:
            self._notified(method, message.get("params"))

    def _answer(self, method: str, params: Any) -> JsonObject:
        try:
            return {"result": self._asked(method, params)}
        except KeyError:
            return {"error": {"code": METHOD_NOT_FOUND, "message": f"{method} is not known here"}}

    def _settle(self, message: JsonObject) -> None:
        number = message.get("id")
        future = self._pending.get(number) if isinstance(number, int) else None
        if future is None or future.done():
            return
        if "error" in message:
            error: Any = message["error"]
            words = cast("JsonObject", error).get("message", "") if isinstance(error, dict) else error
            unknown = isinstance(error, dict) and cast("JsonObject", error).get("code") == METHOD_NOT_FOUND
            said = "does not answer such questions." if unknown else f"refused: {sentence(str(words))}"
            refusal = ServerRefusal(f"{self._name} {said}")
            refusal.soon = isinstance(error, dict) and cast("JsonObject", error).get("code") in PASSING
            future.set_exception(refusal)
        else:
            future.set_result(message.get("result"))
