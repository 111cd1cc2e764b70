"""Commands: what they see, what they leave, and that nothing outlives what it belongs to."""

import asyncio
import os
import resource
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from agls.engine.ports import Command, Finished, PathOutside, Workspace, WorkspaceError
from agls.workspace import processes as module
from agls.workspace.processes import Processes
from agls.workspace.stream_programs import StreamPrograms
from agls.workspace.texts import hash_of
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.machine import slowness
from support.patience import PATIENCE, become, within

pytestmark = pytest.mark.promise("P7")

ESCAPEES = """
sleep 1000 &
setsid sleep 1000 &
(setsid sh -c 'sleep 1000 & setsid sleep 1000 &' &)
python3 -c '
import os, signal, time
ready, tell = os.pipe()
if os.fork(): os.read(ready, 1); os._exit(0)
os.setsid()
if os.fork(): os._exit(0)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT): signal.signal(number, signal.SIG_IGN)
print("deaf", flush=True)
os.write(tell, b".")
time.sleep(1000)
'
"""
UNTIL_IT_HAS_BEGUN = (0.3, 3.0, 30.0)  # a busy machine may need longer to start a shell


def shell(text: str, mark: str = "", timeout: float = PATIENCE, keep: int = 65_536) -> Command:
    return Command(("bash", "-c", text), timeout=timeout, keep=keep, env={"MARK": mark})


async def run(workspace: Workspace, text: str, **options: object) -> Finished:
    return await workspace.run(shell(text, **options), lambda piece: None)


def alive(mark: str) -> list[str]:
    """The processes with `mark` in their environment."""
    return [process.name for process in Path("/proc").glob("[0-9]*") if mark in _environment(process)]


def _environment(process: Path) -> str:
    try:
        return (process / "environ").read_text(errors="replace")
    except OSError:
        return ""


def zombies() -> list[str]:
    """The children of this process that ended and that nobody waited for."""
    found: list[str] = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[:2] == ["Z", str(os.getpid())]:
            found.append(path.parent.name)
    return found


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


async def gone(mark: str) -> None:
    """Wait until nothing with `mark` is left."""
    await become(lambda: not alive(mark))


@pytest.fixture
def mark() -> str:
    return uuid4().hex


@asynccontextmanager
async def started(
    workspace: Workspace, command: Command, until: str
) -> AsyncIterator[asyncio.Task[Finished]]:
    """The command as a task, once it has printed `until`."""
    ready = asyncio.Event()
    shown: list[str] = []

    def show(text: str) -> None:
        shown.append(text)
        if until in "".join(shown):
            ready.set()

    async with asyncio.TaskGroup() as group:
        task = group.create_task(workspace.run(command, show))
        await ready.wait()
        yield task


async def test_a_command_gives_its_output_and_its_exit_code(workspace: Workspace, root: Path) -> None:
    shown: list[str] = []
    command = Command(("sh", "-c", "echo out; echo err >&2; pwd; exit 3"))
    finished = await workspace.run(command, shown.append)
    assert finished.output == "".join(shown) == f"out\nerr\n{root}\n"
    assert (finished.exit_code, finished.signal, finished.timed_out) == (3, "", False)
    assert finished.total == len(finished.output)
    assert 0 < finished.seconds < PATIENCE


async def test_arguments_arrive_as_they_are(workspace: Workspace) -> None:
    words = ("a b", "$HOME", "'", '"', "\n", "*", "", "ä", "--", "-c")
    finished = await workspace.run(Command(("printf", "%s|", *words)), lambda text: None)
    assert finished.output == "|".join(words) + "|"


async def test_a_signal_is_named(workspace: Workspace) -> None:
    for name in ("SIGSEGV", "SIGKILL", "SIGTERM", "SIGPIPE", "SIGINT"):
        finished = await run(workspace, f"kill -{name} $$")
        assert (finished.exit_code, finished.signal) == (None, name)
    assert (await run(workspace, "kill -40 $$")).signal.startswith(("signal 40", "SIGRT"))


