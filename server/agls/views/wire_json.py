"""How the engine's nouns look on the wire: plain JSON values with camelCase names (protocol#events)."""

from collections.abc import Iterable, Mapping
from dataclasses import fields
from datetime import UTC, datetime
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, TypeGuard

from agls.engine.facts import Cleared, Compacted, Rewound
from agls.engine.vocabulary import (
    Answer,
    Content,
    FileChange,
    FileVersion,
    Image,
    JsonObject,
    Limits,
    Question,
    Resource,
    Stop,
    StopReason,
    Terminal,
    Text,
    ToolCall,
)
from agls.views.permission_text import permission_text

KEPT_INLINE = 65_536  # bytes of one tool output that travel inside its item (protocol#flow)
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


def is_object(value: object) -> TypeGuard[JsonObject]:
    """Whether a parsed JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Whether a parsed JSON value is an array."""
    return isinstance(value, list)


def timestamp(at: float) -> str:
    """Unix seconds as ISO 8601 in UTC, with milliseconds."""
    second, thousandths = divmod(round(at * 1000), 1000)
    return f"{_second(second)}.{thousandths:03}Z"


@lru_cache(maxsize=16)
def _second(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()[: -len("+00:00")]


def utf8_length(text: str) -> int:
    """The length of `text` in UTF-8 bytes, the unit of all offsets on the wire."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def file_uri(path: str) -> str:
    """The `file:` URI of an absolute path; "" and what is already a URI stay as they are."""
    return Path(path).as_uri() if Path(path).is_absolute() else path


@cache
def camel(name: str) -> str:
    """`max_turns` as `maxTurns`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


_LIMITS = [(limit.name, camel(limit.name)) for limit in fields(Limits)]


def known(values: Mapping[str, Any]) -> JsonObject:
    """The members that are not `None`, with wire names."""
    return {camel(name): value for name, value in values.items() if value is not None}


def filled(**members: Any) -> JsonObject:
    """The members that say something: neither `None` nor empty."""
    return {name: value for name, value in members.items() if value not in (None, "", (), [], {})}


def agent_id(parent_item: str, options: Mapping[str, object]) -> str:
    """Who works in a session: the user's agent, or a child by the name of what it is."""
    return str(options.get("agent") or HELPER) if parent_item else MAIN


def session_info(cwd: str, title: str, parent: str, roots: Iterable[str]) -> JsonObject:
    """What `sessionInfo` says: only what is known."""
    return filled(
        cwd=file_uri(cwd),
        title=title,
        parentSessionId=parent,
        additionalRoots=[file_uri(root) for root in roots],
    )


def content_blocks(content: Iterable[Content]) -> list[JsonObject]:
    """Content as a list of blocks told apart by `type`."""
    return [_block(part) for part in content]


def _block(part: Content) -> JsonObject:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Image(data, media_type):
            return {"type": "image", "data": data, "mimeType": media_type}
        case Resource(uri, text):
            return {"type": "resource", "uri": uri, "text": text}
        case _:
            return {"type": "resourceLink", "uri": part.uri, **filled(name=part.name)}


def plain_text(content: Iterable[Content]) -> str:
    """The text of content, for places that show only text."""
    return "\n".join(part.text for part in content if isinstance(part, Text | Resource))


def capped(text: str) -> tuple[str, int]:
    """Head and tail of a text that is too large to travel, and how many UTF-8 bytes were left out."""
    if utf8_length(text) <= KEPT_INLINE:
        return text, 0
    head, tail = ends(text)
    omitted = utf8_length(text) - utf8_length(head) - utf8_length(tail)
    return joined(head, tail, omitted), omitted


def ends(text: str) -> tuple[str, str]:
    """The head and the tail that travel of a text that is too large."""
    data = text.encode("utf-8", "replace")
    half = KEPT_INLINE // 2
    return data[:half].decode("utf-8", "ignore"), data[-half:].decode("utf-8", "ignore")


def joined(head: str, tail: str, omitted: int) -> str:
    """What is shown of a text of which `omitted` bytes in the middle are left out."""
    return f"{head}\n[… {omitted} bytes left out …]\n{tail}" if omitted else head + tail


def change(done: FileChange) -> JsonObject:
    """One file as a call changed it."""
    return {
        "uri": done.uri,
        "change": done.change,
        "base": _version(done.base),
        "result": _version(done.result),
        "patch": done.patch,
        "via": done.via,
    }


def _version(version: FileVersion) -> JsonObject:
    return {"hash": version.hash, **known({"version": version.version})}


def terminal(block: Terminal) -> JsonObject:
    """A command as it ran."""
    return {
        "command": block.command,
        "cwd": block.cwd,
        "exitCode": block.exit_code,
        **filled(signal=block.signal, unsaved=list(block.unsaved)),
    }


def call_item(call: ToolCall) -> JsonObject:
    """The item of a call that has not started."""
    return {
        "itemId": call.call_id,
        "kind": "toolCall",
        "status": "pending",
        "name": call.name,
        "title": call_title(call.name, call.arguments),
        "input": call.arguments,
        **filled(malformed=call.malformed),
    }


def call_title(name: str, arguments: JsonObject) -> str:
    """One line that says what the call is about: its name and its first text argument."""
    subject = next((str(value) for value in arguments.values() if isinstance(value, str) and value), "")
    line = f"{name} {' '.join(subject.split())}".strip()
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1] + "…"


