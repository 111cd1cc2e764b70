"""The commands of plain mode: `workspace/executeCommand` (protocol#plain-mode)."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple

from agls.doors import from_wire
from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.agent.methods.cancel import cancel
from agls.doors.agent.methods.resume import resume
from agls.doors.agent.methods.run import run
from agls.doors.agent.methods.session_list import list_sessions
from agls.doors.agent.methods.session_rewind import rewind_session
from agls.doors.agent.methods.set_option import set_option
from agls.doors.agent.methods.steer import steer
from agls.doors.errors import bad
from agls.doors.lsp.connection import LspConnection
from agls.doors.lsp.plain.changes import changes, keep, revert
from agls.doors.lsp.plain.pages import open_transcript
from agls.doors.lsp.plain.progress import INFO
from agls.doors.messages import JsonObject
from agls.doors.options import USER
from agls.engine.facts import Notice
from agls.engine.ports import JournalError
from agls.json_values import is_list, is_object
from agls.views.escape import escape_controls
from agls.views.wire_json import file_uri
from agls_protocol.converter import make_converter
from agls_protocol.resuming import ResumeParams
from agls_protocol.sessions import SessionRewindParams, SetOptionParams
from agls_protocol.types import (
    CancelParams,
    RunAnswer,
    RunParams,
    SessionListParams,
    SteerParams,
    SteerResult,
)

_converter = make_converter()


class EditorCommand(NamedTuple):
    """A command of plain LSP: its function, and the member that a bare string argument stands for."""

    follow: Callable[[LspConnection, JsonObject, Call], Awaitable[Any]]
    bare: str


async def follow_command(connection: LspConnection, params: Any, call: Call) -> Any:
    """Follow a command with one JSON object or a bare string as its argument. It waits for no run's end.

    An object has the members of the method of the same name; the session may be left out. The request's
    own `workDoneToken` is not used: it ends with the answer, and the run goes on (LSP 3.17, `$/progress`).
    """
    command = COMMANDS.get(str(params.get("command"))) if is_object(params) else None
    if command is None:
        raise from_wire.Malformed(f"params.command must be one of {', '.join(COMMANDS)}")
    arguments: Any = params.get("arguments")
    if arguments is not None and (not is_list(arguments) or len(arguments) > 1):
        raise from_wire.Malformed("params.arguments must be a list of one object or one string")
    first: Any = arguments[0] if arguments else None
    given = first if is_object(first) else {} if first is None else {command.bare: first}
    return await command.follow(connection, given, call)


async def _run(connection: LspConnection, given: JsonObject, call: Call) -> JsonObject:
    given = {"expand": _is_typed(given), "input": given.get("prompt", ""), **given, "wait": False}
    if not given.get("continueRun"):
        _require_prompt(given)
    given = {"chosenBy": USER, **given}  # plain mode has no views: who sends a command is a person
    params = _converter.structure(
        {**given, "sessionId": _named_session(given)}, RunParams
    )  # before one is made
    attached = await _session(connection, params.session_id, call)
    params.session_id = attached.session.session_id
    done = await run(connection, params, call)
    if given.get("transcript") is True:
        await _follow_in_transcript(connection, attached)
    return _answer(connection, params.session_id, done)


async def _steer(connection: LspConnection, given: JsonObject, call: Call) -> JsonObject:
    given = {"expand": _is_typed(given), "input": given.get("prompt", ""), "ifEnded": "run", **given}
    _require_prompt(given)
    params = _converter.structure({**given, "sessionId": _named_session(given)}, SteerParams)
    params.session_id = (await _session(connection, params.session_id, call)).session.session_id
    return _answer(connection, params.session_id, await steer(connection, params, call))


async def _cancel(connection: LspConnection, given: JsonObject, call: Call) -> JsonObject:
    params = _converter.structure({**given, "sessionId": _named_session(given)}, CancelParams)
    params.session_id = params.session_id or _session_of(connection, params.run_id)
    if not params.session_id:
        return {"state": "notRunning"}
    done = await cancel(connection, params, call)
    tasks = {"stoppedTasks": done.stopped_tasks} if done.stopped_tasks else {}
    return {"sessionId": params.session_id, "state": done.state, **tasks}


async def _resume(connection: LspConnection, given: JsonObject, call: Call) -> Any:
    """Attach to a session, the latest of this folder when none is named. Commands mean it from here on."""
    session_id = _named_session(given) or await _latest(connection)
    return await resume(connection, ResumeParams(session_id, replay="none"), call)


async def _sessions(connection: LspConnection, given: JsonObject, call: Call) -> Any:
    here = {"cwd": file_uri(connection.folder)} if connection.folder else {}
    return await list_sessions(connection, _converter.structure({**here, **given}, SessionListParams), call)


async def _transcript(connection: LspConnection, given: JsonObject, call: Call) -> JsonObject:
    return await open_transcript(
        connection, await connection.open(await _session_id(connection, given), call)
    )


async def _approve(connection: LspConnection, given: JsonObject, call: Call) -> JsonObject:
    return _decide(connection, given, "allow")


async def _reject(connection: LspConnection, given: JsonObject, call: Call) -> JsonObject:
    return _decide(connection, given, "reject")


async def _rewind(connection: LspConnection, given: JsonObject, call: Call) -> Any:
    """Rewind files and conversation, unless `what` says otherwise."""
    given = {"what": "both", **given, "sessionId": await _session_id(connection, given)}
    return await rewind_session(connection, _converter.structure(given, SessionRewindParams), call)


async def _set_option(connection: LspConnection, given: JsonObject, call: Call) -> Any:
    """Set an option; a bare string is `mode=plan`, or `mode=` to take the option back."""
    assigned = given.get("assign")
    if isinstance(assigned, str):
        name, said, value = assigned.partition("=")
        if not said:
            raise from_wire.Malformed(
                "say which option and what it is to be: mode=plan (or mode= for nothing)"
            )
        given = {"optionId": name.strip(), "value": value.strip() or None}
    given = {"chosenBy": USER, **given, "sessionId": await _session_id(connection, given)}
    return await set_option(connection, _converter.structure(given, SetOptionParams), call)


COMMANDS: Mapping[str, EditorCommand] = {
    "agls.run": EditorCommand(_run, "input"),
    "agls.steer": EditorCommand(_steer, "input"),
    "agls.cancel": EditorCommand(_cancel, "runId"),
    "agls.resume": EditorCommand(_resume, "sessionId"),
    "agls.sessions": EditorCommand(_sessions, "search"),
    "agls.transcript": EditorCommand(_transcript, "sessionId"),
    "agls.approve": EditorCommand(_approve, "requestId"),
    "agls.reject": EditorCommand(_reject, "requestId"),
    "agls.rewind": EditorCommand(_rewind, "toItemId"),
    "agls.setOption": EditorCommand(_set_option, "assign"),
    "agls.changes": EditorCommand(changes, "sessionId"),
    "agls.keep": EditorCommand(keep, "hunk"),
    "agls.revert": EditorCommand(revert, "hunk"),
}


def _decide(connection: LspConnection, given: JsonObject, decision: str) -> JsonObject:
    """Answer the permission question that is named, or the oldest open one.

    The answer is the option that `optionId` names, else the first option with this decision; `feedback` is
    what the model reads beside it.
    **Raises** `Malformed`, and `Bad` for a question that is not open.
    """
    wanted, option_id = from_wire.named(given, "requestId"), from_wire.named(given, "optionId")
    feedback = from_wire.named(given, "feedback")
    if given.get("requestId") == "":
        raise from_wire.Malformed("requestId must not be empty; without one the oldest question is meant")
    for attached in connection.attached.values():
        for request_id, question in list(attached.session.outline.questions.items()):
            if wanted and request_id != wanted:
                continue
            if question.kind == "form":
                if wanted:
                    raise from_wire.Malformed(f"{request_id} is a form. Answer it with agent/respond")
                continue
            options = [option.option_id for option in question.options if option.decision == decision]
            if option_id and option_id not in options:
                raise from_wire.Malformed(f"optionId must be one of {', '.join(options)}")
            chosen = option_id or next(iter(options), "")
            taken = {"outcome": "selected", "optionId": chosen} if chosen else {"outcome": "dismissed"}
            response = {**taken, "feedback": feedback}
            answer = from_wire.answer(question, response, connection.client.name)
            attached.session.questions.answer(request_id, answer)
            return {"requestId": request_id, "outcome": "accepted"}
    if wanted:
        raise bad("requestResolved", f"The question {str(wanted)[:100]!r} is not open (any more).")
    return {"outcome": "alreadyResolved"}


def _answer(connection: LspConnection, session_id: str, done: RunAnswer | SteerResult) -> JsonObject:
    """Return what the command is answered with; what a typed one came to is shown to its user, too."""
    answer = {"sessionId": session_id, "runId": done.run_id, "outcome": done.outcome}
    if not done.action:
        return answer
    if connection.client.plain:
        text = "\n".join(block.get("text", "") for block in done.action["output"])
        connection.peer.notify("window/showMessage", {"type": INFO, "message": escape_controls(text)})
    return {**answer, "action": done.action}


def _require_prompt(given: JsonObject) -> None:
    if not from_wire.content_or_files(given["input"]):
        raise from_wire.Malformed('say what to do: the argument is a string, or {"input": "…"}')


def _is_typed(given: JsonObject) -> bool:
    """Whether somebody typed this, as a bare string; blocks are what a program puts together."""
    return isinstance(given.get("input", given.get("prompt")), str)


def _named_session(given: JsonObject) -> str:
    """Return the id of the session that is named, "" for none. **Raises** `Malformed`."""
    return from_wire.named(given, "sessionId")


def _session_of(connection: LspConnection, run_id: str) -> str:
    """Return the id of the attached session with this run, else of the one used last."""
    for session_id, attached in connection.attached.items():
        state = attached.session.state
        if run_id and run_id in {state.run_id, *(waiting.run_id for waiting in state.queue)}:
            return session_id
    return connection.latest


async def _session(connection: LspConnection, named: str, call: Call) -> Attached:
    """Open the session that is named, the one used last, or a new one. **Raises** `Malformed` and `Bad`."""
    if named or connection.attached:
        return await connection.open(named or connection.latest, call)
    if not connection.folder:
        raise from_wire.Malformed("no folder is open: name a session, or open a folder")
    return connection.attach(await connection.world.sessions.create(connection.folder), call)


async def _session_id(connection: LspConnection, given: JsonObject) -> str:
    """Return the id of the session named, used last, or latest in the folder. **Raises** `Malformed`."""
    return _named_session(given) or connection.latest or await _latest(connection)


async def _latest(connection: LspConnection) -> str:
    """Return the newest session of the open folder, of all when none is open. **Raises** `Malformed`."""
    rows, _ = await connection.world.sessions.list(cwd=connection.folder)
    for row in rows:
        if not row.parent_item:  # a child is its parent's
            return row.session_id
    raise from_wire.Malformed("there is no session here yet: agls.run makes one")


async def _follow_in_transcript(connection: LspConnection, attached: Attached) -> None:
    """Open the transcript; when it cannot be shown, say so in a notice: the run was admitted all the same."""
    try:
        await open_transcript(connection, attached)
    except JournalError as problem:
        attached.session.log.show(Notice("warning", "The transcript cannot be shown", str(problem)))
