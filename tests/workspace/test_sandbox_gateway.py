"""The door of a command's network: it closes with the command, whatever is on its way."""

import asyncio
from pathlib import Path
from shutil import which

import pytest

from agls.engine.ports import Command
from agls.web.host_proxy import HostProxy
from agls.web.host_rules import HostRules
from agls.workspace.processes import Processes
from agls.workspace.sandbox.backend import Sandboxes
from agls.workspace.sandbox.gateway import ReachableHosts
from agls.workspace.sandbox.launcher import SandboxedProcesses
from agls.workspace.sandbox.mounts import Bounds
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.sandboxes import needs_bubblewrap

pytestmark = [pytest.mark.promise("P5"), needs_bubblewrap]


async def confined(root: Path, processes: Processes, rules: HostRules) -> OpenWorkspace:
    """A workspace whose commands reach these hosts."""
    sandboxes = Sandboxes("")
    way = (await sandboxes.find(which("bwrap") or "")).backends[0]
    bounds = Bounds((str(root),), environment=processes.environment)
    hosts = ReachableHosts(rules.names, lambda: HostProxy(rules))
    runner = SandboxedProcesses(processes, way, bounds, sandboxes.baseline(bounds.roots), hosts)
    return OpenWorkspace(str(root), (), FakeEditor(), processes).run_by(runner)


async def hang(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Never answer."""
    await reader.read()
    writer.close()


async def test_connection_that_never_answers_ends_with_the_time_of_its_command(
    root: Path, processes: Processes
) -> None:
    async with await asyncio.start_server(hang, "127.0.0.1", 0) as server:
        name = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        workspace = await confined(root, processes, HostRules(private=(name,)))
        before = len(asyncio.all_tasks())
        words = ("curl", "-s", "-p", f"http://{name}/")
        finished = await workspace.run(Command(words, timeout=1.5), lambda text: None)
        assert finished.timed_out
        await asyncio.sleep(0.2)
        assert len(asyncio.all_tasks()) <= before


async def test_cancelled_command_leaves_no_connection_and_no_task(root: Path, processes: Processes) -> None:
    async with await asyncio.start_server(hang, "127.0.0.1", 0) as server:
        name = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        workspace = await confined(root, processes, HostRules(private=(name,)))
        before = len(asyncio.all_tasks())
        heard = asyncio.Event()
        script = f"echo go; curl -s -p http://{name}/"
        work = asyncio.ensure_future(
            workspace.run(Command(("sh", "-c", script), timeout=30), lambda text: heard.set())
        )
        await asyncio.wait_for(heard.wait(), 20)
        await asyncio.sleep(0.3)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work
        await asyncio.sleep(0.2)
        assert len(asyncio.all_tasks()) <= before


async def test_command_that_cannot_be_found_says_so(root: Path, processes: Processes) -> None:
    workspace = await confined(root, processes, HostRules(("a.example",)))
    finished = await workspace.run(Command(("no-such-program",)), lambda text: None)
    assert finished.exit_code == 127
    assert "no-such-program: No such file or directory" in finished.output
