"""The commands of plain mode: `workspace/executeCommand`, for clients that know only LSP (protocol 3.2)."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

from aglet.doors import from_wire
from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Attached, Door
from aglet.doors.lsp.messages import JsonObject
from aglet.doors.lsp.methods.cancel import cancel
from aglet.doors.lsp.methods.run import run
from aglet.doors.lsp.methods.steer import steer
from aglet.doors.shapes import is_list, is_object
from aglet_protocol.converter import make_converter
from aglet_protocol.types import CancelParams, RunParams, SteerParams

Command = Callable[[Door, JsonObject, Call], Awaitable[Any]]
Params = TypeVar("Params")
_converter = make_converter()


async def follow_command(door: Door, params: Any, call: Call) -> Any:
    """Follow a command with one JSON object or a bare string as its argument. Never waits for a run's end.

    An object has the members of the method of the same name; the session may be left out. The request's
    own `workDoneToken` is not used: it ends with the answer, and the run goes on (LSP 3.17, `$/progress`).
    """
    command = COMMANDS.get(str(params.get("command"))) if is_object(params) else None
    if command is None:
        raise from_wire.Malformed(f"params.command must be one of {', '.join(COMMANDS)}")
    arguments = params.get("arguments")
    first: Any = arguments[0] if is_list(arguments) and arguments else {}
    return await command(door, first if is_object(first) else {"input": first}, call)


async def _run(door: Door, given: JsonObject, call: Call) -> JsonObject:
    given = {"input": given.get("prompt", ""), **given, "wait": False}
    if not given.get("continueRun"):
        _require_words(given)
    params = await _params(RunParams, door, given, call)
    done = await run(door, params, call)
    return {"sessionId": params.session_id, "runId": done.run_id, "outcome": done.outcome}


async def _steer(door: Door, given: JsonObject, call: Call) -> JsonObject:
    given = {"input": given.get("prompt", ""), "ifEnded": "run", **given}
    _require_words(given)
    params = await _params(SteerParams, door, given, call)
    done = await steer(door, params, call)
    return {"sessionId": params.session_id, "runId": done.run_id, "outcome": done.outcome}


async def _cancel(door: Door, given: JsonObject, call: Call) -> JsonObject:
    if not (door.attached or given.get("sessionId")):
        return {"state": "notRunning"}
    params = await _params(CancelParams, door, given, call)
    done = await cancel(door, params, call)
    return {"sessionId": params.session_id, "state": done.state}


async def _approve(door: Door, given: JsonObject, call: Call) -> JsonObject:
    return _decide(door, given, "allow")


async def _reject(door: Door, given: JsonObject, call: Call) -> JsonObject:
    return _decide(door, given, "reject")


COMMANDS: Mapping[str, Command] = {
    "aglet.run": _run,
    "aglet.steer": _steer,
    "aglet.cancel": _cancel,
    "aglet.approve": _approve,
    "aglet.reject": _reject,
}


def _decide(door: Door, given: JsonObject, decision: str) -> JsonObject:
    """Answer the permission question that is named, or the oldest open one, with its first such option."""
    wanted = given.get("requestId", given.get("input"))
    for attached in door.attached.values():
        for request_id, question in list(attached.session.state.questions.items()):
            if question.kind != "permission" or (wanted and request_id != wanted):
                continue
            options = [option.option_id for option in question.options if option.decision == decision]
            response = (
                {"outcome": "selected", "optionId": options[0]} if options else {"outcome": "dismissed"}
            )
            answer = from_wire.answer(question, response, door.client.name)
            attached.session.questions.answer(request_id, answer)
            return {"requestId": request_id, "outcome": "accepted"}
    return {"outcome": "alreadyResolved"}


def _require_words(given: JsonObject) -> None:
    if not from_wire.content(given["input"]):
        raise from_wire.Malformed('say what to do: the argument is a string, or {"input": "…"}')


async def _params(kind: type[Params], door: Door, given: JsonObject, call: Call) -> Params:
    """The params of a method, in the session that is named, the one used last, or a new one."""
    named = str(given.get("sessionId") or "")
    _converter.structure({**given, "sessionId": named}, kind)  # no session is made for nothing
    attached = await _session(door, named, call)
    return _converter.structure({**given, "sessionId": attached.session.session_id}, kind)


async def _session(door: Door, named: str, call: Call) -> Attached:
    if named or door.attached:
        return await door.open(named or list(door.attached)[-1], call)
    if not door.folder:
        raise from_wire.Malformed("no folder is open: name a session, or open a folder")
    return door.attach(await door.world.sessions.create(door.folder), call)
