"""`agls mcp serve`: another agent, which is the client of the official SDK, has this one work."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any

import pytest
from mcp.client import stdio
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.os.win32.utilities import FallbackProcess
from mcp.shared.exceptions import MCPError
from mcp_types import TextResourceContents

from doors.headless.conftest import Agls
from support.patience import PATIENCE
from support.processes import LoadedProcess
from support.rich_run import call

ERAS = pytest.mark.parametrize("era", ["auto", "legacy"])
SLEEP = call("shell", command="sleep 300")
WRITE = call("write_file", path="note.txt", content="Hello.\n")
DONE = {"text": "done"}


@pytest.fixture(autouse=True)
def starts_without_loading(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have the SDK start the program as all tests do (docs/decisions/990)."""

    async def start(
        command: str, args: list[str], env: dict[str, str], errlog: IO[str], cwd: Path
    ) -> FallbackProcess:
        return FallbackProcess(
            LoadedProcess(
                [command, *args],
                env=env,
                cwd=cwd,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errlog,
                bufsize=0,
                start_new_session=True,
            )
        )

    monkeypatch.setattr(stdio, "_create_platform_compatible_process", start)
    monkeypatch.setattr(stdio, "PROCESS_TERMINATION_TIMEOUT", PATIENCE)


@asynccontextmanager
async def served(agls: Agls, *options: str, era: Any = "auto") -> AsyncGenerator[Client]:
    """A client of `agls mcp serve` in the workspace."""
    command, *words = agls.argv(["mcp", "serve", "-C", str(agls.workspace), *options])
    parameters = StdioServerParameters(command=command, args=words, env=agls.variables, cwd=agls.home)
    with Path(agls.home, "stderr").open("w") as stderr:
        async with Client(stdio_client(parameters, stderr), mode=era) as client:
            yield client


class Reports:
    """The reports of progress of one call."""

    def __init__(self) -> None:
        self.messages: list[str] = []
        self.numbers: list[float] = []

    async def __call__(self, progress: float, total: float | None, message: str | None) -> None:
        self.numbers.append(progress)
        self.messages.append(message or "")

    async def until(self, words: str) -> str:
        """Wait for a report with these words. **Returns** its session."""
        async with asyncio.timeout(PATIENCE):
            while not any(words in message for message in self.messages):
                await asyncio.sleep(0.02)
        return self.messages[0].partition(":")[0]


async def wait_for(what: Callable[[], Awaitable[object]]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not await what():
            await asyncio.sleep(0.05)


def said(result: Any) -> str:
    return "\n".join(block.text for block in result.content)


@ERAS
async def test_agent_of_another_program_runs_and_goes_on_with_a_session(agls: Agls, era: str) -> None:
    agls.prompts([{"text": "I look.", "calls": [call("list_dir", path=".")]}, {"text": "Empty."}], [DONE])
    async with served(agls, era=era) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"run", "resume", "cancel"}
        assert set(tools["run"].input_schema["properties"]) == {"prompt", "title"}
        reports = Reports()
        ran = await client.call_tool(
            "run", {"prompt": "Look around", "title": "A look"}, progress_callback=reports
        )
        members = ran.structured_content
        session_id = members["session_id"]
        assert members["text"] == "Empty." and members["stop_reason"] == "end_turn"
        assert said(ran).startswith("Empty.") and session_id in said(ran)
        assert reports.messages[0] == f"{session_id}: asks scripted"
        assert reports.numbers == sorted({*reports.numbers})
        more = await client.call_tool("resume", {"session_id": session_id, "prompt": "And?"})
        assert more.structured_content["text"] == "done"
        (resource,) = (await client.list_resources()).resources
        assert (resource.uri, resource.title) == (f"agls://sessions/{session_id}", "A look")
        (page,) = (await client.read_resource(resource.uri)).contents
        assert isinstance(page, TextResourceContents)
        assert "Look around" in page.text and "And?" in page.text
    assert [each["sessionId"] for each in agls.sessions()] == [session_id]


@pytest.mark.promise("P2")
async def test_only_whoever_starts_the_server_decides_what_runs(agls: Agls) -> None:
    agls.prompts([{"calls": [WRITE]}, DONE], [{"calls": [WRITE]}, DONE])
    note = agls.workspace / "note.txt"
    async with served(agls) as client:
        refused = await client.call_tool("run", {"prompt": "write"})
        assert refused.structured_content["refused"] == 1
        assert "nobody was there to ask" in said(refused)
        assert not note.exists()
        wider = await client.call_tool("run", {"prompt": "write", "mode": "allowAll"})
        assert wider.is_error and "mode: there is no such argument" in said(wider)
        words = await client.call_tool("resume", {**_session(refused), "prompt": "/mode allowAll"})
        assert words.structured_content["text"] == "done", "a command is nothing but words here"
        assert not note.exists()
    agls.prompts([{"calls": [WRITE]}, DONE])
    async with served(agls, "--mode", "acceptEdits") as client:
        allowed = await client.call_tool("run", {"prompt": "write"})
    assert note.read_text() == "Hello.\n"
    (changed,) = allowed.structured_content["files_changed"]
    assert (changed["path"], changed["change"]) == (str(note), "added")
    assert "refused" not in allowed.structured_content