async def test_a_command_can_be_interrupted_also_when_agls_was_started_in_the_background(
    workspace: Workspace,
) -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        finished = await run(workspace, "kill -INT $$")
    finally:
        signal.signal(signal.SIGINT, before)
    assert (finished.exit_code, finished.signal) == (None, "SIGINT")


async def test_a_command_runs_in_the_folder_it_asks_for(workspace: Workspace, root: Path) -> None:
    (root / "sub").mkdir()
    finished = await workspace.run(Command(("pwd",), cwd="sub"), lambda text: None)
    assert finished.output == f"{root}/sub\n"
    with pytest.raises(WorkspaceError, match="missing does not exist"):
        await workspace.run(Command(("pwd",), cwd="missing"), lambda text: None)
    with pytest.raises(PathOutside):
        await workspace.run(Command(("pwd",), cwd=".."), lambda text: None)


async def test_in_a_root_that_is_a_link_the_shell_sees_the_client_s_name(
    tmp_path: Path, root: Path, processes: Processes
) -> None:
    (tmp_path / "name").symlink_to(root)
    workspace = OpenWorkspace(str(tmp_path / "name"), (), FakeEditor(), processes)
    assert (await run(workspace, "pwd")).output == f"{tmp_path}/name\n"


async def test_command_that_cannot_be_run_says_why(workspace: Workspace, root: Path) -> None:
    finished = await workspace.run(Command(("no-such-program",)), lambda text: None)
    assert (finished.exit_code, finished.output) == (127, "no-such-program: No such file or directory\n")
    (root / "script").write_text("not executable")
    finished = await workspace.run(Command(("./script",)), lambda text: None)
    assert (finished.exit_code, finished.output) == (126, "./script: Permission denied\n")
    with pytest.raises(WorkspaceError, match="could not be started: embedded null byte"):
        await workspace.run(Command(("echo", "a\0b")), lambda text: None)
    with pytest.raises(WorkspaceError, match=r"could not be started: .*Argument list too long"):
        await workspace.run(Command(("echo", "x" * 3_000_000)), lambda text: None)


async def test_standard_input_is_empty_and_there_is_no_terminal(workspace: Workspace) -> None:
    finished = await run(workspace, "cat; read x || echo eof; (: < /dev/tty) 2>/dev/null || echo no tty")
    assert finished.output == "eof\nno tty\n"


async def test_standard_input_is_what_was_given_and_then_ends(workspace: Workspace) -> None:
    text = "größer\n" * 300_000
    command = Command(("sh", "-c", "sha256sum; cat"), stdin=text)
    finished = await workspace.run(command, lambda piece: None)
    assert finished.output.split()[0] == hash_of(text)
    surrogate = Command(("od", "-An", "-tx1"), stdin="\ud800")
    assert (await workspace.run(surrogate, lambda piece: None)).output == " ed a0 80\n"


@pytest.mark.parametrize("program", ["true", "exec <&-; sleep 0.1", "head -c 1 >/dev/null", "sleep 0.1"])
async def test_a_command_need_not_read_its_standard_input(workspace: Workspace, program: str) -> None:
    before = descriptors()
    command = Command(("bash", "-c", f"{program}; echo done"), stdin="x" * 3_000_000)
    finished = await workspace.run(command, lambda piece: None)
    assert (finished.exit_code, finished.output) == (0, "done\n")
    await become(lambda: descriptors() == before)


async def test_a_command_that_does_not_read_can_be_cancelled(workspace: Workspace, mark: str) -> None:
    command = Command(("bash", "-c", "echo on; sleep 1000"), env={"MARK": mark}, stdin="x" * 3_000_000)
    before = descriptors()
    async with started(workspace, command, "on") as task:
        task.cancel()
    assert not alive(mark)
    await become(lambda: descriptors() == before)


async def test_no_descriptor_of_ours_reaches_a_command(workspace: Workspace, root: Path) -> None:
    handle = os.open(root, os.O_RDONLY)
    os.set_inheritable(handle, True)
    finished = await workspace.run(Command(("ls", "/proc/self/fd")), lambda text: None)
    os.close(handle)
    assert finished.output.split() == ["0", "1", "2", "3"]  # 3 is what ls itself opened


