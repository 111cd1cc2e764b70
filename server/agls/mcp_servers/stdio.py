"""The standard streams of an MCP server, as the SDK reads and writes them: one JSON object a line."""

import asyncio
import json
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage
from mcp_types import INTERNAL_ERROR, ErrorData, JSONRPCError, JSONRPCMessage, jsonrpc_message_adapter

from agls.json_values import is_list, is_object, value_in
from agls.room.mcp_ports import ServerDefinition
from agls.workspace.kept_process import PATIENCE
from agls.workspace.stream_programs import StreamProgram, StreamPrograms

LONGEST_LINE = 16_000_000  # bytes of one message
HIGH = 4_000_000  # bytes that wait to be read, at which the server has to wait
LOW = 1_000_000
GRACE = 2.0  # seconds that a server has to end by itself, when its input was closed
BROKEN = "its answer is no message of the protocol, or too deep"
CLOSED = "closed its standard {}, and was ended"
SETTLING = 0.05  # seconds, in which the last words of a server that ended find their reader
MOST_AT_ONCE = 1_000  # messages of one line, as revisions before 2025-06-18 allow them
MOST_NOISE = 2_000  # characters that are kept of what is no message

FromServer = MemoryObjectSendStream[SessionMessage | Exception]
ToServer = MemoryObjectReceiveStream[SessionMessage]


class ServerStreams:
    """Implements `StreamListener` for one MCP server.

    `gone` is set when it ended, or shall end. `trouble` says why it ended by itself, which `may_pass`;
    `noise` is what it wrote that is no message.
    """

    def __init__(self, definition: ServerDefinition, programs: StreamPrograms) -> None:
        self._definition, self._programs = definition, programs
        self._waiting = bytearray()
        self._news, self.gone = asyncio.Event(), asyncio.Event()
        self._is_paused = self._is_over = self._is_leaving = False
        self._program: StreamProgram | None = None
        self.needs_login = self.may_pass = False
        self.noise, self.trouble = "", ""

    def received(self, data: bytes) -> None:
        """Take in what the server wrote."""
        self._waiting += data
        self._news.set()
        if len(self._waiting) > HIGH and self._program and not self._is_paused:
            self._is_paused = True
            self._program.pause()

    def ended(self) -> None:
        """Note that the server ended."""
        self._is_over = True
        self._news.set()

    @property
    def complaints(self) -> str:
        """The end of what it wrote to its standard error."""
        return " ".join(self._program.complaints.split())[-500:] if self._program else ""

    @asynccontextmanager
    async def open(
        self,
    ) -> AsyncGenerator[
        tuple[MemoryObjectReceiveStream[SessionMessage | Exception], MemoryObjectSendStream[SessionMessage]]
    ]:
        """Start the server for the block. **Raises** `WorkspaceError`."""
        into, read = anyio.create_memory_object_stream[SessionMessage | Exception](0)
        write, out = anyio.create_memory_object_stream[SessionMessage](0)
        definition = self._definition
        program = self._program = await self._programs.start(
            definition.argv, definition.folder, self, dict(definition.environment)
        )
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._read, into)
                group.start_soon(self._write, out, program)
                try:
                    yield read, write
                finally:
                    self._is_leaving = True
                    group.cancel_scope.cancel()
        finally:
            for stream in (into, read, write, out):
                stream.close()
            program.close_input()
            with anyio.CancelScope(shield=True):  # it ends whoever gave up waiting
                try:
                    await asyncio.wait({program.over}, timeout=GRACE)
                finally:
                    program.end()
                await asyncio.wait({program.over}, timeout=PATIENCE)

    async def _read(self, into: FromServer) -> None:
        is_settling = False  # whether the last line came without its end, and may not be read yet
        looked = 0  # bytes of the beginning that have no end of a line
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async with into:
                while True:
                    end = self._waiting.find(b"\n", looked)
                    if end < 0 and self._is_over and 0 < len(self._waiting) <= LONGEST_LINE:
                        end, is_settling = len(self._waiting), True
                    if end >= 0:
                        line = bytes(memoryview(self._waiting)[:end])
                        del self._waiting[: end + 1]
                        looked = 0
                        self._resume()
                        await self._pass_on(line, into)
                    elif self._is_over or len(self._waiting) > LONGEST_LINE:
                        await asyncio.sleep(SETTLING if is_settling else 0)
                        break
                    else:
                        looked = len(self._waiting)
                        self._resume(whole=False)
                        self._news.clear()
                        await self._news.wait()
        self._say_why()
        self.gone.set()

    def _resume(self, *, whole: bool = True) -> None:
        """Let the server write on, where enough was read, or where the line that is read is not whole."""
        if self._is_paused and self._program and (not whole or len(self._waiting) < LOW):
            self._is_paused = False
            self._program.resume()

    def _say_why(self) -> None:
        if self._is_leaving or self.gone.is_set():
            return
        if self._is_over and self._program:
            self.may_pass = True
            end, closed = f"ended by itself (exit status {self._program.status})", self._program.closed
            self.trouble = f"it {CLOSED.format(closed) if closed else end}. {self.complaints}".strip()
        else:
            self.trouble = f"it wrote a message of more than {LONGEST_LINE:,} bytes, and was ended"

    async def _pass_on(self, line: bytes, into: FromServer) -> None:
        if not line.strip():
            return
        try:
            await into.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))
        except (ValueError, RecursionError):
            await asyncio.sleep(0)  # one that writes only this lets others work
            for message in self._mended(line):
                await into.send(SessionMessage(message))

    def _mended(self, line: bytes) -> Sequence[JSONRPCMessage]:
        """**Returns** the messages of a line that is not quite one."""
        try:
            value: object = json.loads(line.decode("utf-8-sig", errors="replace"))
        except (ValueError, RecursionError):
            value = None
        found: list[JSONRPCMessage] = []
        for each in value[:MOST_AT_ONCE] if is_list(value) else [value]:
            try:
                whole = json.dumps(_with_plain_id(each), ensure_ascii=False).encode(errors="replace")
                found.append(jsonrpc_message_adapter.validate_json(whole, by_name=False))
            except (ValueError, RecursionError):
                self.noise = (self.noise + line[:200].decode(errors="replace") + "\n")[-MOST_NOISE:]
                if isinstance(number := value_in(each, "id"), int):
                    broken = ErrorData(code=INTERNAL_ERROR, message=BROKEN)
                    found.append(JSONRPCError(jsonrpc="2.0", id=number, error=broken))
        return found

    async def _write(self, out: ToServer, program: StreamProgram) -> None:
        async with out:
            async for each in out:
                text = each.message.model_dump_json(by_alias=True, exclude_unset=True)
                program.write(text.encode() + b"\n")


def _with_plain_id(message: object) -> object:
    """**Returns** a message whose number is whole, as some languages write every number with a point."""
    number = value_in(message, "id")
    if is_object(message) and isinstance(number, float) and number.is_integer():
        return {**message, "id": int(number)}
    return message
