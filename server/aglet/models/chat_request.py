"""The request of the chat-completions dialect.

The same request always gives the same bytes, and a longer conversation begins with the bytes of the
shorter one, so that servers can reuse what they have already read: fixed key order, messages last.
"""

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from aglet.engine.ports import ModelRequest, ToolSpec
from aglet.engine.vocabulary import (
    AssistantMessage,
    Content,
    Image,
    JsonObject,
    Message,
    Resource,
    ResourceLink,
    Text,
    ToolResult,
    UserMessage,
)
from aglet.models.endpoint import Endpoint

STOPPED = "[The user stopped this answer here.]"
LIMIT_FIELDS = {"api.openai.com": "max_completion_tokens"}
NOTHING = "(empty)"


def body_of(request: ModelRequest, endpoint: Endpoint) -> JsonObject:
    """The JSON body that asks for a streamed answer."""
    body: JsonObject = {"model": endpoint.model, "stream": True, "stream_options": {"include_usage": True}}
    if request.max_output_tokens is not None:
        limit = min(request.max_output_tokens, endpoint.output_limit or request.max_output_tokens)
        azure = endpoint.host.endswith(".azure.com")
        body["max_completion_tokens" if azure else LIMIT_FIELDS.get(endpoint.host, "max_tokens")] = limit
    if request.effort:
        body["reasoning_effort"] = request.effort
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    head = [{"role": "system", "content": request.system}] if request.system else []
    return {**body, "messages": [*head, *_messages(request.messages, identity(endpoint))]}


def identity(endpoint: Endpoint) -> str:
    """Whose opaque data something is: only the model that sent it gets it back."""
    return f"{endpoint.host}/{endpoint.model}"


def _tool(tool: ToolSpec) -> JsonObject:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.schema}
    return {"type": "function", "function": function}


def _messages(messages: Sequence[Message], model: str) -> list[JsonObject]:
    sent: list[JsonObject] = []
    told = (message for message in messages if not _says_nothing(message))
    for is_user, group in groupby(told, key=lambda message: isinstance(message, UserMessage)):
        if is_user:
            contents = [
                part for message in group if isinstance(message, UserMessage) for part in message.content
            ]
            sent.append({"role": "user", "content": _content(contents)})
            continue
        sent += [
            _assistant(m, model) if isinstance(m, AssistantMessage) else _result(m)
            for m in group
            if not isinstance(m, UserMessage)
        ]
    return sent


def _says_nothing(message: Message) -> bool:
    """Servers refuse an answer without text and calls."""
    return isinstance(message, AssistantMessage) and not message.text and not message.tool_calls


def _content(contents: Sequence[Content]) -> str | list[JsonObject]:
    if not any(isinstance(part, Image) for part in contents):
        return "\n\n".join(_written(part) for part in contents if not isinstance(part, Image)) or NOTHING
    return [_image(p) if isinstance(p, Image) else {"type": "text", "text": _written(p)} for p in contents]


def _written(part: Text | Resource | ResourceLink) -> str:
    if isinstance(part, Text):
        return part.text
    if isinstance(part, Resource):
        return f'<attachment uri="{part.uri}">\n{part.text}\n</attachment>'
    return f'<attachment uri="{part.uri}" name="{part.name}"/>'


def _image(image: Image) -> JsonObject:
    url = f"data:{image.media_type};base64,{image.data}"
    return {"type": "image_url", "image_url": {"url": url}}


def _assistant(message: AssistantMessage, model: str) -> JsonObject:
    text = f"{message.text}\n\n{STOPPED}" if message.cut else message.text
    sent: JsonObject = {"role": "assistant", "content": text or None}
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
                "function": {"name": call.name, "arguments": _compact(call.arguments)},
                **({"extra_content": extra} if extra else {}),
            }
            for call, extra in zip(message.tool_calls, extras, strict=True)
        ]
    return sent


def _compact(arguments: JsonObject) -> str:
    return json.dumps(arguments, ensure_ascii=False, separators=(",", ":"))


def _result(result: ToolResult) -> JsonObject:
    return {"role": "tool", "tool_call_id": result.call_id, "content": result.text or NOTHING}
