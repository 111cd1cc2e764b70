"""Whether a conversation keeps the rules that model servers have for calls and their results.

It is written out in every dialect and judged there by the strictest server of all: an answer never follows an
answer, and what follows one with calls begins with the result of each of them, in their order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agls.engine.facts import Entry, TurnStarted
from agls.engine.ports import ModelRequest
from agls.engine.state import State, fold
from agls.engine.vocabulary import Message
from agls.models.dialects.dialect import dialect_of
from agls.models.endpoint import DialectName, Endpoint
from support.model_dialects import DIALECTS

Json = dict[str, Any]
_ENDPOINTS = {
    dialect: Endpoint(name="m", model="model-1", base_url="http://host/v1", dialect=dialect)
    for dialect in DIALECTS
}


@dataclass
class Turn:
    """What one side says at a time: the model with its calls, or we with their results."""

    said: bool
    calls: list[str] = field(default_factory=list[str])
    results: list[str] = field(default_factory=list[str])
    words: bool = False
    late: bool = False  # a result stands behind our words


def refused(entries: Sequence[Entry]) -> Iterator[str]:
    """What broke the rules whenever the model was asked, or does so now."""
    state = State()
    for entry in entries:
        if isinstance(entry.fact, TurnStarted):
            yield from broken_rules(state.context.messages, asking=True)
        state = fold(state, entry)
    yield from broken_rules(state.context.messages)


def broken_rules(messages: Sequence[Message], *, asking: bool = False) -> Iterator[str]:
    """What servers of each dialect would refuse; with `asking`, also that nothing is left to answer."""
    for dialect in DIALECTS:
        body = dialect_of(_ENDPOINTS[dialect]).body(
            ModelRequest("r", "s", tuple(messages)), _ENDPOINTS[dialect]
        )
        yield from (f"{dialect}: {problem}" for problem in judged(turns_in(body, dialect), asking=asking))


def judged(turns: Sequence[Turn], *, asking: bool) -> Iterator[str]:
    """The rules that these turns break."""
    wanted: list[str] = []
    said = True
    for number, turn in enumerate(turns):
        if turn.said == said:
            yield f"turn {number} is of the same side as the one before" if number else "the model begins"
        if turn.results != wanted:
            yield f"turn {number} has results of {turn.results} for calls of {wanted}"
        if turn.late:
            yield f"turn {number} has a result behind other words"
        wanted, said = turn.calls, turn.said
    if asking and (said or not turns):
        yield "there is nothing to answer"


def turns_in(body: Json, dialect: DialectName) -> list[Turn]:
    """The conversation in the body of a request."""
    turns: list[Turn] = []
    for said, kind, name in _parts(body, dialect):
        if kind == "turn" or not turns or turns[-1].said != said:
            turns.append(Turn(said))
        turn = turns[-1]
        if kind == "call":
            turn.calls.append(name)
        elif kind == "result":
            turn.results.append(name)
            turn.late |= turn.words
        elif kind == "words":
            turn.words = True
    return turns


Part = tuple[bool, str, str]  # whether the model says it; turn, call, result or words; whose call it is


def _parts(body: Json, dialect: DialectName) -> Iterator[Part]:
    match dialect:
        case "chat" | "ollama":
            return _of_messages(body["messages"])
        case "responses":
            return _of_items(body["input"])
        case "anthropic":
            return _of_blocks(body["messages"])
        case "gemini":
            return _of_contents(body["contents"])
        case "scripted":
            raise ValueError(dialect)


def _of_messages(messages: Sequence[Json]) -> Iterator[Part]:
    for message in messages:
        match message["role"]:
            case "assistant":
                yield True, "turn", ""
                for call in message.get("tool_calls") or ():
                    yield True, "call", call.get("id") or call["function"]["name"]
            case "tool":
                yield False, "result", message.get("tool_call_id") or message["tool_name"]
            case "user":
                yield False, "words", ""
            case _:
                assert message["role"] == "system"


def _of_items(items: Sequence[Json]) -> Iterator[Part]:
    for item in items:
        match item.get("type", item.get("role")):
            case "assistant":
                yield True, "turn", ""
            case "function_call":
                yield True, "call", item["call_id"]
            case "function_call_output":
                yield False, "result", item["call_id"]
            case _:
                assert item["role"] == "user"
                yield False, "words", ""


def _of_blocks(messages: Sequence[Json]) -> Iterator[Part]:
    for message in messages:
        said = message["role"] == "assistant"
        yield said, "turn", ""
        for block in message["content"]:
            match block["type"]:
                case "tool_use":
                    yield said, "call", block["id"]
                case "tool_result":
                    yield said, "result", block["tool_use_id"]
                case _:
                    yield said, "words", ""


def _of_contents(contents: Sequence[Json]) -> Iterator[Part]:
    for content in contents:
        said = content["role"] == "model"
        yield said, "turn", ""
        for part in content["parts"]:
            if "functionCall" in part:
                yield said, "call", part["functionCall"]["name"]
            elif "functionResponse" in part:
                yield said, "result", part["functionResponse"]["name"]
            else:
                yield said, "words", ""
