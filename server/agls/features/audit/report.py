"""A record in words: JSON for programs, a page for people."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict

from agls.engine.facts import (
    Answered,
    Asked,
    Cleared,
    Compacted,
    Cut,
    Fact,
    Injected,
    LimitsChanged,
    Noted,
    Overflowed,
    PhaseStarted,
    Steered,
)
from agls.engine.limits import Totals
from agls.engine.vocabulary import Content, Image, JsonObject, Limits, Resource, ResourceLink, Text, ToolCall
from agls.features.audit.record import CallRow, ModelStep, RunRecord, status_of
from agls.short_text import cut

VERSION = 1  # of the shape of a record
WHO = {"agent": "agent", "caller": "caller", "mode": "mode", "parentRun": "parentRunId"}  # options here
TierOf = Callable[[Mapping[str, object]], str]  # the tier or model that runs with these options ask for
ENDINGS = {  # for people; a program reads the name in the record
    "end_turn": "done",
    "model_error": "failed",
    "internal_error": "failed",
    "max_turns": "stopped at the limit of turns",
    "timeout": "stopped at the time limit",
    "budget": "stopped at a limit",
    "max_tokens": "the answer was cut off at its output limit",
    "context_full": "the conversation did not fit the model",
    "refusal": "refused by the model",
    "guard": "stopped because it made no progress",
}
HAPPENED = {  # what a person wants to know of the events; the record for programs has all
    "asked": "asked",
    "answered": "answered",
    "steered": "told something meanwhile",
    "limitsChanged": "limits changed",
    "compacted": "conversation summarised",
    "cleared": "old results taken out",
    "overflowed": "too long for the model",
    "cut": "answer cut off",
}
SHORT = 100  # characters of an input or an argument on a page


def asked_for(options: Mapping[str, object]) -> str:
    """Return the tier or model that the options name."""
    return str(options.get("model", "")) or "default"


def as_json(record: RunRecord, session_id: str, tier_of: TierOf = asked_for) -> JsonObject:
    """Return all of the record. Times are Unix seconds; what is not known (yet) is null or absent."""
    return {
        "v": VERSION,
        "sessionId": session_id,
        "runId": record.run_id,
        "parentSessionId": record.parent or None,
        "recovers": record.recovers or None,
        **{name: record.options.get(option) for option, name in WHO.items()},
        "tier": tier_of(record.options),
        "inputs": [_part(part) for part in record.inputs],
        "options": {name: value for name, value in record.options.items() if value is not None},
        "limits": _limits(record.limits),
        "admittedAt": record.admitted,
        "startedAt": record.started,
        "endedAt": record.ended,
        "seconds": round(record.seconds, 3),
        "status": status_of(record),
        "detail": record.stop.detail if record.stop else "",
        "error": record.stop.kind if record.stop and record.stop.kind else None,
        "output": record.output,
        "used": _used(record.used),
        "steps": [_step(step) for step in record.steps],
        "events": [{"at": at, **_event(fact)} for at, fact in record.events],
    }


def brief(record: RunRecord) -> str:
    """Return how the run stands, in one paragraph."""
    used, limits = record.used, record.limits
    failed = sum(row.status == "failed" for row in record.calls)
    turns = f"{used.turns} turn{'s' * (used.turns != 1)}"
    if limits.max_turns is not None:
        turns = f"{used.turns} of {limits.max_turns} turns"
    thinking = f" ({used.reasoning_tokens} of it thinking)" if used.reasoning_tokens else ""
    calls = f"{used.tool_calls} tool call{'s' * (used.tool_calls != 1)}"
    tokens = f"{used.input_tokens} tokens in, {used.output_tokens} out{thinking}"
    why = f" ({record.stop.detail})" if record.stop and record.stop.detail else ""
    return (
        f"{record.run_id}: {_status(record)}{why}; {record.seconds:.0f} s, {turns}, "
        f"{calls} ({failed} failed), {tokens}, {_cost(used)}."
    )


def _status(record: RunRecord) -> str:
    status = status_of(record)
    return ENDINGS.get(status, status.replace("_", " "))


def _cost(used: Totals) -> str:
    """Return what the model calls cost, as far as their prices are known."""
    if not used.unpriced:
        return f"${used.cost:.4f}"
    if not used.cost:
        return "unknown cost"
    calls = "1 call" if used.unpriced == 1 else f"{used.unpriced} calls"
    return f"${used.cost:.4f} and {calls} of unknown price"


def page(records: Sequence[RunRecord]) -> str:
    """Return the records as Markdown."""
    return "\n\n".join(_section(record) for record in records) or "This session has had no run."


def _section(record: RunRecord) -> str:
    said = _short(" ".join(part.text for part in record.inputs if isinstance(part, Text)))
    rows = [
        f"| {r.call.name} | {_short(_written(r.call))} | {_ending(r)} | {_who(r)} |" for r in record.calls
    ]
    table = (
        ["", "| Tool | Arguments | Status | Allowed or refused by |", "|---|---|---|---|", *rows]
        if rows
        else []
    )
    names = [str(_event(fact)["name"]) for _, fact in record.events]
    events = [HAPPENED[name] for name in names if name in HAPPENED]
    events_line = [f"What happened: {', '.join(events)}."] if events else []
    return "\n".join([f"**{said or '(no new input)'}**", "", brief(record), *events_line, *table])


def _ending(row: CallRow) -> str:
    """Return how the call ended; one that was cut off while it ran may have done anything."""
    cut_off = row.status == "cancelled" and row.effects == "unknown"
    return "outcome unknown" if cut_off else row.status or "open"


def _who(row: CallRow) -> str:
    """Return who let the call run, or who refused it."""
    return _short(row.allowed_by or row.refused_by or "-")


def _written(call: ToolCall) -> str:
    return call.malformed or json.dumps(call.arguments, ensure_ascii=False)


def _short(text: str) -> str:
    return cut(" ".join(text.replace("|", "\\|").split()), SHORT)


def _limits(limits: Limits) -> JsonObject:
    return {name: value for name, value in asdict(limits).items() if value is not None}


def _used(used: Totals) -> JsonObject:
    return {
        "turns": used.turns,
        "modelCalls": used.model_calls,
        "toolCalls": used.tool_calls,
        "inputTokens": used.input_tokens,
        "outputTokens": used.output_tokens,
        "thinkingTokens": used.reasoning_tokens,
        "costUsd": None if used.unpriced else used.cost,
    }


def _step(step: ModelStep) -> JsonObject:
    reply = step.reply
    return {
        "at": step.at,
        "itemId": reply.item_id,
        "model": step.model,
        "text": reply.text,
        "finish": reply.finish,
        "usage": {name: value for name, value in asdict(reply.usage).items() if value is not None},
        "costUsd": reply.cost,
        "toolCalls": [_call(row) for row in step.calls],
    }


def _call(row: CallRow) -> JsonObject:
    seconds = (
        None if row.started is None or row.ended is None else round(max(0.0, row.ended - row.started), 3)
    )
    return {
        "callId": row.call.call_id,
        "name": row.call.name,
        "arguments": row.call.malformed or row.call.arguments,
        "startedAt": row.started,
        "seconds": seconds,
        "status": row.status or None,
        "allowedBy": row.allowed_by or None,
        "refusedBy": row.refused_by or None,
        "result": row.text,
        "effects": row.effects,
        "changed": list(row.uris),
    }


def _part(part: Content) -> JsonObject:
    match part:
        case Text(text):
            return {"type": "text", "text": text}
        case Image(data, media_type):
            return {"type": "image", "mimeType": media_type, "base64Chars": len(data)}
        case Resource(uri, text):
            return {"type": "resource", "uri": uri, "text": text}
        case ResourceLink(uri, name):
            return {"type": "resourceLink", "uri": uri, "name": name}


def _event(fact: Fact) -> JsonObject:
    """Return the name and the details of a fact."""
    match fact:
        case Noted(feature, kind, data):
            return {"name": f"{feature}.{kind}", **_named(data)}
        case Compacted() | Cleared():
            return _shortened(fact)
        case Asked(request_id, question):
            return {"name": "asked", "data": {"requestId": request_id, "title": question.title}}
        case Answered(request_id, answer):
            said = {
                "requestId": request_id,
                "outcome": answer.outcome,
                "optionId": answer.option_id,
                "by": answer.by,
            }
            return {"name": "answered", "data": said}
        case Steered(content=content, origin=origin):
            return {
                "name": "steered",
                "data": {"origin": origin, "content": [_part(part) for part in content]},
            }
        case Injected(messages):
            return {"name": "injected", "data": {"origins": [message.origin for message in messages]}}
        case LimitsChanged(limits):
            return {"name": "limitsChanged", "data": _limits(limits)}
        case _:
            return _of_the_model(fact)


def _shortened(fact: Compacted | Cleared) -> JsonObject:
    """Return how the context became shorter: why, and its size before and after."""
    tokens = {"tokensBefore": fact.tokens_before, "tokensAfter": fact.tokens_after}
    if isinstance(fact, Cleared):
        data = {"cause": fact.cause, **tokens, "resultsTakenOut": list(fact.call_ids)}
        return {"name": "cleared", "data": data}
    left = {"messagesReplaced": fact.keep_from, "messagesLeftOfThem": len(fact.kept) + 1}
    return {"name": "compacted", "data": {"cause": fact.cause, **tokens, **left, "summary": fact.summary}}


def _of_the_model(fact: Fact) -> JsonObject:
    match fact:
        case PhaseStarted(name, _, model):
            return {"name": "phaseStarted", "data": {"phase": name, "model": model}}
        case Overflowed(message, limit, used):
            return {"name": "overflowed", "data": {"message": message, "limit": limit, "used": used}}
        case Cut(cause=cause, text=text):
            return {"name": "cut", "data": {"cause": cause, "text": text}}
        case _:
            return {"name": type(fact).__name__}


def _named(data: Mapping[str, object]) -> JsonObject:
    return {"data": dict(data)} if data else {}
