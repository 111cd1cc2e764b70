"""The dialect of OpenAI's Responses API.

Nothing is stored at the server: every request holds the whole conversation, and reasoning goes back unchanged
as encrypted items.
"""

from collections.abc import Mapping, Sequence

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import AssistantMessage, Content, Finish, Image, JsonObject, Message, Text, Usage
from agls.json_values import object_in, objects_in, text_in
from agls.models.dialects.answer import AnswerReader, finish_in, own_opaque
from agls.models.dialects.call_ids import PLAIN
from agls.models.dialects.counting import PostJson
from agls.models.dialects.dialect import Dialect
from agls.models.dialects.messages import (
    NOTHING,
    as_text,
    compact_json,
    contents_of,
    results_of,
    text_of,
    turns,
)
from agls.models.dialects.structured_output import NAME, is_closed
from agls.models.dialects.tool_schemas import flat
from agls.models.dialects.usage import count_in
from agls.models.endpoint import Endpoint
from agls.models.errors import failure_of
from agls.regex import regex

NO_REASONING = regex(r"(gpt-3|gpt-4|chatgpt)")  # these refuse to be asked for encrypted reasoning
FINISHES: Mapping[str, Finish] = {"max_output_tokens": "length", "content_filter": "content_filter"}
COUNTED = ("model", "instructions", "input", "tools", "text", "reasoning")  # what a request to count may hold
REASONING = ("type", "id", "summary", "content")  # members of an item that holds reasoning in plain words
SHOWN = {"text", "reasoning_text", "summary_text", "output_text", "refusal"}  # kinds of parts with text


def body_of(request: ModelRequest, endpoint: Endpoint) -> JsonObject:
    """Return the JSON body of a request for a streamed answer."""
    body: JsonObject = {"model": endpoint.model, "stream": True, "store": False}
    if endpoint.host == "api.openai.com" and request.session_id:
        body["prompt_cache_key"] = request.session_id
    if not NO_REASONING.match(endpoint.model):
        body["include"] = ["reasoning.encrypted_content"]
    if request.effort:
        summary = {} if "summary" in endpoint.refused else {"summary": "auto"}
        body["reasoning"] = {"effort": request.effort, **summary}
    if limit := endpoint.limited(request.max_output_tokens):
        body["max_output_tokens"] = limit
    if shape := request.output_schema:
        wanted = {"type": "json_schema", "name": NAME, "schema": shape, "strict": is_closed(shape)}
        body["text"] = {"format": wanted}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "name": tool.name,
                "description": tool.description,
                "parameters": flat(tool.schema),
                "strict": False,
            }
            for tool in request.tools
        ]
    if request.system:
        body["instructions"] = request.system
    return {**body, "input": _input(request.messages, endpoint)}


def _input(messages: Sequence[Message], endpoint: Endpoint) -> list[JsonObject]:
    sent: list[JsonObject] = []
    for turn in turns(messages):
        if isinstance(turn, AssistantMessage):
            items = own_opaque(turn.opaque, endpoint, "items")
            sent += _said(turn, [item for item in items if not _is_refused(item, endpoint)])
            continue
        for result in results_of(turn):
            text = result.text or NOTHING
            output = [_part(part) for part in (Text(text), *result.images)] if result.images else text
            call_id = PLAIN.fitting(result.call_id)
            sent.append({"type": "function_call_output", "call_id": call_id, "output": output})
        if contents := contents_of(turn):
            sent.append({"role": "user", "content": [_part(part) for part in contents]})
    return sent


def _is_refused(item: JsonObject, endpoint: Endpoint) -> bool:
    """Return whether this is plain reasoning that the server does not take back."""
    plain = item.get("type") == "reasoning" and "encrypted_content" not in item
    return plain and "reasoning" in endpoint.refused


def _part(part: Content) -> JsonObject:
    if isinstance(part, Image):
        return {"type": "input_image", "image_url": f"data:{part.media_type};base64,{part.data}"}
    return {"type": "input_text", "text": as_text(part)}


def _said(message: AssistantMessage, items: Sequence[JsonObject]) -> list[JsonObject]:
    """Return an answer as items, in the model's own order when it is known."""
    calls: list[JsonObject] = [
        {
            "type": "function_call",
            "call_id": PLAIN.fitting(call.call_id),
            "name": call.name,
            "arguments": compact_json(call.arguments),
        }
        for call in message.tool_calls
    ]
    if not items:
        text = text_of(message)
        return [*([{"role": "assistant", "content": text}] if text else []), *calls]
    waiting = iter(calls)
    sent = (next(waiting, None) if item.get("type") == "function_call" else item for item in items)
    return [item for item in sent if item]


