"""The dialect of Anthropic's Messages API.

Three cache marks: behind the system prompt (tools and system stay the same for a session), and behind
the last two turns of the user, so that a longer conversation finds what the shorter one wrote.
"""

from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import (
    AssistantMessage,
    Content,
    Finish,
    Image,
    JsonObject,
    Message,
    ToolResult,
    Usage,
)
from agls.json_values import object_in, objects_in, text_in
from agls.models.dialects.answer import AnswerReader, finish_in, own_opaque
from agls.models.dialects.call_ids import PLAIN
from agls.models.dialects.counting import PostJson
from agls.models.dialects.dialect import Dialect
from agls.models.dialects.messages import NOTHING, as_text, contents_of, results_of, text_of, turns
from agls.models.dialects.tool_schemas import flat
from agls.models.dialects.usage import count_in
from agls.models.endpoint import Endpoint
from agls.regex import regex

LIMIT = 32_000  # tokens an answer may have when nothing else is known: the API wants a number
MARK = {"cache_control": {"type": "ephemeral"}}
MARKED_TURNS = 2
BUDGETS = {"minimal": 1024, "low": 2048, "medium": 8192, "high": 16384}  # tokens to think, per effort
MOST = 24576  # the budget of every other effort
VERSION = regex(r"claude-[a-z]+-(\d+)(?:[-.](\d{1,2})(?!\d))?")  # of the names since version 4
FINISHES: Mapping[str, Finish] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "pause_turn": "length",  # to be asked to go on
    "refusal": "refusal",
}
THOUGHTS = {"thinking", "redacted_thinking"}
UNCOUNTED = {"stream", "max_tokens"}  # what a request to count may not hold


def body_of(request: ModelRequest, endpoint: Endpoint) -> JsonObject:
    """Return the JSON body of a request for a streamed answer."""
    limit = endpoint.limited(request.max_output_tokens) or endpoint.output_limit or LIMIT
    body: JsonObject = {**_head(endpoint), "max_tokens": limit}
    output: JsonObject = {}
    if request.effort and request.effort != "none":
        body |= _thinking(request, endpoint, limit)
        if _adaptive(endpoint.model):
            output["effort"] = "low" if request.effort == "minimal" else request.effort
    if shape := request.output_schema:
        output["format"] = {"type": "json_schema", "schema": shape}
    if output:
        body["output_config"] = output
    if request.tools:
        body["tools"] = [
            {"name": tool.name, "description": tool.description, "input_schema": flat(tool.schema)}
            for tool in request.tools
        ]
    elif called := _called(request.messages):  # the API wants to know every tool of the conversation
        body["tools"] = [{"name": name, "input_schema": {"type": "object"}} for name in called]
        body["tool_choice"] = {"type": "none"}
    if request.system.strip():
        body["system"] = [{"type": "text", "text": request.system, **MARK}]
    return {**body, "messages": _marked(_messages(request.messages, endpoint))}


def _head(endpoint: Endpoint) -> JsonObject:
    """Return the model and the settings; in a cloud the URL names the model, and the body the API version."""
    match endpoint.service:
        case "bedrock":
            return {"anthropic_version": "bedrock-2023-05-31"}
        case "vertex":
            return {"anthropic_version": "vertex-2023-10-16", "stream": True}
        case _:
            return {"model": endpoint.model, "stream": True}


def _called(messages: Sequence[Message]) -> list[str]:
    """Return the names of the called tools."""
    said = (message for message in messages if isinstance(message, AssistantMessage))
    return list(dict.fromkeys(call.name for message in said for call in message.tool_calls))


def _adaptive(model: str) -> bool:
    """Return whether the model decides how much to think (since 4.6); older ones need a budget."""
    if not (found := VERSION.search(model)):
        return False
    return (int(found[1]), int(found[2] or 0)) >= (4, 6)


