"""The client as it is talked to: answers, notifications, events, and questions with their replies."""

import asyncio
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import count
from typing import Any, Protocol

from agls.doors.agent.client import ClientCapabilities
from agls.doors.agent.flow.batches import Piece
from agls.doors.agent.limits import ConnectionLimits
from agls.doors.messages import Bad, JsonObject, RequestId
from agls.json_values import is_object

MOST_TRACED = 1_000_000  # bytes that wait for the client; beyond them the trace is left out


class MessageWriter(Protocol):
    """Carries messages to the client, and never blocks. `Writer` in `stream/transport.py` says more."""

    @property
    def backlog(self) -> int: ...
    @property
    def others(self) -> int: ...
    def stalled(self) -> float: ...
    def send(self, message: JsonObject, *, urgent: bool = False) -> None: ...
    def put(self, pieces: Sequence[Piece]) -> bool: ...
    def flush(self) -> None: ...


class PeerError(Exception):
    """The client answered a request of ours with an error."""


class Pending:
    """A request the client has not answered yet."""

    def __init__(
        self, future: asyncio.Future[Any], forget: Callable[[], None], notify: Callable[[], None]
    ) -> None:
        self.future = future
        self._forget, self._notify = forget, notify

    def withdraw(self) -> None:
        """Take the request back: the client is notified, and a late answer ignored."""
        if not self.future.done():
            self._forget()
            self._notify()
            self.future.cancel()

    def send_cancel(self) -> None:
        """Notify the client that it need not do this any more. Its answer counts: it may have done it."""
        if not self.future.done():
            self._notify()


class Peer:
    """Writes to the client, in order; never blocks."""

    def __init__(self, writer: MessageWriter, limits: ConnectionLimits, client: ClientCapabilities) -> None:
        self._writer = writer
        self.limits = limits
        self.client = client
        self._ids = count(1)
        self._pending: dict[RequestId, asyncio.Future[Any]] = {}

    @property
    def backlog(self) -> int:
        """The size of the events that wait for the client to read, in bytes, roughly."""
        return self._writer.backlog

    @property
    def overfull(self) -> bool:
        """Whether more waits for the client to read than may."""
        return self._writer.backlog + self._writer.others > self.limits.most

    def stalled(self) -> float:
        """Return for how many seconds the client has read nothing although something waits."""
        return self._writer.stalled()

    def answer(self, id: RequestId, result: Any, *, urgent: bool = False) -> None:
        """Answer a request. An urgent answer may overtake events that wait."""
        self._writer.send({"jsonrpc": "2.0", "id": id, "result": result}, urgent=urgent)

    def refuse(self, bad: Bad) -> None:
        """Answer a request with an error."""
        self._writer.send(bad.reply(), urgent=True)

    def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification."""
        self._writer.send({"jsonrpc": "2.0", "method": method, "params": params})

    def trace(self, message: str, verbose: str) -> None:
        """Send a line of the trace, from any thread; none while the client does not read."""
        if self._writer.others < MOST_TRACED:
            details = {"verbose": verbose} if verbose else {}
            self.notify("$/logTrace", {"message": message, **details})

    def send_events(self, events: Sequence[Piece]) -> None:
        """Send consecutive events in one `agent/event`, with what else is sent before this step is over."""
        if self._writer.put(events):
            asyncio.get_running_loop().call_soon(self._writer.flush)

    def flush(self) -> None:
        """Let the events that were sent in this step go now, if the client takes them at once."""
        self._writer.flush()

    def request(self, method: str, params: JsonObject) -> Pending:
        """Send a request. Its future gives the result or raises `PeerError`."""
        id = f"agls-{next(self._ids)}"  # noqa: A001 - what the protocol calls it
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._pending[id] = future
        self._writer.send({"jsonrpc": "2.0", "id": id, "method": method, "params": params})

        def forget() -> None:
            del self._pending[id]

        return Pending(future, forget, lambda: self.notify("$/cancelRequest", {"id": id}))

    def request_and_forget(self, method: str, params: JsonObject) -> None:
        """Send a request of which nobody needs the answer: whether the client follows is its own affair."""
        self.request(method, params).future.add_done_callback(_look_away)

    def end(self) -> None:
        """Nothing more of the client is read: no answer comes any more."""
        self._gone.set_result(None)

    async def wait_for_last(self, pending: Pending, seconds: float) -> None:
        """Wait so long at most for the answer to a request that cannot be taken back."""
        ends = {pending.future, self._gone}
        await asyncio.wait(ends, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)

    @cached_property
    def _gone(self) -> asyncio.Future[None]:
        return asyncio.get_running_loop().create_future()

    def take_response(self, message: JsonObject) -> None:
        """Take in an answer of the client; one that nobody waits for is ignored."""
        future = self._pending.pop(message["id"], None)
        if future is None or future.done():
            return
        if "error" in message:
            future.set_exception(PeerError(_words_of(message["error"])))
        else:
            future.set_result(message["result"])


def _words_of(error: Any) -> str:
    """Return what an error says, for people; a client may send anything in its place."""
    given = error.get("message") if is_object(error) else error
    return given if isinstance(given, str) and given.strip() else "it did not say why"


def _look_away(future: asyncio.Future[Any]) -> None:
    if not future.cancelled():
        future.exception()