class ResponsesAnswerReader(AnswerReader):
    """Reads events, or one response. Only a last event (or `status`) ends the answer."""

    def __init__(self, reply_id: str, endpoint: Endpoint) -> None:
        super().__init__(reply_id, endpoint)
        self._items: dict[int, JsonObject] = {}  # as they ended, by their place in the output
        self._shown: dict[int, str] = {}  # what was handed on of each
        self._last_part: dict[int, object] = {}

    def _read(self, chunk: JsonObject) -> None:
        kind = text_in(chunk.get("type"))
        place = chunk.get("output_index")
        place = place if isinstance(place, int) else 0
        if chunk.get("object") == "response" and not kind:
            self._ended(chunk)
        elif kind in {"response.completed", "response.incomplete", "response.failed"}:
            self._ended(object_in(chunk.get("response")))
        elif kind == "response.output_item.done":
            self._item(place, object_in(chunk.get("item")))
        elif kind in {"response.reasoning_text.delta", "response.reasoning_summary_text.delta"}:
            part = chunk.get("summary_index", chunk.get("content_index"))
            begun = self._last_part.setdefault(place, part) == part
            self._last_part[place] = part
            self._show(place, ("" if begun else "\n\n") + text_in(chunk.get("delta")), thinking=True)
        elif kind in {"response.output_text.delta", "response.refusal.delta"}:
            self._refused = self._refused or kind == "response.refusal.delta"
            self._show(place, text_in(chunk.get("delta")))

    def _show(self, place: int, text: str, *, thinking: bool = False) -> None:
        self._shown[place] = self._shown.get(place, "") + text
        self._say(*((text, "") if thinking else ("", text)))

    def _item(self, place: int, item: JsonObject) -> None:
        """Take a finished item: its text that no delta brought, and its call."""
        if place in self._items:
            return
        self._items[place] = item
        kind = item.get("type")
        if kind == "reasoning":
            parts = _texts(item.get("summary")) or _texts(item.get("content"))
            self._rest(place, "\n\n".join(parts), thinking=True)
        elif kind == "message":
            self._refused = self._refused or any(
                part.get("type") == "refusal" for part in objects_in(item.get("content"))
            )
            self._rest(place, "".join(_texts(item.get("content"))))
        elif kind in {"function_call", "custom_tool_call"}:
            arguments = item.get("arguments") if kind == "function_call" else item.get("input")
            function = {"name": item.get("name"), "arguments": arguments}
            self._calls.take({"index": place, "id": item.get("call_id"), "function": function})

    def _rest(self, place: int, text: str, *, thinking: bool = False) -> None:
        shown = self._shown.get(place, "")
        if text.startswith(shown):
            self._show(place, text[len(shown) :], thinking=thinking)

    def _ended(self, response: JsonObject) -> None:
        if response.get("error") or response.get("status") == "failed":
            self.failure = failure_of(None, {}, {"error": response.get("error") or {}}, self.endpoint)
            return
        if response.get("status") not in {"completed", "incomplete"}:
            return
        for place, item in enumerate(objects_in(response.get("output"))):
            self._item(place, item)
        self._finish = finish_in(FINISHES, object_in(response.get("incomplete_details")).get("reason"))
        if response.get("status") == "incomplete" and self._finish == "stop":
            self._finish = "length"
        self._usage = usage_of(object_in(response.get("usage")))
        self.done = self._whole = True

    def _opaque(self, *, with_calls: bool) -> JsonObject:
        items = [_kept(item, self.endpoint) for _, item in sorted(self._items.items())]
        if not any(item.get("type") == "reasoning" or item.get("phase") for item in items):
            return {}
        return {"items": [item for item in items if item]}


def _kept(item: JsonObject, endpoint: Endpoint) -> JsonObject:
    """Return an item to send back, without its id, which refers to nothing stored.

    Plain reasoning (vLLM, LM Studio) goes back as it came, but not to OpenAI, which stores its own.
    """
    kind = item.get("type")
    if kind == "reasoning" and item.get("encrypted_content"):
        summary = objects_in(item.get("summary"))
        return {"type": kind, "summary": summary, "encrypted_content": item["encrypted_content"]}
    if kind == "reasoning" and _texts(item.get("content")) and endpoint.host != "api.openai.com":
        return {key: item[key] for key in REASONING if item.get(key) is not None}
    if kind == "message":
        text = "".join(_texts(item.get("content")))
        phase = {"phase": item["phase"]} if item.get("phase") else {}
        return {"role": "assistant", "content": text, **phase} if text else {}
    return {"type": "function_call"} if kind in {"function_call", "custom_tool_call"} else {}


def _texts(parts: object) -> list[str]:
    shown = (part for part in objects_in(parts) if part.get("type") in SHOWN)
    return [text for part in shown if (text := text_in(part.get("text") or part.get("refusal")))]


def usage_of(raw: JsonObject) -> Usage:
    """Return the usage of a response."""
    given, made = (object_in(raw.get(f"{kind}_tokens_details")) for kind in ("input", "output"))
    return Usage(
        input_tokens=count_in(raw, "input_tokens"),
        output_tokens=count_in(raw, "output_tokens"),
        reasoning_tokens=count_in(made, "reasoning_tokens"),
        cache_read_tokens=count_in(given, "cached_tokens"),
        cache_write_tokens=count_in(given, "cache_write_tokens"),
    )


async def counted(post: PostJson, body: JsonObject, endpoint: Endpoint) -> int | None:
    """Return the tokens of a request, counted by the server."""
    counted_body = {key: body[key] for key in COUNTED if key in body}
    return count_in(await post(endpoint.at("/responses/input_tokens"), counted_body), "input_tokens")


DIALECT = Dialect(
    url=lambda endpoint: endpoint.at("/responses"),
    body=body_of,
    answer=ResponsesAnswerReader,
    listing=lambda endpoint: endpoint.at("/models"),
    writes_calls=True,
    counting=counted,
)
