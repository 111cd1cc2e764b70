"""The engine's values as values of the protocol: content, changes, calls, questions, ends of runs."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import cast

from agls.diff import files_in
from agls.engine import vocabulary as engine
from agls.engine.facts import Admitted, Cleared, Compacted, Expanded, Rewound
from agls.engine.state import State
from agls.engine.vocabulary import (
    Answer,
    FileChange,
    FileVersion,
    Image,
    JsonObject,
    Resource,
    Stop,
    StopReason,
    Text,
    ToolCall,
    UserMessage,
)
from agls.names import camel
from agls.short_text import brief
from agls.terminal_codes import without_colours, without_marks
from agls.views.permission_text import permission_text
from agls.views.wire_json import compact, file_uri, file_uris, filled, timestamp
from agls_protocol import items
from agls_protocol.events import (
    HistoryRewoundData,
    RequestResolvedData,
    RunAdmittedData,
    SessionInfoData,
    Waiting,
)
from agls_protocol.items import (
    Change,
    CompactionItem,
    Content,
    ImageContent,
    Limits,
    NoticeItem,
    RunError,
    Terminal,
    ToolCallItem,
    Usage,
    UserMessageItem,
)
from agls_protocol.types import Option, Question, ShownText

TITLE_LENGTH = 100
MAIN, HELPER = "main", "helper"  # the agent of a session that works for no other, and a child without a name

STOP_REASONS: Mapping[StopReason, str] = {
    StopReason.END_TURN: "endTurn",
    StopReason.MAX_TOKENS: "maxTokens",
    StopReason.MAX_TURNS: "maxTurns",
    StopReason.BUDGET: "budget",
    StopReason.CONTEXT_FULL: "contextFull",
    StopReason.REFUSAL: "refusal",
    StopReason.CANCELLED: "cancelled",
    StopReason.TIMEOUT: "timeout",
    StopReason.KILLED: "killed",
    StopReason.GUARD: "guard",
    StopReason.MODEL_ERROR: "error",
    StopReason.INTERNAL_ERROR: "error",
    StopReason.INTERRUPTED: "interrupted",
}
_LIMITS = [(limit.name, camel(limit.name)) for limit in fields(engine.Limits)]
_COUNTS = [(count.name, camel(count.name)) for count in fields(engine.Usage) if count.name != "estimated"]


def agent_id(state: State) -> str:
    """Return who works in a session: the user's agent, or a child by the name of what it is."""
    return str(state.options.get("agent") or HELPER) if state.parent_item else MAIN


def session_info(state: State) -> SessionInfoData:
    """Return what is known of a session."""
    return compact(
        SessionInfoData,
        {
            "cwd": file_uri(state.cwd),
            "title": state.title,
            "parentSessionId": state.parent,
            "additionalRoots": file_uris(state.roots),
        },
    )


def content_blocks(content: Iterable[engine.Content]) -> list[Content]:
    """Return content as a list of blocks with their `type`."""
    return [_block(part) for part in content]


def _block(part: engine.Content) -> Content:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Image():
            return image(part)
        case Resource(uri, text):
            return {"type": "resource", "uri": uri, "text": text}
        case _:
            return compact(
                items.ResourceLinkContent, {"type": "resourceLink", "uri": part.uri, "name": part.name}
            )


def image(part: Image) -> ImageContent:
    """Return an image as a block."""
    return {"type": "image", "data": part.data, "mimeType": part.media_type}


def plain_text(content: Iterable[engine.Content]) -> str:
    """Return the text of content, for places that show only text."""
    return "\n".join(part.text for part in content if isinstance(part, Text | Resource))


# --- runs ----------------------------------------------------------------------------------------


def admission(admitted: Admitted, *, queued: bool) -> RunAdmittedData:
    """Return how a prompt was admitted."""
    return compact(
        RunAdmittedData,
        {
            "admission": "queued" if queued else "started",
            "itemId": admitted.item_id,
            "content": content_blocks(admitted.content),
            "recovers": admitted.recovers,
        },
    )


def waiting(admitted: Admitted) -> Waiting:
    """Return a run that waits for its turn."""
    content = content_blocks(admitted.content)
    return {"runId": admitted.run_id, "itemId": admitted.item_id, "content": content}


def limits(values: engine.Limits) -> Limits:
    """Return the limits that are set."""
    known = {wire: value for name, wire in _LIMITS if (value := getattr(values, name)) is not None}
    return cast(Limits, known)


def usage(counted: engine.Usage) -> Usage:
    """Return the counts that the provider reported."""
    known = {wire: count for name, wire in _COUNTS if (count := getattr(counted, name)) is not None}
    return cast(Usage, known)


def stop_reason(stop: Stop) -> str:
    """Return why a run ended."""
    return STOP_REASONS[stop.reason]


ERROR_TITLES = {
    "auth": "The key was refused",
    "authRequired": "A key is needed",
    "configInvalid": "The settings keep it from working",
    "modelNotFound": "There is no such model",
    "badRequest": "The model refused the request",
    "quota": "The quota is used up",
    "rateLimit": "Too many requests",
    "overloaded": "The model is overloaded",
    "contextTooLong": "The conversation is too long for the model",
    "contentFilter": "The answer was filtered",
    "emptyAnswer": "The model answered nothing",
    "network": "The model cannot be reached",
    "timeout": "The model did not answer in time",
    "providerInternal": "The provider had an error",
}
RUN_FAILED = "The run failed"