def _thinking(request: ModelRequest, endpoint: Endpoint, limit: int) -> JsonObject:
    if _adaptive(endpoint.model):
        return {"thinking": {"type": "adaptive", "display": "summarized"}}
    budget = min(BUDGETS.get(request.effort, MOST), limit - 1024)
    if budget < 1024 or not _may_think(request.messages, endpoint):
        return {}
    return {"thinking": {"type": "enabled", "budget_tokens": budget}}


def _may_think(messages: Sequence[Message], endpoint: Endpoint) -> bool:
    """Return whether thinking is possible: the API refuses it between calls that were made without."""
    for message in reversed(messages):
        if isinstance(message, AssistantMessage):
            return not message.tool_calls or bool(own_opaque(message.opaque, endpoint, "blocks"))
        if not isinstance(message, ToolResult):
            return True
    return True


def _messages(messages: Sequence[Message], endpoint: Endpoint) -> list[JsonObject]:
    sent: list[JsonObject] = []
    for turn in turns(messages):
        if isinstance(turn, AssistantMessage):
            blocks = _said(turn, own_opaque(turn.opaque, endpoint, "blocks"))
            sent.append({"role": "assistant", "content": blocks})
            continue
        results = [_result(result) for result in results_of(turn)]
        sent.append({"role": "user", "content": [*results, *(_part(part) for part in contents_of(turn))]})
    return sent


def _marked(messages: list[JsonObject]) -> list[JsonObject]:
    for message in [message for message in messages if message["role"] == "user"][-MARKED_TURNS:]:
        message["content"][-1] |= MARK
    return messages


def _part(part: Content) -> JsonObject:
    if isinstance(part, Image):
        source = {"type": "base64", "media_type": part.media_type, "data": part.data}
        return {"type": "image", "source": source}
    return {"type": "text", "text": as_text(part)}


def _result(result: ToolResult) -> JsonObject:
    text = _or_nothing(result.text)
    parts = [{"type": "text", "text": text}, *map(_part, result.images)]
    call_id = PLAIN.fitting(result.call_id)
    content = parts if result.images else text
    sent = {"type": "tool_result", "tool_use_id": call_id, "content": content}
    return {**sent, "is_error": True} if result.is_error else sent


def _or_nothing(text: str) -> str:
    """Return the text, or the placeholder for white space alone, which the API refuses."""
    return text if text.strip() else NOTHING


def _said(message: AssistantMessage, blocks: Sequence[JsonObject]) -> list[JsonObject]:
    """Return an answer as blocks, in the model's own order when it has thoughts."""
    calls: list[JsonObject] = [
        {"type": "tool_use", "id": PLAIN.fitting(call.call_id), "name": call.name, "input": call.arguments}
        for call in message.tool_calls
    ]
    if not blocks:
        text = text_of(message)
        return [*([{"type": "text", "text": text}] if text.strip() else []), *calls]
    waiting = iter(calls)
    sent = (next(waiting, None) if block.get("type") == "tool_use" else block for block in blocks)
    return [block for block in sent if block and not _is_blank(block)]


def _is_blank(block: JsonObject) -> bool:
    return block.get("type") == "text" and not text_in(block.get("text")).strip()


