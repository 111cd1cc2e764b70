"""The messages of a client of the agent protocol: requests side by side, each answered exactly once."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agls.doors.agent.call import Call
from agls.doors.agent.cancel import cancel_request
from agls.doors.agent.connection import Connection
from agls.doors.agent.limits import LONGEST_KEY
from agls.doors.agent.methods import HANDLERS, Handler
from agls.doors.agent.world import NoWorld
from agls.doors.errors import given_up, hint_of_params, limit_exceeded, overloaded, to_bad, unknown_method
from agls.doors.messages import (
    CANCELLED,
    INVALID_PARAMS,
    INVALID_REQUEST,
    Bad,
    JsonObject,
    RequestId,
)
from agls.engine.ports import JournalError
from agls.json_values import is_object, object_in
from agls_protocol.converter import make_converter
from agls_protocol.methods import METHODS

DoorHandler = Callable[[Any, Call], Awaitable[Any]]  # takes the params as they are
_log = logging.getLogger(__name__)


class AgentServer:
    """Follows the requests and notifications of the agent protocol.

    `methods` are those that this client may use; `others` follow the requests of the door itself.
    """

    def __init__(
        self,
        connection: Connection,
        tasks: asyncio.TaskGroup,
        methods: Mapping[str, Handler] = HANDLERS,
        others: Mapping[str, DoorHandler] | None = None,
    ) -> None:
        self._connection = connection
        self._tasks = tasks
        self._methods = methods
        self._others = others or {}
        self._converter = make_converter()
        self._calls: dict[RequestId, tuple[Call, asyncio.Task[None]]] = {}
        self._behind: set[asyncio.Task[None]] = set()  # work that goes on behind an answer
        self._ends = False

    def request(self, message: JsonObject) -> asyncio.Task[None]:
        """Begin to follow a request. **Returns** the task that ends behind its answer.

        **Raises** `Bad` for an unknown method, and for the id of a request that is not answered yet.
        """
        id, method = message["id"], message["method"]  # noqa: A001 - what the protocol calls it
        if method not in self._methods and method not in self._others:
            raise unknown_method(method)
        if id in self._calls:
            raise Bad(INVALID_REQUEST, "A request with this id is not answered yet.", id)
        if len(self._calls) >= self._connection.peer.limits.calls:
            raise overloaded(f"{len(self._calls)} requests are not answered yet.")
        params = message.get("params")
        call = Call(id, params.get("workDoneToken") if is_object(params) else None)
        _log.debug("request %s: %s", id, method, extra={"details": params})
        task = self._tasks.create_task(self._follow(call, method, params))
        self._calls[id] = (call, task)
        return task

    def notification(self, message: JsonObject) -> None:
        """Follow a notification; what is not known is ignored (LSP 3.17)."""
        given = object_in(message, "params")
        match message["method"]:
            case "$/cancelRequest":
                self.cancel(given.get("id"))
            case "agent/ack":
                acknowledge(self._connection, given)
            case _:
                pass

    def cancel(self, id: object) -> bool:
        """Cancel a request. **Returns** whether there is one with this id."""
        call, task = self._calls.get(id, (None, None)) if isinstance(id, int | str) else (None, None)
        if call is None or task is None:
            return False
        cancel_request(call, task)
        return True

    def cancel_progress(self, token: object) -> None:
        """Cancel the run that reports under this token, or the request that will begin it."""
        calls = [call for call, _ in self._calls.values()] if token is not None else []
        if any(self.cancel(call.id) for call in calls if call.token == token):
            return
        for attached in self._connection.attached.values():
            if run_id := attached.presenter.run_of(token):
                attached.session.cancel(run_id)

    def end(self) -> None:
        """The sessions are closed from now on, because the server ends: no request is to blame for that."""
        self._ends = True

    def give_up(self) -> None:
        """Stop following everything: nobody reads the answers."""
        for task in (*(task for _, task in self._calls.values()), *self._behind):
            task.cancel()

    async def _follow(self, call: Call, method: str, params: Any) -> None:
        try:
            result = await self._result(call, method, params)
            self._connection.peer.answer(call.id, result, urgent=not call.ordered)
            _log.debug("request %s: answered", call.id, extra={"details": result})
        except asyncio.CancelledError:
            cancelled = Bad(CANCELLED, "The request was cancelled.")
            self._refuse(call, method, cancelled if call.cancelled else given_up())
        except Exception as error:  # noqa: BLE001 - every request gets an answer
            closed = self._ends and isinstance(error, JournalError)
            self._refuse(call, method, given_up() if closed else to_bad(error))
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
        if follow := self._others.get(method):
            return self._converter.unstructure(await follow(params, call))
        if params is not None and not is_object(params):
            raise Bad(INVALID_PARAMS, "The params of this method are an object.")
        typed = self._converter.structure({} if params is None else params, METHODS[method].params)
        if len(getattr(typed, "client_key", "")) > LONGEST_KEY:
            raise limit_exceeded("clientKey", LONGEST_KEY)
        if isinstance(self._connection.world, NoWorld):
            await self._connection.world.retry()
        return self._converter.unstructure(await self._methods[method](self._connection, typed, call))

    def _refuse(self, call: Call, method: str, bad: Bad) -> None:
        bad.id = call.id
        if bad.code == INVALID_PARAMS:
            bad.data.setdefault("hint", hint_of_params(method))
        _log.debug("request %s: refused (%s)", call.id, bad.code, extra={"details": str(bad)})
        self._connection.peer.refuse(bad)


def acknowledge(connection: Connection, params: JsonObject) -> None:
    """Note that the client has the events of a session up to a fact; what makes no sense is ignored."""
    session_id, seq = params.get("sessionId"), params.get("seq")
    known = {**connection.attached, **connection.followed}
    attached = known.get(session_id) if isinstance(session_id, str) else None
    if attached and isinstance(seq, int):
        attached.cancel_target.acknowledge(seq)
        attached.publisher.acknowledge(seq)