async def test_a_command_has_a_session_of_its_own(workspace: Workspace) -> None:
    finished = await run(workspace, "ps -o sid= -p $$; echo $$; grep SigIgn /proc/$$/status")
    session, process, _, ignored = finished.output.split()
    assert session == process != str(os.getsid(0))
    not_inherited = 1 << (signal.SIGPIPE - 1) | 1 << (signal.SIGXFSZ - 1)  # Python ignores these two
    assert int(ignored, 16) & not_inherited == 0


async def test_only_allowed_variables_reach_a_command(root: Path) -> None:
    own = {"HOME": "/home/me", "LC_ALL": "C", "OPENAI_API_KEY": "sk-1", "BASH_ENV": "/evil", "FOO": "bar"}
    processes = Processes({**own, "PATH": ".:/usr/bin:bin:/bin:"})
    workspace = OpenWorkspace(str(root), (), FakeEditor(), processes)
    command = Command(("env",), env={"GIVEN": "1"})
    finished = await workspace.run(command, lambda text: None)
    seen = dict(line.split("=", 1) for line in finished.output.splitlines())
    assert seen == {
        "HOME": "/home/me", "LC_ALL": "C", "PATH": "/usr/bin:/bin", "TERM": "dumb",
        "PWD": str(root), "GIVEN": "1", "GIT_OPTIONAL_LOCKS": "0",
    }  # fmt: skip


@pytest.mark.row(35)
async def test_a_time_limit_ends_a_command_that_ignores_being_asked(workspace: Workspace, mark: str) -> None:
    """Exact, also for one that ignores signals."""
    text = "trap '' TERM; echo on; while :; do sleep 0.1; done"
    for timeout in UNTIL_IT_HAS_BEGUN:
        finished = await run(workspace, text, mark=mark, timeout=timeout)
        if finished.output:
            break
    assert (finished.timed_out, finished.exit_code, finished.output) == (True, None, "on\n")
    assert not alive(mark)


async def test_a_command_that_is_asked_to_end_may_clean_up(workspace: Workspace, root: Path) -> None:
    for timeout in UNTIL_IT_HAS_BEGUN:
        text = "trap 'touch cleaned; exit 0' TERM; sleep 100 & wait"
        finished = await run(workspace, text, timeout=timeout)
        assert (finished.timed_out, finished.exit_code) == (True, None)
        if (root / "cleaned").exists():
            return
    raise AssertionError("it was not asked")


async def test_processes_that_a_command_leaves_end_with_it(workspace: Workspace, mark: str) -> None:
    for watch in within(2.5):
        with watch:
            finished = await run(workspace, ESCAPEES + "\nexit 7", mark=mark)
    assert (finished.exit_code, finished.output) == (7, "deaf\n")
    assert not alive(mark)


async def test_a_grandchild_that_holds_the_output_open_does_not_hold_the_result(
    workspace: Workspace, mark: str
) -> None:
    for watch in within(1.5):
        with watch:
            finished = await run(workspace, "(trap '' TERM; sleep 1000) & echo done", mark=mark)
    assert finished.output == "done\n"
    assert not alive(mark)


async def test_escaped_process_that_holds_the_output_open_does_not_delay_the_result(
    workspace: Workspace, root: Path, mark: str
) -> None:
    text = "echo $$; until rm go 2> /dev/null; do sleep 0.01; done; echo done"
    for watch in within(1.5):
        async with started(workspace, shell(text, mark), "\n") as task:
            program = next(process for process in alive(mark) if not _is_keeper(Path("/proc", process)))
            held = os.open(f"/proc/{program}/fd/1", os.O_WRONLY)
            with watch:
                (root / "go").touch()
                finished = await task
            os.close(held)
    assert finished.output.endswith("done\n")


