"""The same answer in every dialect, event by event, so that one test can try a fault in all of them."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, get_args

from agls.models.endpoint import DialectName

Json = dict[str, Any]
DIALECTS: tuple[DialectName, ...] = tuple(name for name in get_args(DialectName) if name != "scripted")

LENGTHS: Mapping[DialectName, str] = {  # how each says that the limit of the output was reached
    "chat": "length",
    "responses": "max_output_tokens",
    "anthropic": "max_tokens",
    "gemini": "MAX_TOKENS",
    "ollama": "length",
}
LINES: frozenset[DialectName] = frozenset({"ollama"})  # these send lines of JSON, the others events
SAMPLED: Mapping[DialectName, tuple[str, str]] = {  # where temperature and top_p are in a body
    "chat": ("temperature", "top_p"),
    "responses": ("temperature", "top_p"),
    "anthropic": ("temperature", "top_p"),
    "gemini": ("generationConfig.temperature", "generationConfig.topP"),
    "ollama": ("options.temperature", "options.top_p"),
}
SCHEMAS: Mapping[DialectName, str] = {  # where the schema of an answer is in a body
    "chat": "response_format.json_schema.schema",
    "responses": "text.format.schema",
    "anthropic": "output_config.format.schema",
    "gemini": "generationConfig.responseJsonSchema",
    "ollama": "format",
}
SCHEMA_ALONE: frozenset[DialectName] = frozenset({"gemini", "ollama"})  # they cannot have it beside tools
REFUSED_INSIDE: frozenset[DialectName] = frozenset({"anthropic"})  # a refusal may end these inside a call
IMAGE_HOLDERS: Mapping[DialectName, str] = {  # what begins the message, item or block of an image in a result
    "chat": '{"role": "user"',
    "responses": '{"type": "function_call_output"',
    "anthropic": '{"type": "tool_result"',
    "gemini": '{"role": "user", "parts": [{"functionResponse"',
    "ollama": '{"role": "user"',
}


def image_part(dialect: DialectName, data: str) -> object:
    """The part of a body that holds this PNG."""
    url = f"data:image/png;base64,{data}"
    parts: dict[DialectName, object] = {
        "chat": {"type": "image_url", "image_url": {"url": url}},
        "responses": {"type": "input_image", "image_url": url},
        "anthropic": {
            "type": "image",
            "source": {"type": "base64", "media_type": "image/png", "data": data},
        },
        "gemini": {"inlineData": {"mimeType": "image/png", "data": data}},
        "ollama": data,
    }
    return parts[dialect]


@dataclass(frozen=True)
class Said:
    """What a model says: text, then calls (id, name, arguments as written), then why it ends.

    `usage` is input and output tokens; `finish` "" is the usual end, anything else is sent as it is.
    `refusal` are its words where a dialect has some for that, else only the end says it. `step` is
    how far the indexes of two calls are apart, where calls have indexes.
    """

    text: str = ""
    calls: Sequence[tuple[str, str, Any]] = ()
    usage: tuple[Any, Any] | None = None
    finish: str = ""
    refusal: str = ""
    step: int = 1

    def events(self, dialect: DialectName) -> list[bytes]:
        """Every event; the last one (or, in `chat`, the last two) end the answer."""
        made = {
            "chat": self._chat,
            "responses": self._responses,
            "anthropic": self._anthropic,
            "gemini": self._gemini,
            "ollama": self._ollama,
        }[dialect]()
        if dialect in LINES:
            return [_json(event) + b"\n" for event in made]
        sent = [b"data: " + _json(event) + b"\n\n" for event in made]
        return [*sent, b"data: [DONE]\n\n"] if dialect == "chat" else sent

    def _chat(self) -> list[Json]:
        sent = [_choice({"content": piece}) for piece in _pieces(self.text)]
        for index, (call_id, name, arguments) in self._numbered():
            function = {"name": name, "arguments": arguments}
            sent.append(_choice({"tool_calls": [{"index": index, "id": call_id, "function": function}]}))
        sent += [_choice({"refusal": self.refusal})] if self.refusal else []
        names = ("prompt_tokens", "completion_tokens")
        return [*sent, {**_choice({}, self.finish or "stop"), **self._used("usage", *names)}]

    def _responses(self) -> list[Json]:
        kind = "response.output_text.delta"
        sent: list[Json] = [{"type": kind, "output_index": 0, "delta": p} for p in _pieces(self.text)]
        if self.refusal:
            sent.append({"type": "response.refusal.delta", "output_index": 0, "delta": self.refusal})
        for index, (call_id, name, arguments) in self._numbered(1):
            item = {"type": "function_call", "call_id": call_id, "name": name, "arguments": arguments}
            sent.append({"type": "response.output_item.done", "output_index": index, "item": item})
        used = self._used("usage", "input_tokens", "output_tokens")
        ended = {"status": "incomplete", "incomplete_details": {"reason": self.finish}} if self.finish else {}
        last = {"status": "completed", **used, **ended}
        return [*sent, {"type": f"response.{last['status']}", "response": last}]

    def _anthropic(self) -> list[Json]:
        block: Json = {"type": "text", "text": ""}
        sent: list[Json] = [{"type": "content_block_start", "index": 0, "content_block": block}]
        for piece in _pieces(self.text):
            delta = {"type": "text_delta", "text": piece}
            sent.append({"type": "content_block_delta", "index": 0, "delta": delta})
        for index, (call_id, name, arguments) in self._numbered(1):
            block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
            sent.append({"type": "content_block_start", "index": index, "content_block": block})
            delta = {"type": "input_json_delta", "partial_json": arguments}
            sent.append({"type": "content_block_delta", "index": index, "delta": delta})
        used = self._used("usage", "input_tokens", "output_tokens")
        finish = self.finish or ("refusal" if self.refusal else "end_turn")
        ended = {"type": "message_delta", "delta": {"stop_reason": finish}, **used}
        return [*sent, ended, {"type": "message_stop"}]

    def _gemini(self) -> list[Json]:
        sent = [_candidate([{"text": piece}]) for piece in _pieces(self.text)]
        for call_id, name, arguments in self.calls:
            call: Json = {"id": call_id, "name": name, "args": _parsed(arguments)}
            sent.append(_candidate([{"functionCall": call}]))
        ended = _candidate([], finishReason=self.finish or ("SAFETY" if self.refusal else "STOP"))
        return [*sent, {**ended, **self._used("usageMetadata", "promptTokenCount", "candidatesTokenCount")}]

    def _ollama(self) -> list[Json]:
        sent: list[Json] = [{"message": {"content": piece}, "done": False} for piece in _pieces(self.text)]
        for index, (call_id, name, arguments) in self._numbered():
            call = {
                "id": call_id,
                "function": {"index": index, "name": name, "arguments": _parsed(arguments)},
            }
            sent.append({"message": {"content": "", "tool_calls": [call]}, "done": False})
        used = self._used("", "prompt_eval_count", "eval_count").get("", {})
        ended = {"done": True, "done_reason": self.finish or "stop", "message": {"content": ""}}
        return [*sent, {**ended, **used}]

    def _numbered(self, first: int = 0) -> Iterator[tuple[int, tuple[str, str, Any]]]:
        return zip(count(first, self.step), self.calls, strict=False)

    def _used(self, key: str, given: str, made: str) -> Json:
        return {key: {given: self.usage[0], made: self.usage[1]}} if self.usage else {}


def _pieces(text: str) -> list[str]:
    return [text[at : at + 8] for at in range(0, len(text), 8)]


def _choice(delta: Json, finish: str | None = None) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _candidate(parts: list[Json], **more: Any) -> Json:
    return {"candidates": [{"content": {"parts": parts}, **more}]}


def _parsed(arguments: Any) -> Any:
    try:
        return json.loads(arguments)
    except (TypeError, ValueError):
        return arguments


def _json(value: Any) -> bytes:
    try:
        return json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:  # half a character, which only an escape can carry
        return json.dumps(value).encode()
