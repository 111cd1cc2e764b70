"""An MCP server made with the official SDK, which speaks both eras: it is started as a program.

mcp_sdk_server.py [http|stateless|sse PORT]
"""

import base64
import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import anyio
from mcp.server import CacheHint
from mcp.server.context import HandlerResult
from mcp.server.mcpserver import Context, Extension, Image, MCPServer, MethodBinding
from mcp.shared.exceptions import MCPError
from mcp_types import (
    INVALID_PARAMS,
    CallToolRequestParams,
    Completion,
    CompletionArgument,
    CompletionContext,
    RequestParams,
)
from pydantic import BaseModel

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="


class TaskParams(RequestParams):
    """What requests about a task have."""

    task_id: str
    input_responses: dict[str, Any] | None = None


class LongTasks(Extension):
    """Makes a task of each call of `work`: its argument says how the task ends, or which file ends it."""

    identifier = "io.modelcontextprotocol/tasks"

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.kind, self.calls = "", 0

    def methods(self) -> Sequence[MethodBinding]:
        """The three of the extension."""
        return [
            MethodBinding("tasks/get", TaskParams, self.get),
            MethodBinding("tasks/update", TaskParams, self.update),
            MethodBinding("tasks/cancel", TaskParams, self.cancel),
        ]

    async def intercept_tool_call(
        self, params: CallToolRequestParams, ctx: Any, call_next: Any
    ) -> HandlerResult:
        """Answer a call of `work` with a task."""
        if params.name != "work":
            return await call_next(ctx)
        self.seen = []
        self.calls += 1
        self.kind = str((params.arguments or {})["kind"])
        return {"resultType": "task", **self.told("working")}

    def told(self, status: str, **more: Any) -> dict[str, Any]:
        now = "2026-07-28T10:00:00Z"
        place = {"taskId": "t1", "createdAt": now, "lastUpdatedAt": now, "ttlMs": None, "pollIntervalMs": 20}
        return {**place, "status": status, "statusMessage": f"step {len(self.seen)}", **more}

    async def get(self, ctx: Any, params: TaskParams) -> HandlerResult:
        """Work for three looks, or until there is the file; then end as it was asked for."""
        if not self.kind:
            raise MCPError(INVALID_PARAMS, f"there is no task {params.task_id}")
        self.seen.append("get")
        said = self.told("working")
        if self.kind == "asks" and "update" not in self.seen:
            form = {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}
            asked = {"method": "elicitation/create", "params": {"message": "Who?", "requestedSchema": form}}
            said = self.told("input_required", inputRequests={"q1": asked})
        elif self.kind == "fails" and len(self.seen) > 2:
            said = self.told("failed", error={"code": -32000, "message": "the disk is full"})
        elif self.kind in {"ends", "asks"} and len(self.seen) > 2:
            words = f"done after {','.join(self.seen)} {self.answer}"
            said = self.told("completed", result={"content": [{"type": "text", "text": words}]})
        elif self.kind.startswith("/") and Path(self.kind).exists():
            words = f"done in {self.calls} call"
            said = self.told("completed", result={"content": [{"type": "text", "text": words}]})
        return {"resultType": "complete", **said}

    answer = ""

    async def update(self, ctx: Any, params: TaskParams) -> HandlerResult:
        """Take an answer."""
        self.seen.append("update")
        self.answer = json.dumps(params.input_responses)
        return {"resultType": "complete"}

    async def cancel(self, ctx: Any, params: TaskParams) -> HandlerResult:
        """Note that it was cancelled."""
        Path("cancelled").write_text(params.task_id)
        return {"resultType": "complete"}


life = CacheHint(ttl_ms=int(os.environ.get("SAMPLE_LIFE", "0")))  # of its list of tools
server = MCPServer(
    "sample",
    instructions="Adds and counts.",
    extensions=[LongTasks()],
    cache_hints={"tools/list": life},
)


class Sum(BaseModel):
    """A sum."""

    total: int


@server.tool()
def add(a: int, b: int) -> Sum:
    """Add two numbers."""
    return Sum(total=a + b)


@server.tool()
def process() -> str:
    """Say which process this is, and what it sees of the environment."""
    names = ",".join(sorted(os.environ))
    return f"pid {os.getpid()} cwd {Path.cwd()} key {os.environ.get('SAMPLE_KEY', '-')} names {names}"


@server.tool()
def pixel(cut: int = 0) -> Image:
    """Draw one pixel, without the last bytes of its file."""
    data = base64.b64decode(PIXEL)
    return Image(data=data[: len(data) - cut], format="png")


@server.tool()
def fail() -> str:
    """Fail."""
    raise ValueError("nothing can be done")


@server.tool()
async def count(context: Context, to: int = 3, seconds: float = 0.0) -> str:
    """Count, and report the progress."""
    for number in range(1, to + 1):
        await context.report_progress(number, to, f"step {number}")
        await anyio.sleep(seconds)
    return f"counted to {to}"


@server.tool()
def work(kind: str) -> str:
    """Work for long; it becomes a task."""
    return kind


@server.tool()
async def grow(context: Context) -> str:
    """Add a tool, and say so to whoever listens."""
    server.add_tool(today, name="grown")
    await context.notify_tools_changed()
    return "There is a tool more."


@server.tool()
async def complain(context: Context, words: str) -> str:
    """Log a warning."""
    await context.warning(words)  # pyright: ignore[reportDeprecated]  # what servers of today do
    return "It is logged."


@server.tool()
async def touch(context: Context, uri: str) -> str:
    """Say that a resource changed."""
    await context.notify_resource_updated(uri)
    return "It changed."


@server.resource("notes://today", description="What is to be done today.")
def today() -> str:
    """Today's note."""
    return "Water the plants."


@server.resource("notes://{day}/all")
def notes(day: str) -> str:
    """The notes of a day."""
    return f"Notes of {day}."


@server.prompt(description="Ask for a plan.")
def plan(goal: str, days: str = "3") -> str:
    """Ask for a plan."""
    return f"Make a plan for {goal} in {days} days."


@server.completion()
async def suggestions(
    ref: object, argument: CompletionArgument, context: CompletionContext | None
) -> Completion | None:
    """The goals that somebody may have."""
    if argument.name != "goal":
        return None
    return Completion(values=["the garden", "the move", "a\x1b[2Jscreen", "two\nlines"])


if __name__ == "__main__":
    if len(sys.argv) > 1:
        kind, port = sys.argv[1:]
        if kind == "sse":
            server.run("sse", port=int(port))
        else:
            server.run("streamable-http", port=int(port), stateless_http=kind == "stateless")
    else:
        server.run("stdio")
