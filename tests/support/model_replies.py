"""What a scripted model server answers: chat completions, HTTP errors, or bytes as they are."""

import json
import random
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Literal

Json = dict[str, Any]
Ending = Literal["end", "close", "reset", "hang"]


@lru_cache(64)
def _parsed(content: bytes) -> Json:
    """What a test asks again and again while it waits."""
    return json.loads(content)


@dataclass(frozen=True, slots=True)
class Request:
    """What a client sent.

    `closed` is set when it closed the connection before the answer's end, `over` when the answer has ended
    in whatever way.
    """

    method: str
    path: str
    headers: dict[str, str]
    content: bytes
    closed: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def body(self) -> Json:
        """The JSON body."""
        return _parsed(self.content) if self.content else {}


@dataclass(frozen=True, slots=True)
class Raw:
    """An answer byte by byte: each piece is one HTTP chunk, `delay` seconds before each.

    `begin` is what happens before the headers, `then` after the last piece: `end` as it should be,
    `close` without the last HTTP chunk, `reset` (what was sent just before may be lost too), or
    `hang` until the client leaves. `headers` replace the content type.
    """

    pieces: Sequence[bytes] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    delay: float = 0.0
    begin: Ending = "end"
    then: Ending = "end"


@dataclass(frozen=True, slots=True)
class Failure:
    """An HTTP error in the shape most servers use."""

    status: int
    message: str = "it went wrong"
    code: str | int | None = None
    type: str | None = None
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def raw(self) -> Raw:
        """As it goes over the wire."""
        error = {"message": self.message, "type": self.type, "code": self.code}
        body = json.dumps({"error": error}).encode()
        return Raw([body], self.status, {"Content-Type": "application/json", **self.headers})


@dataclass(frozen=True, slots=True)
class Reply:
    """A chat completion, streamed or whole as the request asks.

    `text` and `thinking` go out in fragments of `fragment` characters, each `delay` seconds after
    the one before; a list of strings is sent as it is. The arguments of a call are a dictionary, or
    a string sent as it is. `usage` is (prompt tokens, completion tokens). After `cut_after` events
    (`None`: all of them) comes `then`, as in `Raw`.
    """

    text: str | Sequence[str] = ""
    thinking: str | Sequence[str] = ""
    calls: Sequence[tuple[str, Json | str]] = ()
    finish: str = ""
    usage: tuple[int, int] | None = (10, 5)
    delay: float = 0.0
    fragment: int = 12
    done: bool = True
    cut_after: int | None = None
    then: Ending = "end"

    def raw(self, request: Request, number: int) -> Raw:
        """As it goes over the wire in answer to request `number`."""
        model = str(request.body.get("model", ""))
        if not request.body.get("stream"):
            body = json.dumps(self._completion(model, number)).encode()
            return Raw([body], headers={"Content-Type": "application/json"}, delay=self.delay, then=self.then)
        head = {"id": f"chatcmpl-{number}", "object": "chat.completion.chunk", "created": 0, "model": model}
        events = [sse({**head, **part}) for part in self._parts(number)]
        events += [b"data: [DONE]\n\n"] if self.done else []
        return Raw(events[: self.cut_after], delay=self.delay, then=self.then)

    @property
    def _finish(self) -> str:
        return self.finish or ("tool_calls" if self.calls else "stop")

    def _parts(self, number: int) -> Iterator[Json]:
        yield _choice({"role": "assistant", "content": ""})
        for piece in _fragments(self.thinking, self.fragment):
            yield _choice({"reasoning_content": piece})
        for piece in _fragments(self.text, self.fragment):
            yield _choice({"content": piece})
        for index, (name, arguments) in enumerate(self.calls):
            function = {"name": name, "arguments": ""}
            call = {"index": index, "id": f"call_{number}_{index}", "type": "function", "function": function}
            yield _choice({"tool_calls": [call]})
            for piece in _fragments(_written(arguments), self.fragment):
                yield _choice({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        yield _choice({}, self._finish)
        if self.usage:
            yield {"choices": [], "usage": _usage(self.usage)}

    def _completion(self, model: str, number: int) -> Json:
        calls = [
            {
                "id": f"call_{number}_{index}",
                "type": "function",
                "function": {"name": name, "arguments": _written(arguments)},
            }
            for index, (name, arguments) in enumerate(self.calls)
        ]
        message = {"role": "assistant", "content": "".join(self.text)}
        message |= {"tool_calls": calls} if calls else {}
        message |= {"reasoning_content": "".join(self.thinking)} if self.thinking else {}
        choice = {"index": 0, "message": message, "finish_reason": self._finish}
        usage = {"usage": _usage(self.usage)} if self.usage else {}
        return {
            "id": f"chatcmpl-{number}",
            "object": "chat.completion",
            "model": model,
            "choices": [choice],
            **usage,
        }


Answer = Reply | Failure | Raw


def sse(data: Json) -> bytes:
    """One server-sent event."""
    return b"data: " + json.dumps(data, ensure_ascii=False).encode() + b"\n\n"


def page(data: Any, status: int = 200) -> Raw:
    """A JSON document, for `pages`."""
    return Raw([json.dumps(data).encode()], status, {"Content-Type": "application/json"})


def scattered(body: bytes, seed: int) -> list[bytes]:
    """`body` cut at random places, also inside characters and between CR and LF; the same for each seed."""
    rng, pieces = random.Random(seed), list[bytes]()
    while body:
        size = rng.choice((1, 2, 3, 7, 64, 1000))
        pieces.append(body[:size])
        body = body[size:]
    return pieces


def answer_from(entry: Json) -> Answer:
    """An answer of a script file: the fields of `Reply`, `Failure` (`status`) or `Raw` (`body`)."""
    entry = dict(entry)
    if "body" in entry:
        return Raw([str(entry.pop("body")).encode()], **entry)
    if "status" in entry:
        return Failure(**entry)
    entry["calls"] = [(call["name"], call.get("arguments", {})) for call in entry.get("calls", [])]
    return Reply(**entry)


def _choice(delta: Json, finish: str | None = None) -> Json:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _usage(usage: tuple[int, int]) -> Json:
    return {"prompt_tokens": usage[0], "completion_tokens": usage[1], "total_tokens": sum(usage)}


def _written(arguments: Json | str) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


def _fragments(text: str | Sequence[str], size: int) -> Sequence[str]:
    return [text[i : i + size] for i in range(0, len(text), size)] if isinstance(text, str) else text
