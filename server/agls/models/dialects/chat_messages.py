"""The messages of a chat-completions request."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agls.engine.ports import ModelRequest
from agls.engine.prefix_fold import PrefixFold
from agls.engine.vocabulary import AssistantMessage, Content, Image, JsonObject, Message, ToolResult
from agls.models.dialects.call_ids import SERVER_IDS
from agls.models.dialects.chat_servers import ChatServer, chat_server
from agls.models.dialects.messages import (
    NOTHING,
    ConversationEncoder,
    EncodedList,
    Turn,
    as_text,
    compact_json,
    contents_of,
    images_of_results,
    results_of,
    text_of,
)
from agls.models.dialects.reasoning import CONTENT
from agls.models.endpoint import Endpoint

READ = "I have read the results."  # what stands between a result and the user where the server wants it
SIGNED_ELSEWHERE = "skip_thought_signature_validator"  # what Gemini wants on calls of another model


class _Style(NamedTuple):
    """The properties of model and server that change how a conversation is written."""

    model: str
    server: ChatServer
    reasons: bool


def messages_of(request: ModelRequest, endpoint: Endpoint) -> EncodedList:
    """Return the whole conversation, the system prompt first."""
    server = chat_server(endpoint)
    refused = "reasoning" in endpoint.refused
    reasoned = _reasoned.of(request.messages)
    reasons = not refused and (server.reasons_always or endpoint.identity in reasoned)
    manner = _Style("" if refused else endpoint.identity, server, reasons)
    head = [{"role": "system", "content": request.system}] if request.system else []
    return _sent.conversation(request.messages, request.session_id, manner, head)


def _with_reasoned(models: set[str], messages: Sequence[Message]) -> set[str]:
    for message in messages:
        if isinstance(message, AssistantMessage) and message.opaque.get("reasoning_field") == CONTENT:
            models.add(message.opaque.get("model", ""))
    return models


_reasoned = PrefixFold(set[str], _with_reasoned)
"""The models that have sent `reasoning_content`: such a one expects it with every answer."""


def _messages(turn: Turn, manner: _Style) -> list[JsonObject]:
    if isinstance(turn, AssistantMessage):
        return [_assistant(turn, manner)]
    sent = [_result(result, manner) for result in results_of(turn)]
    if contents := [*images_of_results(turn), *contents_of(turn)]:
        if sent and not manner.server.user_after_tool:
            sent.append({"role": "assistant", "content": READ})
        sent.append({"role": "user", "content": _content(contents)})
    return sent


_sent = ConversationEncoder(_messages)


def _content(contents: Sequence[Content]) -> str | list[JsonObject]:
    if not any(isinstance(part, Image) for part in contents):
        return "\n\n".join(as_text(part) for part in contents)
    return [_image(p) if isinstance(p, Image) else {"type": "text", "text": as_text(p)} for p in contents]


def _image(image: Image) -> JsonObject:
    url = f"data:{image.media_type};base64,{image.data}"
    return {"type": "image_url", "image_url": {"url": url}}


def _assistant(message: AssistantMessage, manner: _Style) -> JsonObject:
    own = message.opaque if message.opaque.get("model") == manner.model else {}
    text = text_of(message)
    if tag := own.get("reasoning_tag"):
        text = f"<{tag}>\n{message.thinking}\n</{tag}>\n\n{text}"
    sent: JsonObject = {"role": "assistant", "content": text or None, **_reasoning(message, own, manner)}
    if "extra_content" in own:
        sent["extra_content"] = own["extra_content"]
    if message.tool_calls:
        extras: list[Any] = own.get("calls") or [{}] * len(message.tool_calls)
        if not own and manner.server.signs == "calls":
            extras = [{"google": {"thought_signature": SIGNED_ELSEWHERE}}, *extras[1:]]
        sent["tool_calls"] = [
            {
                "id": manner.server.call_ids.fitting(call.call_id),
                "type": "function",
                "function": {"name": call.name, "arguments": compact_json(call.arguments)},
                **({"extra_content": extra} if extra else {}),
            }
            for call, extra in zip(message.tool_calls, extras, strict=True)
        ]
    return sent


def _reasoning(message: AssistantMessage, own: JsonObject, manner: _Style) -> JsonObject:
    """Return the reasoning to send back, in the field in which it came."""
    if "reasoning_details" in own:
        fitting = manner.server.call_ids.fitting
        ids = {said: fitting(ours) for ours, said in own.get(SERVER_IDS, {}).items()}
        details = own["reasoning_details"]
        return {"reasoning_details": [_renamed(detail, ids) for detail in details]}
    if field := own.get("reasoning_field"):
        return {field: message.thinking}
    if message.tool_calls and not own and manner.server.signs == "details":
        call_id = manner.server.call_ids.fitting(message.tool_calls[0].call_id)
        signature = {"type": "reasoning.encrypted", "data": SIGNED_ELSEWHERE, "id": call_id}
        return {"reasoning_details": [{**signature, "format": "google-gemini-v1", "index": 0}]}
    return {CONTENT: ""} if manner.reasons else {}


def _renamed(detail: JsonObject, ids: Mapping[str, str]) -> JsonObject:
    """Return a piece of reasoning; one that signs a call gets that call's id here."""
    return {**detail, "id": ids[detail["id"]]} if detail.get("id") in ids else detail


def _result(result: ToolResult, manner: _Style) -> JsonObject:
    call_id = manner.server.call_ids.fitting(result.call_id)
    return {"role": "tool", "tool_call_id": call_id, "content": result.text or NOTHING}
