"""An MCP server made with the official SDK, which speaks both eras: it is started as a program.

mcp_sdk_server.py [http|stateless|sse PORT]
"""

import base64
import os
import sys
from pathlib import Path

import anyio
from mcp.server.mcpserver import Context, Image, MCPServer
from mcp_types import Completion, CompletionArgument, CompletionContext
from pydantic import BaseModel

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
server = MCPServer("sample", instructions="Adds and counts.")


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
async def grow(context: Context) -> str:
    """Add a tool, and say so to whoever listens."""
    server.add_tool(today, name="grown")
    await context.notify_tools_changed()
    return "There is a tool more."


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
