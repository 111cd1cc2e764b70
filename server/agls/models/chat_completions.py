"""The chat-completions dialect: what is sent, and how the answer is read.

The same request always gives the same bytes, and a longer conversation begins with the bytes of the
shorter one, so that servers can reuse what they have already read: fixed key order, messages last.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from agls.engine.ports import ModelRequest, ToolSpec
from agls.engine.vocabulary import AssistantMessage, Content, Finish, Image, JsonObject, ToolResult
from agls.models.answer import Answer, finish_in
from agls.models.dialect import Dialect
from agls.models.endpoint import Endpoint
from agls.models.errors import refusal
from agls.models.messages import (
    NOTHING,
    Turn,
    Unchanged,
    Written,
    compact,
    contents_of,
    results_of,
    text_of,
    written,
)
from agls.models.reasoning import Reasoning
from agls.models.shape import NAME, is_closed
from agls.models.tokenizing import counted
from agls.models.usage import usage_of
from agls.models.values import object_in, objects_in

PLAIN = frozenset({"role", "content"})  # nearly every delta has nothing else
KEYED = frozenset({"api.openai.com", "api.mistral.ai"})  # who finds the cache of a session by a key
LIMIT_FIELDS = {"api.openai.com": "max_completion_tokens"}
FINISHES: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "refusal": "refusal",
}


def body_of(request: ModelRequest, endpoint: Endpoint) -> JsonObject:
    """The JSON body that asks for a streamed answer."""
    body: JsonObject = {"model": endpoint.model, "stream": True, "stream_options": {"include_usage": True}}
    body |= _cached(request, endpoint)
    if limit := endpoint.limited(request.max_output_tokens):
        azure = endpoint.host.endswith(".azure.com")
        body["max_completion_tokens" if azure else LIMIT_FIELDS.get(endpoint.host, "max_tokens")] = limit
    if request.effort:
        body["reasoning_effort"] = request.effort
    if shape := request.output_schema:
        wanted = {"name": NAME, "schema": shape, "strict": is_closed(shape)}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    if request.tools:
        body["tools"] = _tools.listed(request.tools)
    head = [{"role": "system", "content": request.system}] if request.system else []
    body["messages"] = _sent.conversation(request.messages, request.session_id, endpoint.identity, head)
    return body


def _cached(request: ModelRequest, endpoint: Endpoint) -> JsonObject:
    """How this server is asked to remember what it has read; most do so unasked."""
    if endpoint.host in KEYED and request.session_id:
        return {"prompt_cache_key": request.session_id}
    if endpoint.host == "openrouter.ai" and "claude" in endpoint.model:
        return {"cache_control": {"type": "ephemeral"}}
    return {}


def _tool(tool: ToolSpec) -> JsonObject:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


_tools = Unchanged(_tool)


def _messages(turn: Turn, model: str) -> list[JsonObject]:
    if isinstance(turn, AssistantMessage):
        return [_assistant(turn, model)]
    sent = [_result(result) for result in results_of(turn)]
    if contents := contents_of(turn):
        sent.append({"role": "user", "content": _content(contents)})
    return sent


_sent = Written(_messages)


def _content(contents: Sequence[Content]) -> str | list[JsonObject]:
    if not any(isinstance(part, Image) for part in contents):
        return "\n\n".join(written(part) for part in contents)
    return [_image(p) if isinstance(p, Image) else {"type": "text", "text": written(p)} for p in contents]


def _image(image: Image) -> JsonObject:
    url = f"data:{image.media_type};base64,{image.data}"
    return {"type": "image_url", "image_url": {"url": url}}


def _assistant(message: AssistantMessage, model: str) -> JsonObject:
    sent: JsonObject = {"role": "assistant", "content": text_of(message) or None}
    opaque = message.opaque if message.opaque.get("model") == model else {}
    if field := opaque.get("reasoning_field"):
        sent[field] = message.thinking
    for key in ("reasoning_details", "extra_content"):
        if key in opaque:
            sent[key] = opaque[key]
    if message.tool_calls:
        extras: list[Any] = opaque.get("calls") or [{}] * len(message.tool_calls)
        sent["tool_calls"] = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": call.name, "arguments": compact(call.arguments)},
                **({"extra_content": extra} if extra else {}),
            }
            for call, extra in zip(message.tool_calls, extras, strict=True)
        ]
    return sent


def _result(result: ToolResult) -> JsonObject:
    return {"role": "tool", "tool_call_id": result.call_id, "content": result.text or NOTHING}


class ChatAnswer(Answer):
    """The answer as chunks, or as one completion. [DONE] or a reason to finish ends it."""

    def __init__(self, reply_id: str, endpoint: Endpoint) -> None:
        super().__init__(reply_id, endpoint)
        self._reasoning = Reasoning()
        self._extra: JsonObject = {}

    def _end(self) -> None:
        self.done = self._whole = True

    def _read(self, chunk: JsonObject) -> None:
        if ("usage" in chunk or "x_groq" in chunk) and (
            usage := object_in(chunk.get("usage") or object_in(chunk.get("x_groq")).get("usage"))
        ):
            self._usage = usage_of(usage)
        for choice in objects_in(chunk.get("choices")):
            if not choice.get("index"):
                self._choice(choice)

    def _choice(self, choice: JsonObject) -> None:
        if choice.get("error") or choice.get("finish_reason") == "error":
            told = choice.get("error") or {"message": "the model's answer ended with an error"}
            self.failure = refusal(None, {}, {"error": told}, self.endpoint)
            return
        delta = object_in(choice.get("delta"))
        if "delta" not in choice and (message := object_in(choice.get("message"))):
            delta, self._whole = message, True
        if finish := choice.get("finish_reason"):
            self._finish, self._whole = finish_in(FINISHES, finish), True
        if delta.keys() <= PLAIN:
            self._content(delta.get("content"))
        else:
            self._say(self._reasoning.take(delta), "")
            self._content(delta.get("content"))
            self._others(delta)

    def _others(self, delta: JsonObject) -> None:
        """What stands beside text in a delta."""
        if (refused := delta.get("refusal")) and isinstance(refused, str):
            self._refused = True
            self._say("", refused)
        for fragment in objects_in(delta.get("tool_calls")):
            self._calls.take(fragment)
        if legacy := delta.get("function_call"):
            self._calls.take({"index": 0, "function": legacy})
        self._extra.update(object_in(delta.get("extra_content")))

    def _content(self, content: object) -> None:
        if isinstance(content, str):
            self._say(*self._thought.feed(content))
            return
        for part in objects_in(content):
            thinking = "".join(str(item.get("text") or "") for item in objects_in(part.get("thinking")))
            self._say(thinking, str(part.get("text") or ""))

    def _opaque(self, *, with_calls: bool) -> JsonObject:
        opaque = self._reasoning.opaque(with_calls=with_calls)
        if any(extras := self._calls.extras()):
            opaque["calls"] = extras
        if self._extra:
            opaque["extra_content"] = self._extra
        return opaque


DIALECT = Dialect(
    url=lambda endpoint: endpoint.at("/chat/completions"),
    body=body_of,
    answer=ChatAnswer,
    listing=lambda endpoint: endpoint.at("/models"),
    writes_calls=True,
    counting=counted,
)