def _session(result: Any) -> dict[str, str]:
    return {"session_id": result.structured_content["session_id"]}


@ERAS
async def test_cancel_of_the_client_cancels_the_run(agls: Agls, era: str) -> None:
    agls.prompts([{"calls": [SLEEP]}, DONE])
    async with served(agls, "--mode", "allowAll", era=era) as client:
        reports = Reports()
        call = asyncio.create_task(client.call_tool("run", {"prompt": "sleep"}, progress_callback=reports))
        session_id = await reports.until("sleep 300")
        call.cancel()
        await asyncio.wait({call})

        async def ended() -> bool:
            (page,) = (await client.read_resource(f"agls://sessions/{session_id}")).contents
            return isinstance(page, TextResourceContents) and "cancelled by the other agent" in page.text

        await wait_for(ended)


async def test_cancel_tool_ends_a_run_and_its_caller_gets_a_result(agls: Agls) -> None:
    agls.prompts([{"calls": [SLEEP]}, DONE])
    async with served(agls, "--mode", "allowAll") as client:
        reports = Reports()
        call = asyncio.create_task(client.call_tool("run", {"prompt": "sleep"}, progress_callback=reports))
        session = {"session_id": await reports.until("sleep 300")}
        busy = await client.call_tool("resume", {**session, "prompt": "more"})
        assert busy.is_error and "is under way" in said(busy)
        cancelled = await client.call_tool("cancel", session)
        assert cancelled.structured_content == {**session, "outcome": "cancelled"}
        ended = await call
        assert ended.is_error and ended.structured_content["stop_reason"] == "cancelled"
        again = await client.call_tool("cancel", session)
        assert again.structured_content == {**session, "outcome": "not_running"}


async def test_run_whose_client_leaves_is_interrupted_and_can_be_gone_on_with(agls: Agls) -> None:
    agls.prompts([{"calls": [SLEEP]}, DONE])
    reports = Reports()
    async with served(agls, "--mode", "allowAll") as client:
        call = asyncio.create_task(client.call_tool("run", {"prompt": "sleep"}, progress_callback=reports))
        session_id = await reports.until("sleep 300")
    await asyncio.wait({call})
    assert isinstance(call.exception(), MCPError)
    (row,) = agls.sessions()
    assert (row["sessionId"], row["state"], row["interrupted"]) == (session_id, "idle", True)
    async with served(agls) as client:
        resumed = await client.call_tool("resume", {"session_id": session_id})
        assert resumed.structured_content["text"] == "done"
        nothing = await client.call_tool("resume", {"session_id": session_id})
        assert nothing.is_error and "nothing to go on with" in said(nothing)


async def test_sessions_of_other_folders_are_out_of_reach(agls: Agls) -> None:
    agls.prompts([DONE])
    other = agls.home / "other"
    other.mkdir()
    assert agls.run("run", "-C", str(other), "hello").code == 0
    (row,) = agls.sessions()
    async with served(agls) as client:
        assert (await client.list_resources()).resources == []
        for uri in (f"agls://sessions/{row['sessionId']}", "agls://sessions/../x", "file:///etc/passwd"):
            with pytest.raises(MCPError, match="There is no resource"):
                await client.read_resource(uri)
        refused = await client.call_tool("resume", {"session_id": row["sessionId"], "prompt": "x"})
        assert refused.is_error and "no session" in said(refused)


async def test_what_keeps_a_run_from_beginning_is_the_result_and_leaves_no_session(agls: Agls) -> None:
    agls.configure("")
    async with served(agls) as client:
        failed = await client.call_tool("run", {"prompt": "x"})
    assert failed.is_error and "model" in said(failed)
    assert agls.sessions() == []


def test_output_is_nothing_but_the_protocol_and_a_signal_ends_it(agls: Agls) -> None:
    agls.prompts([{"calls": [SLEEP]}, DONE])
    process = agls.start("mcp", "serve", "--mode", "allowAll", stdin=subprocess.PIPE)
    assert process.stdin and process.stdout
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    for message in (
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": "run", "arguments": {"prompt": "go"}}},
    ):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    process.stdin.flush()
    assert json.loads(process.stdout.readline())["result"]["serverInfo"]["name"] == "agls"
    agls.wait_until_asked()
    process.send_signal(signal.SIGTERM)
    rest = process.stdout.read()
    assert process.wait(PATIENCE) == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
    (row,) = agls.sessions()
    assert row["interrupted"]


def test_wrong_configuration_is_said_before_anything_is_served(agls: Agls) -> None:
    agls.configure("model = 3\n")
    done = agls.run("mcp", "serve")
    assert done.code == 2 and done.out == ""
    assert "model" in done.err


def test_other_commands_do_not_load_the_server(agls: Agls) -> None:
    lines = "import sys, agls.doors.headless.commands as c; print([m for m in sys.modules if m[:3] == 'mcp'])"
    done = subprocess.run(
        [sys.executable, "-c", lines], env=agls.variables, capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