class AnthropicAnswerReader(AnswerReader):
    """Reads events up to `message_stop`, or one message with a `stop_reason`."""

    def __init__(self, reply_id: str, endpoint: Endpoint) -> None:
        super().__init__(reply_id, endpoint)
        self._blocks: dict[int, JsonObject] = {}
        self._counts: JsonObject = {}

    def _read(self, chunk: JsonObject) -> None:
        place = chunk.get("index")
        place = place if isinstance(place, int) else len(self._blocks)
        match chunk.get("type"):
            case "message_start":
                self._count(object_in(chunk.get("message")).get("usage"))
            case "content_block_start":
                self._block(place, object_in(chunk.get("content_block")))
            case "content_block_delta":
                self._delta(place, object_in(chunk.get("delta")))
            case "message_delta":
                self._stop(object_in(chunk.get("delta")), chunk.get("usage"))
            case "message_stop":
                self.done = self._whole = True
            case "message":
                for number, block in enumerate(objects_in(chunk.get("content"))):
                    self._block(number, block)
                self._stop(chunk, chunk.get("usage"))
                self.done = self._whole = bool(chunk.get("stop_reason"))
            case _:
                pass  # a ping, the end of a block, or something newer

    def _block(self, place: int, block: JsonObject) -> None:
        self._blocks[place] = dict(block)
        match block.get("type"):
            case "text":
                self._say("", block.get("text"))
            case "thinking":
                self._say(block.get("thinking"), "")
            case "tool_use":
                function = {"name": block.get("name"), "arguments": block.get("input") or None}
                self._calls.take({"index": place, "id": block.get("id"), "function": function})
            case _:
                pass  # thoughts that are hidden, and tools that the server runs itself

    def _delta(self, place: int, delta: JsonObject) -> None:
        block = self._blocks.setdefault(place, {})
        for key in ("text", "thinking", "signature"):
            if piece := text_in(delta.get(key)):
                block[key] = text_in(block.get(key)) + piece
        self._say(delta.get("thinking"), delta.get("text"))
        if block.get("type") == "tool_use" and (piece := text_in(delta.get("partial_json"))):
            self._calls.take({"index": place, "function": {"arguments": piece}})

    def _stop(self, delta: JsonObject, usage: object) -> None:
        self._count(usage)
        if reason := delta.get("stop_reason"):
            self._finish = finish_in(FINISHES, reason)

    def _count(self, usage: object) -> None:
        self._counts |= {key: count for key, count in object_in(usage).items() if count is not None}
        self._usage = usage_of(self._counts)

    def _opaque(self, *, with_calls: bool) -> JsonObject:
        blocks = [block for _, block in sorted(self._blocks.items())]
        if not any(block.get("type") in THOUGHTS for block in blocks):
            return {}
        kept = (_kept(block) for block in blocks)
        return {"blocks": [block for block in kept if block]}


def _kept(block: JsonObject) -> dict[str, Any]:
    match block.get("type"):
        case "text" if (text := text_in(block.get("text"))).strip():
            return {"type": "text", "text": text}
        case "thinking" | "redacted_thinking":
            return block
        case "tool_use":
            return {"type": "tool_use"}
        case _:
            return {}


def usage_of(raw: JsonObject) -> Usage:
    """Return the usage of a message. Its `input_tokens` leave out those from the cache."""
    read, wrote = count_in(raw, "cache_read_input_tokens"), count_in(raw, "cache_creation_input_tokens")
    fresh = count_in(raw, "input_tokens")
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (wrote or 0),
        output_tokens=count_in(raw, "output_tokens"),
        cache_read_tokens=read,
        cache_write_tokens=wrote,
    )


def _url(endpoint: Endpoint) -> str:
    match endpoint.service:
        case "bedrock":
            return endpoint.at(f"/model/{quote(endpoint.model, safe='')}/invoke-with-response-stream")
        case "vertex":
            return endpoint.at(f"/models/{quote(endpoint.model, safe='@')}:streamRawPredict")
        case _:
            return endpoint.at("/messages", "v1")


async def counted(post: PostJson, body: JsonObject, endpoint: Endpoint) -> int | None:
    """Return the tokens of a request, counted by the server."""
    counted_body = {key: value for key, value in body.items() if key not in UNCOUNTED}
    return count_in(await post(endpoint.at("/messages/count_tokens", "v1"), counted_body), "input_tokens")


DIALECT = Dialect(
    url=_url,
    body=body_of,
    answer=AnthropicAnswerReader,
    listing=lambda endpoint: endpoint.at("/models", "v1"),
    key=("x-api-key", "{}"),
    headers={"anthropic-version": "2023-06-01"},
    counting=counted,
)
