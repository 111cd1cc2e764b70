"""Code actions: answer a question, keep or revert a change, ask about code (protocol#plain-mode)."""

from collections.abc import Iterator, Sequence
from typing import Any

from agls.diff import lines_of
from agls.doors.agent.call import Call
from agls.doors.lsp.connection import LspConnection
from agls.doors.lsp.plain.changes import rows_in
from agls.doors.messages import JsonObject
from agls.doors.positions import TextPosition, offset_at, place_of
from agls.json_values import is_object, list_in, object_in
from agls.short_text import cut
from agls.views.escape import escape_controls
from agls.views.permission_text import message_text
from agls.workspace.editor import Buffer

KIND = "quickfix"
MOST_DIAGNOSTICS = 5  # of one place
LONGEST_TITLE = 60  # characters of a diagnostic
LONGEST_QUESTION = 240  # characters of what is asked: there may be no other place to read it
SELECTION = 2  # characters; in some editors the cursor selects one
AROUND = 10  # lines shown to the model before and after a diagnostic
ABOUT = "Explain this code: what it does, and what looks wrong or risky. Do not change anything."
FIX = "Fix this problem"
MOVED_ON = "it was changed since, so it cannot be distinguished from your own edits"

Span = tuple[TextPosition, TextPosition]


async def code_actions(connection: LspConnection, params: Any, call: Call) -> list[JsonObject]:
    """List the code actions for a range of a document. **Raises** `Malformed`."""
    call.interruptible = True
    given = params if is_object(params) else {}
    context = object_in(given, "context")
    if not _wanted(context):
        return []
    span = place_of(object_in(given, "range", "start")), place_of(object_in(given, "range", "end"))
    buffer = connection.buffer(str(object_in(given, "textDocument").get("uri", "")))
    actions = [*_answers(connection)]
    if buffer is not None:
        for attached in list(connection.attached.values()):
            actions += _changes(await rows_in(attached, buffer), span)
        actions += [*_fixes(buffer, list_in(context.get("diagnostics"))), *_about(connection, buffer, span)]
    return [_as_known(connection, action) for action in actions]


def _wanted(context: JsonObject) -> bool:
    only = list_in(context.get("only"))
    return not only or any(kind in ("", KIND) for kind in only)


def _as_known(connection: LspConnection, action: JsonObject) -> JsonObject:
    """Return the action as far as this client knows actions: whole, without `disabled`, or as a command."""
    if not connection.client.action_literals:
        return action["command"]
    known = {name: value for name, value in action.items() if name != "disabled"}
    return action if connection.client.disabled_actions else known


def _action(title: str, command: str, argument: Any, **more: Any) -> JsonObject:
    run = {"title": title, "command": command, "arguments": [argument]}
    return {"title": title, "kind": KIND, "command": run, **more}


def _answers(connection: LspConnection) -> Iterator[JsonObject]:
    """Yield the answers to the open permission questions, wherever the cursor is."""
    for attached in connection.attached.values():
        for request_id, question in attached.session.outline.questions.items():
            if question.kind == "form":
                continue
            whole = message_text(question).whole
            if not whole:
                title = f"agls: Read what is asked: {_short(question.title, LONGEST_QUESTION)}"
                yield _action(title, "agls.transcript", attached.session.session_id)
            for option in question.options:
                if option.decision == "allow" and not whole:
                    continue
                command = "agls.approve" if option.decision == "allow" else "agls.reject"
                argument = {"requestId": request_id, "optionId": option.option_id}
                title = f"agls: {option.label}: {_short(question.title, LONGEST_QUESTION)}"
                yield _action(title, command, argument)


def _changes(rows: Sequence[JsonObject], span: Span) -> Iterator[JsonObject]:
    """Yield the actions for the changes of the agent that the span touches."""
    for row in rows:
        last = row["line"] + max(len(lines_of(row["new"])) - 1, 0)
        if not (row["line"] <= span[1].line and span[0].line <= last):
            continue
        yield _action("Keep this change", "agls.keep", {"hunk": row["hunk"]})
        disabled = {} if row["stands"] else {"disabled": {"reason": MOVED_ON}}
        yield _action("Undo this change", "agls.revert", {"hunk": row["hunk"]}, **disabled)


def _fixes(buffer: Buffer, diagnostics: list[Any]) -> Iterator[JsonObject]:
    for diagnostic in [d for d in diagnostics if is_object(d)][:MOST_DIAGNOSTICS]:
        message = str(diagnostic.get("message", ""))
        first = place_of(object_in(diagnostic, "range", "start")).line
        last = place_of(object_in(diagnostic, "range", "end")).line
        lines = lines_of(buffer.text)
        start, end = max(0, first - AROUND), min(len(lines), last + 1 + AROUND)
        source = f" of {diagnostic['source']}" if isinstance(diagnostic.get("source"), str) else ""
        said = f"{FIX}{source} in line {first + 1} of {buffer.uri}:\n{message}"
        blocks = [_text(said), _resource(buffer, start, end, "".join(lines[start:end]))]
        title = f"Fix this diagnostic with agls: {_short(message, LONGEST_TITLE)}"
        yield _action(title, "agls.run", {"input": blocks}, diagnostics=[diagnostic])


def _about(connection: LspConnection, buffer: Buffer, span: Span) -> Iterator[JsonObject]:
    start, end = (offset_at(buffer.text, place, connection.client.encoding) for place in span)
    selected = buffer.text[start:end].strip()
    if len(selected) < SELECTION:
        return
    last = span[1].line + bool(span[1].character)
    asked = [_text(ABOUT), _resource(buffer, span[0].line, last, buffer.text[start:end])]
    yield _action("Ask agls about this selection", "agls.run", {"input": asked, "transcript": True})
    task = [_text(selected), {"type": "resourceLink", "uri": buffer.uri}]
    yield _action("Give this selection to agls as a task", "agls.run", {"input": task})


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": text}


def _resource(buffer: Buffer, start: int, end: int, text: str) -> JsonObject:
    """Return some lines of a document as input: from `start` up to but without `end`, zero-based."""
    return {"type": "resource", "uri": f"{buffer.uri}#L{start + 1}-L{end}", "text": text}


def _short(text: str, most: int) -> str:
    return cut(escape_controls(" ".join(text.split())), most)