@pytest.mark.row(35)
async def test_cancelling_ends_the_whole_tree(workspace: Workspace, mark: str) -> None:
    """The whole tree."""
    for watch in within(1.0):
        async with started(workspace, shell(ESCAPEES + "\nsleep 1000", mark), "deaf") as task:
            await become(lambda: len(alive(mark)) > 5)
            with watch:
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
        assert not alive(mark)
    assert not zombies()


async def test_cancelling_twice_does_not_let_anything_escape(workspace: Workspace, mark: str) -> None:
    command = shell("trap '' TERM; echo on; while :; do sleep 1; done", mark)
    async with started(workspace, command, "on") as task:
        task.cancel()
        await asyncio.sleep(0.05)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    await gone(mark)


async def test_cancel_at_any_moment_leaves_no_process(workspace: Workspace, mark: str) -> None:
    for delay in range(12):
        async with asyncio.TaskGroup() as group:
            task = group.create_task(run(workspace, "sleep 1000 & sleep 1000", mark=mark))
            await asyncio.sleep(delay * 0.004)
            task.cancel()
    assert not alive(mark)
    assert not zombies()


async def test_closing_ends_everything_that_runs(
    workspace: Workspace, processes: Processes, mark: str
) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(run(workspace, "sleep 1000 & sleep 1000", mark=mark)) for _ in range(5)]
        while len(alive(mark)) < 10:
            await asyncio.sleep(0.02)
        await processes.aclose()
        assert not alive(mark)
    assert {task.result().signal for task in tasks} == {"SIGTERM"}


async def test_commands_side_by_side_end_only_their_own(workspace: Workspace, mark: str) -> None:
    other = uuid4().hex
    async with started(workspace, shell("setsid sleep 1000 & echo on; sleep 1000", other), "on") as task:
        await run(workspace, "setsid sleep 1000 & true", mark=mark)
        assert not alive(mark)
        assert len(alive(other)) >= 3
        task.cancel()
    assert not alive(other)


async def test_a_keeper_that_the_command_stopped_does_its_work(workspace: Workspace, mark: str) -> None:
    async with started(workspace, shell("kill -STOP $PPID; echo on; sleep 1000", mark), "on") as task:
        task.cancel()
    assert not alive(mark)
    assert not zombies()


async def test_command_that_is_cancelled_twice_is_over_when_its_caller_goes_on(
    workspace: Workspace, mark: str
) -> None:
    async with started(workspace, shell("echo on; sleep 1000", mark), "on") as task:
        task.cancel()
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert not alive(mark)


async def test_a_keeper_that_hangs_is_not_waited_for(
    workspace: Workspace, mark: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.2)
    command = shell("trap '' TERM; echo on; while :; do sleep 0.1; done", mark)  # busy until it is killed
    for watch in within(0.5):
        async with started(workspace, command, "on") as task:
            with watch:
                task.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await task
    await gone(mark)  # it goes on unattended
    await become(lambda: not zombies())


async def test_a_fork_bomb_ends(workspace: Workspace, mark: str) -> None:
    bomb = "bomb() { bomb & bomb & wait; }; trap '' TERM; ulimit -t 3; depth=0; echo on; bomb"
    bomb = bomb.replace("bomb() {", "bomb() { [ $((depth += 1)) -gt 7 ] && exec sleep 1000;")
    async with started(workspace, shell(bomb, mark), "on") as task:
        while len(alive(mark)) < 200:
            await asyncio.sleep(0.02)
        task.cancel()
    assert not alive(mark)


async def test_a_killed_keeper_takes_the_command_with_it(workspace: Workspace, mark: str) -> None:
    async with started(workspace, shell("echo on; sleep 1000", mark), "on") as task:
        keeper = next(p for p in alive(mark) if _is_keeper(Path("/proc", p)))
        os.kill(int(keeper), signal.SIGKILL)
        assert (await task).signal == "SIGKILL"
    await gone(mark)  # PR_SET_PDEATHSIG
    assert not zombies()


def _is_keeper(process: Path) -> bool:
    try:
        return b"import keeper" in (process / "cmdline").read_bytes()
    except OSError:
        return False


