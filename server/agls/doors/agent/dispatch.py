"""Requests of the client, followed side by side, each answered exactly once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agls.doors.agent.call import Call
from agls.doors.agent.door import Door
from agls.doors.agent.limits import LONGEST_KEY
from agls.doors.agent.methods import HANDLERS
from agls.doors.agent.world import NoWorld
from agls.doors.errors import given_up, limit_exceeded, overloaded, to_bad
from agls.doors.lsp.plain.code_actions import code_actions
from agls.doors.lsp.plain.commands import follow_command
from agls.doors.lsp.plain.pages import virtual_transcript
from agls.doors.messages import CANCELLED, INVALID_PARAMS, INVALID_REQUEST, Bad, JsonObject, RequestId
from agls.views.wire_json import is_object
from agls_protocol.converter import make_converter
from agls_protocol.methods import METHODS

Standard = Callable[[Door, Any, Call], Awaitable[Any]]
STANDARD: Mapping[str, Standard] = {  # requests of LSP itself
    "workspace/executeCommand": follow_command,
    "textDocument/codeAction": code_actions,
    "workspace/textDocumentContent": virtual_transcript,
}
_log = logging.getLogger(__name__)


class Dispatcher:
    """Follows the requests this door answers itself: `agent/…` and the commands."""

    def __init__(self, door: Door, tasks: asyncio.TaskGroup) -> None:
        self._door, self._tasks = door, tasks
        self._converter = make_converter()
        self._calls: dict[RequestId, tuple[Call, asyncio.Task[None]]] = {}
        self._behind: set[asyncio.Task[None]] = set()  # work that goes on behind an answer

    @staticmethod
    def knows(method: str) -> bool:
        """Whether this method is answered here."""
        return method in HANDLERS or method in STANDARD

    def take(self, message: JsonObject) -> None:
        """Begin to follow a request. Raises `Bad` when one with its id is not answered yet."""
        id = message["id"]  # noqa: A001 - what the protocol calls it
        if id in self._calls:
            raise Bad(INVALID_REQUEST, "A request with this id is not answered yet.", id)
        if len(self._calls) >= self._door.peer.limits.calls:
            raise overloaded(f"{len(self._calls)} requests are not answered yet.")
        params = message.get("params")
        call = Call(id, params.get("workDoneToken") if is_object(params) else None)
        _log.debug("request %s: %s", id, message["method"], extra={"details": params})
        task = self._tasks.create_task(self._follow(call, message["method"], params))
        self._calls[id] = (call, task)

    def cancel(self, id: object) -> bool:
        """The client does not want an answer any more. False when there is no such request."""
        call, task = self._calls.get(id, (None, None)) if isinstance(id, int | str) else (None, None)
        if call is None or task is None:
            return False
        if call.interruptible and not call.cancelled:
            task.cancel()  # once: a second one would break off what the first began
        call.cancelled = True
        return True

    def cancel_by_token(self, token: object) -> bool:
        """The same for the request that came with this `workDoneToken`, however young it is."""
        calls = [call for call, _ in self._calls.values()] if token is not None else []
        return any(self.cancel(call.id) for call in calls if call.token == token)

    def give_up(self) -> None:
        """Stop following everything: nobody reads the answers."""
        for task in (*(task for _, task in self._calls.values()), *self._behind):
            task.cancel()

    async def _follow(self, call: Call, method: str, params: Any) -> None:
        try:
            result = await self._result(call, method, params)
            self._door.peer.answer(call.id, result, urgent=not call.ordered)
            _log.debug("request %s: answered", call.id, extra={"details": result})
        except asyncio.CancelledError:
            cancelled = Bad(CANCELLED, "The request was cancelled.")
            self._refuse(call, cancelled if call.cancelled else given_up())
        except Exception as error:  # noqa: BLE001 - every request gets an answer
            self._refuse(call, to_bad(error))
        finally:
            _, task = self._calls.pop(call.id)
            call.until_answered.close()
        if call.behind:
            self._behind.add(task)
            await self._go_on(call.behind)
            self._behind.discard(task)

    async def _go_on(self, work: Callable[[], Awaitable[None]]) -> None:
        try:
            await work()
        except Exception:  # noqa: BLE001 - it was answered: the client can hear of it no more
            _log.exception("the work behind an answer failed")

    async def _result(self, call: Call, method: str, params: Any) -> Any:
        if follow := STANDARD.get(method):
            return self._converter.unstructure(await follow(self._door, params, call))
        if params is not None and not is_object(params):
            raise Bad(INVALID_PARAMS, "The params of this method are an object.")
        typed = self._converter.structure({} if params is None else params, METHODS[method].params)
        if len(getattr(typed, "client_key", "")) > LONGEST_KEY:
            raise limit_exceeded("clientKey", LONGEST_KEY)
        if isinstance(self._door.world, NoWorld):
            await self._door.world.retry()
        return self._converter.unstructure(await HANDLERS[method](self._door, typed, call))

    def _refuse(self, call: Call, bad: Bad) -> None:
        bad.id = call.id
        _log.debug("request %s: refused (%s)", call.id, bad.code, extra={"details": str(bad)})
        self._door.peer.refuse(bad)
