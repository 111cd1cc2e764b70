"""Reads the answer of a model from events: the part that all dialects share."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

from agls.engine.facts import Overflowed, Replied, TextDelta, ThinkingDelta
from agls.engine.ports import ToolSpec
from agls.engine.vocabulary import Finish, JsonObject, Usage
from agls.json_values import is_object, objects_in
from agls.models.dialects.pieces import DeltaBuffer, DeltaKind
from agls.models.dialects.thinking import LeadingThought
from agls.models.dialects.tool_calls import ToolCalls
from agls.models.dialects.written_calls import WrittenCalls
from agls.models.endpoint import Endpoint
from agls.models.error_body import excerpt
from agls.models.errors import CallFailed, Failure, empty_answer, failure_of, incomplete, malformed, web_page
from agls.models.http.sse import ServerEvent
from agls.models.prices import cost_of

SHOWN = 80  # characters of an answer that is none
CHARACTERS = 4  # of a token, about
SHORT = 20  # characters within which [DONE] stands
DECODER = json.JSONDecoder()
CUTTING = {"length", "content_filter", "refusal"}  # the last call may have been cut off


class AnswerReader(ABC):
    """Takes events, returns deltas, and at the end of the input the reply.

    `failure` is set as soon as an error was read; text before it stays. A dialect implements `_read`, which
    understands a decoded object and sets `_whole` when the server says that the answer is complete.
    """

    def __init__(self, reply_id: str, endpoint: Endpoint) -> None:
        self.failure: Failure | Overflowed | None = None
        self.endpoint = endpoint
        self.done = False  # nothing more will come
        self._reply_id = reply_id
        self._calls, self._thought = ToolCalls(), LeadingThought()
        self._finish: Finish = "stop"
        self._whole = self._refused = self._begun = False
        self._usage = Usage()
        self._new = DeltaBuffer()  # not returned yet
        self._written = WrittenCalls({})
        self._returned: dict[DeltaKind, list[str]] = {"text": [], "thinking": []}

    def offer(self, tools: Sequence[ToolSpec]) -> None:
        """Look for calls of these tools in the text."""
        self._written = WrittenCalls({tool.name: tool.schema for tool in tools})

    @abstractmethod
    def _read(self, chunk: JsonObject) -> None:
        """Take one decoded object of the stream, or the whole answer as one object."""

    def _opaque(self, *, with_calls: bool) -> JsonObject:
        """Return the data that the server wants back unchanged with this message; {} for none."""
        del with_calls
        return {}

    @property
    def finished(self) -> bool:
        """Whether the server said that the answer is complete."""
        return self._whole

    def used_by_now(self, sent: int) -> Usage | None:
        """Return about what the answer used so far, to a request of `sent` tokens; `None` before it began."""
        if not self._begun:
            return None
        texts = sum(len(piece) for pieces in self._returned.values() for piece in pieces)
        said = (texts + self._calls.size) // CHARACTERS
        told = self._usage
        given = sent if told.input_tokens is None else told.input_tokens
        made = max(told.output_tokens or 0, said)
        return replace(told, input_tokens=given, output_tokens=made, estimated=True)

    def take(self, event: ServerEvent) -> None:
        """Take one event of the stream, or a whole answer as one event."""
        if self.done or self.failure:
            return
        self._begun = True
        if len(event.data) < SHORT and event.data.strip() == "[DONE]":
            self._end()
            return
        try:
            value = _decoded(event.data)
        except (ValueError, RecursionError) as problem:
            self.failure = self._unreadable(event, getattr(problem, "pos", 0))
            return
        for chunk in [value] if is_object(value) else objects_in(value):
            if chunk.get("error") or "error" in (event.name, chunk.get("object"), chunk.get("type")):
                self.failure = failure_of(None, {}, chunk, self.endpoint)
                return
            self._read(chunk)

    def deltas(self, *, final: bool = False) -> list[TextDelta | ThinkingDelta]:
        """Return the new deltas; with `final` also text that was held back."""
        if final:
            self._say(*self._thought.close())
            self._end_of_text()
        made: list[TextDelta | ThinkingDelta] = []
        for kind, text in self._new.taken(final=final):
            self._returned[kind].append(text)
            made.append((TextDelta if kind == "text" else ThinkingDelta)(self._reply_id, text))
        return made

    def reply(self) -> Replied:
        """Return the complete reply. Raises `CallFailed` when the answer is not complete."""
        if not self._begun:
            raise CallFailed(empty_answer(self.endpoint))
        if not self.finished:
            raise CallFailed(incomplete(self.endpoint))
        calls = self._calls.finished(cut=self._finish in CUTTING)
        opaque = self._opaque(with_calls=bool(calls))
        return Replied(
            self._reply_id,
            "".join(self._returned["text"]),
            "".join(self._returned["thinking"]),
            calls,
            "tool_calls" if calls else "refusal" if self._refused else self._finish,
            self._usage,
            cost_of(self._usage, self.endpoint.prices),
            opaque={"model": self.endpoint.identity, **opaque} if opaque else {},
        )

    def _end(self) -> None:
        """Take the end mark [DONE]."""
        self.done = True

    def _say(self, thinking: object, text: object) -> None:
        if thinking and isinstance(thinking, str):
            self._new.add("thinking", thinking)
        if text and isinstance(text, str):
            self._new.add("text", self._written.feed(text))

    def _end_of_text(self) -> None:
        """Release held-back text, as calls if the answer is complete and has no other calls."""
        whole = self.finished and not (self.failure or self._refused or self._finish in CUTTING)
        text, calls = self._written.close(whole=whole and not self._calls.any)
        self._new.add("text", text)
        for place, (name, arguments) in enumerate(calls):
            self._calls.take({"index": place, "function": {"name": name, "arguments": arguments}})

    def _unreadable(self, event: ServerEvent, wrong: int) -> Failure | None:
        """Return the failure of an event that is no JSON from the character `wrong` on."""
        if self.finished or not event.data.strip():
            return None
        if event.data.startswith("<"):
            return web_page(self.endpoint)
        if not event.data.startswith(("{", "[")):
            return self._malformed("sent what is no answer of a model", event.data[:SHOWN])
        if not event.ended:  # the connection broke inside an event
            return incomplete(self.endpoint)
        begin = max(0, wrong - SHOWN // 2)
        shown = ("…" if begin else "") + event.data[begin : begin + SHOWN]
        return self._malformed("sent an event that is no JSON", shown)

    def _malformed(self, what: str, data: str) -> Failure:
        return malformed(self.endpoint, f"{what}: {excerpt(data, self.endpoint)}")


def finish_in(known: Mapping[str, Finish], reason: object) -> Finish:
    """Return the meaning of a dialect's reason to finish; an unknown one is a usual end."""
    return known.get(str(reason).lower(), "stop")


def own_opaque(opaque: JsonObject, endpoint: Endpoint, key: str) -> list[JsonObject]:
    """Return the opaque data of this very model under a key; nothing of another model's."""
    kept = opaque.get(key) if opaque.get("model") == endpoint.identity else None
    return objects_in(cast("object", kept))


def _decoded(text: str) -> Any:
    """Decode one JSON value, in half the time of `json.loads`. Raises what that raises."""
    text = text.strip()
    value, end = DECODER.raw_decode(text)
    if end != len(text):
        raise ValueError("something follows the value")
    return value