async def test_keeper_ignores_other_processes(workspace: Workspace, mark: str) -> None:
    finished = await run(
        workspace, "kill -TERM $PPID; kill -HUP $PPID; sleep 0.1; echo still here", mark=mark
    )
    assert (finished.exit_code, finished.output) == (0, "still here\n")


SERVER = """
import asyncio, sys
from agls.engine.ports import Command
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.texts import hash_of
from agls.workspace.workspace import OpenWorkspace

async def main():
    workspace = OpenWorkspace(sys.argv[1], (), NoEditor(), Processes())
    command = Command(("bash", "-c", sys.argv[2]), env={"MARK": sys.argv[3]}, timeout=1000)
    await workspace.run(command, lambda text: print(text, end="", flush=True))

asyncio.run(main())
"""


async def test_nothing_outlives_a_server_that_is_killed(root: Path, mark: str) -> None:
    text = ESCAPEES + "\nsleep 1000"
    command = [sys.executable, "-c", SERVER, root, text, mark]
    for watch in within(2.0):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as server:
            assert server.stdout is not None
            assert await asyncio.to_thread(server.stdout.readline) == b"deaf\n"
            await become(lambda: len(alive(mark)) > 5)
            with watch:
                server.kill()
                await gone(mark)


async def test_200_megabytes_of_output_are_read_with_little_memory_and_no_stall(workspace: Workspace) -> None:
    loop = asyncio.get_running_loop()
    beats: list[float] = []

    async def beat() -> None:
        while True:
            beats.append(loop.time())
            await asyncio.sleep(0.005)

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    async with asyncio.TaskGroup() as group:
        heart = group.create_task(beat())
        finished = await run(workspace, "head -c 200000000 /dev/zero | tr '\\0' x; echo end")
        heart.cancel()
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert finished.total == 200_000_004
    assert len(finished.output) < 66_000
    assert finished.output.startswith("xxx")
    assert finished.output.endswith("xend\n")
    assert grown < 30_000  # KiB
    stalls = sorted(late - early for early, late in pairwise(beats))
    assert stalls[int(len(stalls) * 0.99)] < 0.1 * slowness()


async def test_no_escape_but_colours_for_the_user_is_shown(workspace: Workspace) -> None:
    shown: list[str] = []
    command = shell(r"printf '\033[31mred\033[0m \033]0;title\007\342\200\256x\n'")
    finished = await workspace.run(command, shown.append)
    assert finished.output == "red <U+202E>x\n"
    assert "".join(shown) == "\x1b[31mred\x1b[0m <U+202E>x\n"


@pytest.mark.parametrize(
    ("command", "left"), [("true", 0), ("sleep 60 & sleep 60 & echo x", 2), ("exit 3", 0)]
)
async def test_processes_left_running_are_counted(workspace: Workspace, command: str, left: int) -> None:
    finished = await run(workspace, command)
    assert (finished.left_over, finished.timed_out) == (left, False)


async def test_stopped_command_leaves_no_process(workspace: Workspace) -> None:
    finished = await run(workspace, "sleep 60 & sleep 60", timeout=0.2)
    assert (finished.left_over, finished.timed_out) == (0, True)


class Ends:
    """Listens to a program, and counts its ends."""

    def __init__(self) -> None:
        self.count = 0

    def received(self, data: bytes) -> None:
        """Take no output."""

    def ended(self) -> None:
        self.count += 1


async def test_program_that_ends_while_it_is_connected_is_reported_after_its_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, ends = StreamPrograms(), Ends()
    connect = asyncio.get_running_loop().connect_read_pipe

    async def connect_after_the_end(*arguments: Any) -> Any:
        (program,) = programs._running
        await become(lambda: program.status is not None)
        return await connect(*arguments)

    monkeypatch.setattr(asyncio.get_running_loop(), "connect_read_pipe", connect_after_the_end)
    program = await programs.start(("/none/there",), str(tmp_path), ends)
    assert ends.count == 0
    await program.over
    assert ends.count == 1
