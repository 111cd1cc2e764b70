"""The answer of the chat-completions dialect, put together from its chunks or read from one document."""

import json
from typing import Any, cast

from aglet.engine.facts import Overflowed, Replied, TextDelta, ThinkingDelta
from aglet.engine.vocabulary import Finish, JsonObject, Usage
from aglet.models.chat_request import identity
from aglet.models.endpoint import Endpoint
from aglet.models.errors import CallFailed, Failure, broken_off, empty, nonsense, refusal, web_page
from aglet.models.pieces import Kind, Pieces
from aglet.models.reasoning import Reasoning
from aglet.models.sse import Event
from aglet.models.thinking import LeadingThought
from aglet.models.tool_calls import ToolCalls
from aglet.models.usage import cost_of, usage_of
from aglet.models.values import object_in, objects_in

PATH = "/chat/completions"
FINISHES: dict[str, Finish] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "refusal": "refusal",
}
CUTTING = {"length", "content_filter"}  # the last call may have been cut off


class ChatAnswer:
    """One answer. Take every event, hand on the deltas, and at the end of the input ask for the reply.

    An error in the answer is in `failure` as soon as it was seen; what came before it stays.
    """

    def __init__(self, reply_id: str, endpoint: Endpoint) -> None:
        self.failure: Failure | Overflowed | None = None
        self.endpoint = endpoint
        self.done = False  # the server said that nothing more will come
        self._reply_id = reply_id
        self._thought, self._reasoning, self._calls = LeadingThought(), Reasoning(), ToolCalls()
        self._new = Pieces()  # not handed on yet
        self._said: dict[Kind, list[str]] = {"text": [], "thinking": []}
        self._finish, self._begun, self._whole, self._refused = "", False, False, False
        self._usage = Usage()
        self._extra: JsonObject = {}

    @property
    def finished(self) -> bool:
        """Whether the server said, in any way, that the answer is whole."""
        return self.done or self._whole or bool(self._finish)

    def take(self, event: Event) -> None:
        """One event of the stream, or a whole completion as one event."""
        if self.done or self.failure:
            return
        self._begun = True
        if event.data.strip() == "[DONE]":
            self.done = True
            return
        try:
            chunk: Any = json.loads(event.data)
        except (ValueError, RecursionError):
            self.failure = self._unreadable(event.data)
            return
        if isinstance(chunk, dict):
            self._take(event.name, cast("JsonObject", chunk))

    def deltas(self, *, final: bool = False) -> list[TextDelta | ThinkingDelta]:
        """What is new; with `final` also what was held back for what might have followed."""
        if final:
            self._say(*self._thought.close())
        made: list[TextDelta | ThinkingDelta] = []
        for kind, text in self._new.taken(final=final):
            self._said[kind].append(text)
            made.append((TextDelta if kind == "text" else ThinkingDelta)(self._reply_id, text))
        return made

    def reply(self) -> Replied:
        """The whole answer. Raises `CallFailed` when it is not whole."""
        if not self._begun:
            raise CallFailed(empty(self.endpoint))
        if not self.finished:
            raise CallFailed(broken_off(self.endpoint))
        finish = FINISHES.get(self._finish.lower(), "stop")
        calls = self._calls.finished(cut=finish in CUTTING)
        if calls:
            finish = "tool_calls"
        elif self._refused:
            finish = "refusal"
        return Replied(
            self._reply_id,
            "".join(self._said["text"]),
            "".join(self._said["thinking"]),
            calls,
            finish,
            self._usage,
            cost_of(self._usage, self.endpoint.info),
            self.endpoint.name,
            self._opaque(with_calls=bool(calls)),
        )

    def _opaque(self, *, with_calls: bool) -> JsonObject:
        opaque = self._reasoning.opaque(with_calls=with_calls)
        if any(extras := self._calls.extras()):
            opaque["calls"] = extras
        if self._extra:
            opaque["extra_content"] = self._extra
        return {"model": identity(self.endpoint), **opaque} if opaque else {}

    def _unreadable(self, data: str) -> Failure | None:
        if self.finished or not data.strip():
            return None
        if data.startswith("<"):
            return web_page(self.endpoint)
        if data.startswith(("{", "[")):  # the connection broke inside an event
            return broken_off(self.endpoint)
        return nonsense(self.endpoint, "sent something that is not JSON")

    def _take(self, name: str, chunk: JsonObject) -> None:
        if usage := object_in(chunk.get("usage") or object_in(chunk.get("x_groq")).get("usage")):
            self._usage = usage_of(usage)
        if chunk.get("error") or name == "error" or chunk.get("object") == "error":
            self.failure = refusal(None, {}, chunk, self.endpoint)
            return
        for choice in objects_in(chunk.get("choices")):
            if not choice.get("index"):
                self._choice(choice)

    def _choice(self, choice: JsonObject) -> None:
        delta = object_in(choice.get("delta"))
        if "delta" not in choice and (message := object_in(choice.get("message"))):
            delta, self._whole = message, True
        if finish := choice.get("finish_reason"):
            self._finish = str(finish)
        self._new.add("thinking", self._reasoning.take(delta))
        if content := delta.get("content"):
            self._content(content)
        if (refused := delta.get("refusal")) and isinstance(refused, str):
            self._refused = True
            self._say("", refused)
        if fragments := delta.get("tool_calls"):
            for fragment in objects_in(fragments):
                self._calls.take(fragment)
        if legacy := delta.get("function_call"):
            self._calls.take({"index": 0, "function": legacy})
        if extra := delta.get("extra_content"):
            self._extra.update(object_in(extra))

    def _content(self, content: object) -> None:
        if isinstance(content, str):
            self._say(*self._thought.feed(content))
            return
        for part in objects_in(content):
            thinking = "".join(str(item.get("text") or "") for item in objects_in(part.get("thinking")))
            self._say(thinking, str(part.get("text") or ""))

    def _say(self, thinking: str, text: str) -> None:
        self._new.add("thinking", thinking)
        self._new.add("text", text)