def question(request_id: str, asked: Question) -> JsonObject:
    """An open question, as `requestOpened` and the requests to the client carry it."""
    options = [
        {
            "optionId": option.option_id,
            "label": option.label,
            "decision": option.decision,
            "scope": option.scope,
            **filled(rule=option.rule),
        }
        for option in asked.options
    ]
    return {
        "requestId": request_id,
        "kind": asked.kind,
        "title": asked.title,
        **filled(
            reason=asked.reason,
            itemId=asked.call_id,
            subject=asked.subject,
            options=options,
            schema=asked.schema,
            shown=_shown(asked),
        ),
    }


def _shown(asked: Question) -> JsonObject:
    """What must be seen before a yes, for a permission."""
    if asked.kind != "permission":
        return {}
    shown = permission_text(asked)
    return {"text": shown.text, "whole": shown.whole}


def resolution(request_id: str, answer: Answer) -> JsonObject:
    """How a question ended. What a form was filled with stays between the user and the tool."""
    return {
        "requestId": request_id,
        "outcome": answer.outcome,
        **filled(optionId=answer.option_id, feedback=answer.feedback, by=answer.by),
    }


def stop_members(stop: Stop) -> JsonObject:
    """Why a run ended: `stopReason`, and `error` or a `detail` for people where there is one."""
    reason = STOP_REASONS[stop.reason]
    if reason == "error":
        fallback = "internal" if stop.reason is StopReason.INTERNAL_ERROR else "providerInternal"
        resets = None if stop.resets_at is None else timestamp(stop.resets_at)
        more = filled(
            httpStatus=stop.status, provider=stop.provider, attempts=stop.attempts or None, resetsAt=resets
        )
        error = {"kind": stop.kind or fallback, "message": stop.detail, **more}
        return {"stopReason": reason, "error": error}
    return {"stopReason": reason, **filled(detail=stop.detail)}


def rewound(fact: Rewound) -> JsonObject:
    """How far the conversation went back, and which files with it."""
    conversation = fact.keep is not None or bool(fact.undoes)
    return {
        "checkpointId": fact.checkpoint_id,
        "lastItemId": fact.item_id,
        "conversation": conversation,
        "changes": [change(done) for done in fact.changes],
        **filled(undoes=fact.undoes),
    }


def compaction(fact: Compacted | Cleared) -> JsonObject:
    """The item that says how what the model sees became shorter."""
    item: JsonObject = {"itemId": fact.item_id, "status": "completed"}
    before, after = fact.tokens_before, fact.tokens_after
    if isinstance(fact, Compacted):
        tokens = filled(tokensBefore=before, tokensAfter=after) if before else {}
        return {**item, "kind": "compaction", "text": fact.summary, **tokens}
    size = f": about {before:,} tokens before, {after:,} now" if before else ""
    calls = "1 earlier call" if len(fact.call_ids) == 1 else f"{len(fact.call_ids)} earlier calls"
    text = f"Taken out of what the model sees: the results of {calls}{size}."
    return {**item, "kind": "notice", "title": "compaction", "text": text}


def limits(values: Limits) -> JsonObject:
    """The limits that are set."""
    return {told: value for name, told in _LIMITS if (value := getattr(values, name)) is not None}
