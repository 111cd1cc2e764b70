"""Requests on standard input: JSON-RPC lines, each answered (protocol#headless)."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any

from agls.doors import from_wire
from agls.doors.errors import bad, check_asked, to_bad, unsupported
from agls.doors.headless.stdin_lines import LONGEST, StdinLines
from agls.doors.messages import (
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    Bad,
    kind_of,
    parse,
)
from agls.doors.task_choice import keep_or_stop
from agls.engine import run_action
from agls.engine.session import Session
from agls.engine.vocabulary import JsonObject, Text
from agls.views import values
from agls.views.wire_json import is_object
from agls_protocol import types
from agls_protocol.converter import make_converter
from agls_protocol.methods import METHODS
from agls_protocol.sessions import ActionInvokeParams, ActionInvokeResult


async def steer(session: Session, params: types.SteerParams) -> types.SteerResult:
    """Follow `agent/steer`: injected while the run goes on, else returned."""
    if params.if_ended != "return":
        message = "This process ends with its run: params.ifEnded can only be return. Go on with agls resume."
        raise unsupported(message, "ifEnded")
    if params.expand:
        raise unsupported("Here a text is taken as it is written: leave params.expand out.", "expand")
    content = from_wire.content(params.input)
    if not content:
        raise from_wire.Malformed("params.input must not be empty")
    done = await session.steer(content, params.expected_run_id, "return", params.client_key)
    return types.SteerResult(done.outcome, done.run_id or None, done.item_id or None)


async def cancel(session: Session, params: types.CancelParams) -> types.CancelResult:
    """Follow `agent/cancel`."""
    stop = from_wire.stop_of(params.reason)
    tasks = keep_or_stop(session.background, params.tasks, stop)
    done = session.cancel(params.run_id, params.queued, stop)
    kept, dropped = list(done.kept), list(done.dropped)
    return types.CancelResult(done.state, kept, dropped, done.run_id or None, *tasks)


async def respond(session: Session, params: types.RespondParams) -> types.RespondResult:
    """Follow `agent/respond`."""
    question = session.state.questions.get(params.request_id)
    if question is None:
        check_asked([session], params.request_id)
    answer = question and from_wire.answer(question, params.response, "stdin")
    accepted = answer and session.questions.answer(params.request_id, answer)
    return types.RespondResult("accepted" if accepted else "alreadyResolved")


async def invoke(session: Session, params: ActionInvokeParams) -> ActionInvokeResult:
    """Follow `agent/action/invoke`, for the actions that are possible while the run is on."""
    done = await run_action.invoke(session, params.name, params.input)
    return ActionInvokeResult(values.content_blocks([Text(done.text)]), done.data, done.run_id or None)


FOLLOWED: Mapping[str, Callable[[Session, Any], Awaitable[Any]]] = {
    "agent/steer": steer,
    "agent/cancel": cancel,
    "agent/respond": respond,
    "agent/action/invoke": invoke,
}


class Control:
    """A program that writes requests, one per line, and reads their answers among the events.

    It counts as somebody who can answer questions until its input ends. Requests are followed in order.
    """

    invokes = True

    def __init__(self, lines: StdinLines, reply: Callable[[JsonObject], None]) -> None:
        self._lines, self._reply = lines, reply
        self._converter = make_converter()
        self._served = asyncio.Event()
        self._sessions: dict[str, Session] = {}  # the one of the run first, then its children
        self._left = False  # whether the input has ended

    def attach(self, session: Session) -> None:
        """Answer the questions of this session."""
        self._sessions[session.session_id] = session
        if not self._left:
            session.questions.attend(True)

    async def serve(self, session: Session) -> None:
        """Follow the requests until the input ends; from then on nobody answers questions."""
        try:
            async with aclosing(self._lines.lines()) as lines:
                async for line in lines:
                    if line is None or line.strip():
                        self._reply(await self._answer(session, line))
            self._left = True
            for attended in self._sessions.values():
                attended.questions.attend(False)
        finally:
            self._served.set()

    async def settle(self) -> None:
        """Answer the requests that came by now."""
        self._lines.finish()
        await self._served.wait()

    async def _answer(self, session: Session, line: bytes | None) -> JsonObject:
        known = None
        try:
            if line is None:
                raise Bad(INVALID_REQUEST, f"A line is longer than {LONGEST} bytes.", kind="limitExceeded")
            message = parse(line)
            if kind_of(message) != "request":
                text = "Every line is a request with a method and an id. agent/respond answers questions."
                raise Bad(INVALID_REQUEST, text)
            known = message["id"]
            return {"jsonrpc": "2.0", "id": known, "result": await self._result(session, message)}
        except Exception as error:  # noqa: BLE001 - every line gets an answer
            refused = to_bad(error)
            refused.id = refused.id if known is None else known
            return refused.reply()

    async def _result(self, session: Session, message: JsonObject) -> Any:
        method, params = message["method"], message.get("params")
        if method not in FOLLOWED:
            known = ", ".join(FOLLOWED)
            raise Bad(METHOD_NOT_FOUND, f"There is no method {method[:200]!r} here; there are {known}.")
        if params is not None and not is_object(params):
            raise Bad(INVALID_PARAMS, "The params of this method are an object.")
        given = {name: value for name, value in (params or {}).items() if value is not None}
        typed = self._converter.structure({"sessionId": session.session_id, **given}, METHODS[method].params)
        asking = [s for s in self._sessions.values() if getattr(typed, "request_id", "") in s.state.questions]
        meant = asking[0] if asking else self._sessions.get(str(given.get("sessionId", session.session_id)))
        if meant is None:
            text = f"This process has only {session.session_id} and its children."
            raise bad("sessionNotFound", text)
        return self._converter.unstructure(await FOLLOWED[method](meant, typed))
