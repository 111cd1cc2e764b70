"""What it costs to read a chunk of an answer, without any connection: the floor's way and agls's."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Sequence

from agls.models.dialects.chat import ChatAnswerReader
from agls.models.endpoint import Endpoint
from agls.models.http.sse import events
from benchmarks.client import Broken
from benchmarks.peers import Name

TOGETHER = 16  # chunks in one read
WHOLE = {"id": "c1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "mock"}


def reads(count: int) -> Sequence[bytes]:
    """An answer of so many chunks, as it comes from a socket."""
    chunks = [_event({"content": f"{number} lorem ipsum "}, None) for number in range(count)]
    whole = [*chunks, _event({}, "stop"), b"data: [DONE]\n\n"]
    return [b"".join(whole[at : at + TOGETHER]) for at in range(0, len(whole), TOGETHER)]


def cost(name: Name, answer: Sequence[bytes], count: int) -> float:
    """Microseconds for each chunk. Raises `Broken` when one is missing."""
    begun = time.perf_counter_ns()
    text = _floor(answer) if name == "floor" else asyncio.run(_agls(answer))
    took = (time.perf_counter_ns() - begun) / 1000 / count
    if text != "".join(f"{number} lorem ipsum " for number in range(count)):
        raise Broken(f"{name} did not read the whole answer")
    return took


def _event(delta: dict[str, str], finish: str | None) -> bytes:
    event = {**WHOLE, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}
    return b"data: %b\n\n" % json.dumps(event, separators=(",", ":")).encode()


def _floor(answer: Sequence[bytes]) -> str:
    """As `floor.ask` and `floor.Session` read it."""
    texts, rest = list[str](), b""
    for data in answer:
        *found, rest = (rest + data).split(b"\n\n")
        for event in found:
            if event != b"data: [DONE]":
                for choice in json.loads(event[6:])["choices"]:
                    if text := choice["delta"].get("content"):
                        texts.append(text)
    return "".join(texts)


async def _agls(answer: Sequence[bytes]) -> str:
    """As `models.client` reads it."""
    reader = ChatAnswerReader("item", Endpoint(name="mock", model="mock", base_url="http://localhost/v1"))

    async def chunks() -> AsyncGenerator[bytes, None]:
        for data in answer:
            yield data

    async for batch in events(chunks()):
        for event in batch:
            reader.take(event)
        reader.deltas()
    reader.deltas(final=True)
    return reader.reply().text