def run_error(stop: Stop) -> RunError | None:
    """Return the error that ended a run, `None` for a run that ended otherwise."""
    if stop_reason(stop) != "error":
        return None
    fallback = "internal" if stop.reason is StopReason.INTERNAL_ERROR else "providerInternal"
    kind = stop.kind or fallback
    return compact(
        RunError,
        {
            "kind": kind,
            "message": stop.detail,
            "title": ERROR_TITLES.get(kind, RUN_FAILED),
            "httpStatus": stop.status,
            "provider": stop.provider,
            "attempts": stop.attempts or None,
            "resetsAt": None if stop.resets_at is None else timestamp(stop.resets_at),
        },
    )


# --- items ---------------------------------------------------------------------------------------


def user_message(
    message: UserMessage, headings: Mapping[str, str], *, steered: bool
) -> UserMessageItem | NoticeItem:
    """Return the item of what was said in the user's place: by the user, or by a room (`origin`).

    What rooms say stands below their `headings`."""
    if message.origin != "user":
        text = plain_text(message.content)
        return {
            "itemId": message.item_id,
            "kind": "notice",
            "status": "completed",
            "title": headings.get(message.origin, message.origin),
            "text": text,
        }
    item: UserMessageItem = {
        "itemId": message.item_id,
        "kind": "userMessage",
        "status": "completed",
        "content": content_blocks(message.content),
    }
    return {**item, "steer": True} if steered else item


def tool_call(call: ToolCall, status: str = "pending") -> ToolCallItem:
    """Return the item of a call that has not ended."""
    return compact(
        ToolCallItem,
        {
            "itemId": call.call_id,
            "kind": "toolCall",
            "status": status,
            "name": call.name,
            "title": call_title(call.name, call.arguments),
            "input": call.arguments,
            "malformed": call.malformed,
        },
    )


def call_title(name: str, arguments: JsonObject) -> str:
    """Return one line that says what the call is about: its name and its first text argument.

    A patch is named by its files.
    """
    subject = next((str(value) for value in arguments.values() if isinstance(value, str) and value), "")
    return brief(f"{name} {', '.join(files_in(subject)) or subject}", TITLE_LENGTH)


def change(done: FileChange) -> Change:
    """Return one file as a call changed it."""
    shown: Change = {
        "uri": done.uri,
        "change": done.change,
        "base": _version(done.base),
        "result": _version(done.result),
        "patch": done.patch,
        "via": done.via,
    }
    return {**shown, "cells": done.cells} if done.cells else shown


def _version(version: FileVersion) -> items.FileVersion:
    known = version.version
    return {"hash": version.hash} if known is None else {"hash": version.hash, "version": known}


def terminal(command: engine.Terminal, output: str = "") -> Terminal:
    """Return a command as it ran, with its colours if its `output` is what remains without them."""
    coloured = without_marks(command.coloured)
    return compact(
        Terminal,
        {
            "command": command.command,
            "cwd": command.cwd,
            "exitCode": command.exit_code,
            "signal": command.signal,
            "unsaved": list(command.unsaved),
            "coloured": coloured if without_colours(coloured) == output else "",
        },
    )


def compaction(fact: Compacted | Cleared | Expanded) -> CompactionItem | NoticeItem:
    """Return the item of a summary, or the notice of what left the context or came back."""
    before, after = fact.tokens_before, fact.tokens_after
    if isinstance(fact, Compacted):
        item: CompactionItem = {
            "itemId": fact.item_id,
            "status": "completed",
            "kind": "compaction",
            "text": fact.summary,
        }
        tokens = filled(tokensBefore=before, tokensAfter=after) if before else {}
        return cast(CompactionItem, {**item, **tokens})
    size = f": about {before:,} tokens before, {after:,} now" if before else ""
    if isinstance(fact, Expanded):
        text = f"The summary is undone: the model sees what it replaced{size}."
    else:
        calls = "1 earlier call" if len(fact.call_ids) == 1 else f"{len(fact.call_ids)} earlier calls"
        text = f"Taken out of what the model sees: the results of {calls}{size}."
    return {
        "itemId": fact.item_id,
        "status": "completed",
        "kind": "notice",
        "title": "Room in the conversation",
        "text": text,
    }


# --- questions and rewinds -----------------------------------------------------------------------


def question(request_id: str, asked: engine.Question) -> Question:
    """Return an open question, as `requestOpened` and the requests to the client carry it."""
    members: Question = {
        "requestId": request_id,
        "kind": asked.kind,
        "title": asked.title,
        "reason": asked.reason,
        "itemId": asked.call_id,
        "subject": asked.subject,
        "options": [_option(option) for option in asked.options],
        "schema": asked.schema,
        "shown": _shown(asked),
    }
    return compact(Question, members)


def _option(option: engine.Option) -> Option:
    members: Option = {
        "optionId": option.option_id,
        "label": option.label,
        "decision": option.decision,
        "scope": option.scope,
        "rule": option.rule,
    }
    return compact(Option, members)


def _shown(asked: engine.Question) -> ShownText | None:
    """Return what must be seen before a yes; a form has none."""
    if asked.kind == "form":
        return None
    shown = permission_text(asked)
    return {"text": shown.text, "whole": shown.whole}


def resolution(request_id: str, answer: Answer) -> RequestResolvedData:
    """Return how a question ended. What a form was filled with stays between the user and the tool."""
    return compact(
        RequestResolvedData,
        {
            "requestId": request_id,
            "outcome": answer.outcome,
            "optionId": answer.option_id,
            "feedback": answer.feedback,
            "by": answer.by,
        },
    )


def rewound(fact: Rewound) -> HistoryRewoundData:
    """Return how far the conversation went back, and which files with it."""
    return compact(
        HistoryRewoundData,
        {
            "checkpointId": fact.checkpoint_id,
            "lastItemId": fact.item_id,
            "conversation": fact.keep is not None or bool(fact.undoes),
            "changes": [change(done) for done in fact.changes],
            "undoes": fact.undoes,
        },
    )
