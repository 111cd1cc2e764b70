"""The floor: a relay that does nothing an agent does, in plain asyncio. Every ratio is to this.

It answers `initialize`, `agent/session/new`, `agent/status`, `agent/run`, `agent/cancel` and `agent/resume`.
Each chunk of the model becomes one event, written at once. It has one tool, read_file. The messages are in
memory, and as JSON lines in one file per session, never flushed to the disk. Nothing is checked or asked.
"""

import asyncio
import json
import os
import sys
import uuid
from collections.abc import AsyncGenerator
from typing import Any, TextIO

JsonObject = dict[str, Any]
PORT = int(os.environ["FLOOR_PORT"])
FOLDER = os.environ["FLOOR_FOLDER"]
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOL = {"name": "read_file", "description": "Read a file", "parameters": SCHEMA}
ASK = (
    b"POST /v1/chat/completions HTTP/1.1\r\nHost: mock\r\nContent-Type: application/json\r\nContent-Length: "
)

_output = sys.stdout.buffer
_sessions: dict[str, "Session"] = {}
_free: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []  # connections to the model


def dumps(value: object) -> str:
    """JSON without spaces."""
    return json.dumps(value, separators=(",", ":"))


def send(message: JsonObject) -> None:
    """Write one message and flush."""
    body = dumps({"jsonrpc": "2.0", **message}).encode()
    _output.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
    _output.flush()


def show(session_id: str, type: str, **data: object) -> None:
    """Send one event."""
    event = {"sessionId": session_id, "type": type, "data": data}
    send({"method": "agent/event", "params": {"events": [event]}})


class Session:
    """A conversation in memory and in a file."""

    def __init__(self, session_id: str) -> None:
        self.session_id = session_id
        self.messages: list[JsonObject] = []
        self.file: TextIO = open(f"{FOLDER}/{session_id}.jsonl", "a+")  # noqa: PTH123, SIM115 - kept open, and quick to start
        self.run: asyncio.Task[None] | None = None
        _sessions[session_id] = self

    def keep(self, message: JsonObject) -> None:
        """Remember a message."""
        self.messages.append(message)
        self.file.write(dumps(message) + "\n")
        self.file.flush()

    def load(self) -> None:
        """Read the file and tell what was said."""
        self.file.seek(0)
        for line in self.file:
            message = json.loads(line)
            self.messages.append(message)
            show(self.session_id, "itemCompleted", role=message["role"], append=message["content"])

    async def work(self, request_id: object, text: str) -> None:
        """Run a prompt to its end."""
        self.keep({"role": "user", "content": text})
        reason = "endTurn"
        try:
            while await self._turn():
                pass
        except asyncio.CancelledError:
            reason = "cancelled"
        show(self.session_id, "runEnded", stopReason=reason)
        send({"id": request_id, "result": {"stopReason": reason}})

    async def _turn(self) -> bool:
        """Ask the model once and run the tools it wants; whether there is more to do."""
        tools = [{"type": "function", "function": TOOL}]
        asked = {"model": "mock", "stream": True, "tools": tools, "messages": self.messages}
        texts: list[str] = []
        calls: dict[int, JsonObject] = {}
        async for event in ask(dumps(asked).encode()):
            for choice in event["choices"]:
                delta = choice["delta"]
                if text := delta.get("content"):
                    texts.append(text)
                    show(self.session_id, "itemDelta", append=text)
                for part in delta.get("tool_calls", ()):
                    function = calls.setdefault(
                        part["index"], {**part, "function": {"name": "", "arguments": ""}}
                    )["function"]
                    for name, piece in part["function"].items():
                        function[name] += piece
        said: JsonObject = {"role": "assistant", "content": "".join(texts)}
        self.keep({**said, "tool_calls": list(calls.values())} if calls else said)
        for call in calls.values():
            show(self.session_id, "itemStarted", name=call["function"]["name"])
            with open(json.loads(call["function"]["arguments"])["path"]) as file:  # noqa: ASYNC230, PTH123 - nothing but the work
                result = file.read()
            self.keep({"role": "tool", "tool_call_id": call["id"], "content": result})
            show(self.session_id, "itemCompleted", result=len(result))
        return bool(calls)


async def ask(body: bytes) -> AsyncGenerator[JsonObject, None]:
    """Ask the model over a connection that is kept; yield its events as they come."""
    reader, writer = _free.pop() if _free else await asyncio.open_connection("127.0.0.1", PORT, limit=1 << 20)
    whole = False
    try:
        writer.write(b"%b%d\r\n\r\n%b" % (ASK, len(body), body))
        await reader.readuntil(b"\r\n\r\n")
        raw = rest = b""
        while not whole:
            if not (data := await reader.read(1 << 16)):
                raise ConnectionError("the model hung up")
            text, raw, whole = without_chunks(raw + data)
            *events, rest = (rest + text).split(b"\n\n")
            for event in events:
                if event != b"data: [DONE]":
                    yield json.loads(event[6:])
    finally:
        if whole:
            _free.append((reader, writer))
        else:
            writer.close()


def without_chunks(raw: bytes) -> tuple[bytes, bytes, bool]:
    """Return the content of the whole HTTP chunks, the rest, and whether the last chunk was among them."""
    text, start = list[bytes](), 0
    while (line := raw.find(b"\r\n", start)) >= 0:
        size = int(raw[start:line], 16)
        end = line + 4 + size
        if len(raw) < end:
            break
        text.append(raw[line + 2 : end - 2])
        start = end
        if not size:
            return b"".join(text), b"", True
    return b"".join(text), raw[start:], False


def take(message: JsonObject) -> None:
    """Follow one message."""
    request_id: object = message.get("id")
    params: JsonObject = message["params"]
    result = JsonObject()
    match str(message["method"]):
        case "initialize":
            result = {"capabilities": {"experimental": {"agent": {"protocolVersion": 1}}}}
        case "agent/session/new":
            result = {"sessionId": Session(uuid.uuid4().hex).session_id}
        case "agent/resume":
            Session(params["sessionId"]).load()
        case "agent/run":
            session = _sessions[params["sessionId"]]
            session.run = asyncio.ensure_future(session.work(request_id, params["input"]))
            return
        case "agent/cancel":
            if run := _sessions[params["sessionId"]].run:
                run.cancel()
        case _:
            pass
    if request_id is not None:
        send({"id": request_id, "result": result})


async def main() -> None:
    """Follow what comes until the standard input ends."""
    reader = asyncio.StreamReader(limit=1 << 26)
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), sys.stdin
    )
    while line := await reader.readline():
        length = int(line.partition(b":")[2])
        await reader.readline()
        take(json.loads(await reader.readexactly(length)))


asyncio.run(main())
