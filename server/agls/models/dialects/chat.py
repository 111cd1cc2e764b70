"""The dialect of OpenAI's chat completions, which most servers use.

The same request always has the same bytes, and a longer conversation begins with the bytes of the shorter
one, so that servers can use their caches: fixed key order, messages last.
"""

from collections.abc import Mapping

from agls.engine.ports import ModelRequest, ToolSpec
from agls.engine.vocabulary import Finish, JsonObject
from agls.json_values import object_in, objects_in, text_in
from agls.models.dialects.answer import AnswerReader, finish_in
from agls.models.dialects.chat_messages import messages_of
from agls.models.dialects.chat_servers import chat_server
from agls.models.dialects.dialect import Dialect
from agls.models.dialects.messages import ListEncoder
from agls.models.dialects.reasoning import Reasoning
from agls.models.dialects.structured_output import NAME, is_closed
from agls.models.dialects.tokenizing import count_tokens
from agls.models.dialects.tool_schemas import flat
from agls.models.dialects.usage import usage_of
from agls.models.endpoint import Endpoint
from agls.models.errors import failure_of

REASONS = ("finish_reason", "native_finish_reason")
PLAIN = frozenset({"role", "content"})  # nearly every delta has nothing else
FINISHES: Mapping[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",
    "refusal": "refusal",
}


FAILED = {  # reasons to finish that mean no whole answer, and the code of the failure
    "error": "",
    "abort": "",
    "network_error": "",
    "insufficient_system_resource": "insufficient_system_resource",
}


def body_of(request: ModelRequest, endpoint: Endpoint) -> JsonObject:
    """Return the JSON body of a request for a streamed answer."""
    body: JsonObject = {"model": endpoint.model, "stream": True, "stream_options": {"include_usage": True}}
    body |= _cached(request, endpoint)
    server = chat_server(endpoint)
    if limit := endpoint.limited(request.max_output_tokens):
        body[server.limit_field] = limit
    if request.effort:
        body["reasoning_effort"] = request.effort
    if server.keeps_thinking and request.effort != "none":
        body["thinking"] = {"type": "enabled", "clear_thinking": False}
    if shape := request.output_schema:
        wanted = {"name": NAME, "schema": shape, "strict": is_closed(shape)}
        body["response_format"] = {"type": "json_schema", "json_schema": wanted}
    if request.tools:
        body["tools"] = _tools.listed(request.tools)
    body["messages"] = messages_of(request, endpoint)
    return body


def _cached(request: ModelRequest, endpoint: Endpoint) -> JsonObject:
    """Return the members that switch this server's prompt cache on; most need none."""
    if chat_server(endpoint).cache_key and request.session_id:
        return {"prompt_cache_key": request.session_id}
    if endpoint.host == "openrouter.ai" and "claude" in endpoint.model:
        return {"cache_control": {"type": "ephemeral"}}
    return {}


def _tool(tool: ToolSpec) -> JsonObject:
    function = {"name": tool.name, "description": tool.description, "parameters": flat(tool.schema)}
    return {"type": "function", "function": function}


_tools = ListEncoder(_tool)


class ChatAnswerReader(AnswerReader):
    """Reads chunks, or one completion. [DONE] or a reason to finish ends the answer."""

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
        reasons = [text_in(choice[key]).lower() for key in REASONS if choice.get(key)]
        failed = next((reason for reason in reasons if reason in FAILED), "") if reasons else ""
        if choice.get("error") or failed:
            words = "an error" if failed == "error" else failed
            ended = {"message": f"the model's answer ended with {words}", "code": FAILED.get(failed)}
            self.failure = failure_of(None, {}, {"error": choice.get("error") or ended}, self.endpoint)
            return
        delta = object_in(choice.get("delta"))
        if "delta" not in choice and (message := object_in(choice.get("message"))):
            delta, self._whole = message, True
        if finish := choice.get("finish_reason"):
            sensitive = "sensitive" in reasons
            self._finish = "content_filter" if sensitive else finish_in(FINISHES, finish)
            self._whole = True
        if delta.keys() <= PLAIN:
            self._content(delta.get("content"))
        else:
            self._say(self._reasoning.take(delta), "")
            self._content(delta.get("content"))
            self._others(delta)

    def _others(self, delta: JsonObject) -> None:
        """Take the members of a delta besides its text."""
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
        opaque = self._reasoning.opaque()
        if not opaque and self._thought.tag and chat_server(self.endpoint).thinks_in_text:
            opaque["reasoning_tag"] = self._thought.tag
        if any(extras := self._calls.extras()):
            opaque["calls"] = extras
        if self._extra:
            opaque["extra_content"] = self._extra
        return opaque


DIALECT = Dialect(
    url=lambda endpoint: endpoint.at("/chat/completions"),
    body=body_of,
    answer=ChatAnswerReader,
    listing=lambda endpoint: endpoint.at("/models"),
    writes_calls=True,
    counting=count_tokens,
)
