"""P5: what a command in the sandbox cannot do, tried for real: by `agls run`, in the mode that asks nobody.

Each probe is a script that prints `LOOT` when it got what it wanted, or leaves something where the test
looks. All are run twice. In the sandbox none may succeed. Without it each must: a probe that cannot succeed
proves nothing, and one that was switched off would turn this red.
"""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from threading import Thread

import pytest

from agls.workspace.sandbox import landlock
from support.sandboxes import needs_bubblewrap

from .attacker import CANARY, House, call

pytestmark = [pytest.mark.promise("P5"), pytest.mark.skipif(sys.platform != "linux", reason="Linux only")]

# A program that makes one call to the system and says whether it was let through.
CALLING = """
import ctypes, errno, os, struct
libc = ctypes.CDLL(None, use_errno=True)
def try_it(number, *words):
    refused = (errno.EPERM, errno.ENOSYS, errno.EACCES)
    if libc.syscall(number, *words) >= 0 or ctypes.get_errno() not in refused:
        print("LOOT")
"""
CONNECTING = """
import socket
def connect(place):
    socket.socket(socket.AF_UNIX).connect(place)
    print("LOOT")
"""
IDENTITY = "export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a"
X86 = os.uname().machine == "x86_64"
SHELL: Mapping[str, str] = {
    "write beside the workspace": "echo x > ../elsewhere/new.txt && echo LOOT",
    "change a file beside the workspace": "echo x >> ../elsewhere/canary.txt && echo LOOT",
    "write through a link that it made": "ln -s ../elsewhere out && echo x > out/linked.txt && echo LOOT",
    "write through a link that was there": "echo x > way-out/was-there.txt && echo LOOT",
    "write through a hard link": "ln ../elsewhere/canary.txt hard && echo x >> hard && echo LOOT",
    "move a file away from beside": "mv ../elsewhere/loose.txt . && echo LOOT",
    "remove a file beside the workspace": "rm -f ../elsewhere/second.txt && echo LOOT",
    "make a file executable beside": "chmod 777 ../elsewhere/canary.txt && echo LOOT",
    "touch a file beside": "touch -d 2001-01-01 ../elsewhere/canary.txt && echo LOOT",
    "write a start file of the shell": "echo x >> ~/.bashrc && echo LOOT",
    "write to the system": "touch /etc/agls-probe && rm /etc/agls-probe && echo LOOT",
    "read a private key": "cat ~/.ssh/id_ed25519 && echo LOOT",
    "read credentials of a cloud": "cat ~/.aws/credentials && echo LOOT",
    "read a token in a file of its own": "grep -q . ~/.netrc && echo LOOT",
    "read the state of agls": "ls -A ~/state | grep -v scratch && echo LOOT",
    "read the configuration of agls": "grep -q guards ~/config.toml && echo LOOT",
    "set what git runs": "git config core.fsmonitor true && echo LOOT",
    "add a hook": "echo true > .git/hooks/pre-commit && echo LOOT",
    "hand the repository to another configuration": "echo ../evil > .git/commondir && echo LOOT; "
    "rm -f .git/commondir",
    "put another repository in the place of this one": "mv .git old && echo LOOT; mv old .git",
    "change what git ignores for itself": "echo x >> .git/info/exclude && echo LOOT",
    "set what git runs in a repository below": "git -C deep/er/below config core.pager true && echo LOOT",
    "commit": "git commit --allow-empty -qm x && echo LOOT",
    "add a worktree": "git worktree add -q ../elsewhere/tree && echo LOOT",
    "change a file that editors obey": "echo x >> .vscode/tasks.json && echo LOOT",
    "remove a file that agents obey": "rm AGENTS.md && echo LOOT; touch AGENTS.md",
    "change a protected file by its moved folder": "mv conf moved && echo x >> moved/.npmrc && echo LOOT; "
    "mv moved conf",
    "see the processes of agls": "grep -lsaP 'agls\\x00run' /proc/[0-9]*/cmdline | grep -q . && echo LOOT",
    "make a namespace of its own": "unshare -U true && echo LOOT",
    "make a namespace for mounts": "unshare -m true && echo LOOT",
    "read the environment of agls": "for p in /proc/[0-9]*; do grep -qsaP 'agls\\x00run' $p/cmdline && "
    "cat $p/environ >/dev/null && echo LOOT; done",
    "make the system writable": "mount -o remount,rw / && echo LOOT",
    "change the kernel": "read -r now < /proc/sys/kernel/core_pattern && "
    "printf '%s\\n' \"$now\" > /proc/sys/kernel/core_pattern && echo LOOT",
    "use the keys for emergencies": "test -w /proc/sysrq-trigger && echo LOOT",
    "reach a server of this machine": "curl -s -m 5 http://127.0.0.1:{tcp}/ && echo LOOT",
    "reach it by the shell itself": "(exec 3<>/dev/tcp/127.0.0.1/{tcp}) && echo LOOT",
    "find a host": "getent hosts canary-host && echo LOOT",
}
PYTHON: Mapping[str, str] = {
    "reach a server by UDP": "import socket; s = socket.socket(2, 2); s.settimeout(3); "
    's.sendto(b"x", ("127.0.0.1", {udp})); print("LOOT" if s.recv(9) else "")',
    "reach an abstract socket": CONNECTING + 'connect("\\0{abstract}")',
    "reach the socket of another program": CONNECTING + 'connect("{outer}")',
    "reach a socket in the workspace": CONNECTING + 'connect("{inner}")',
    "reach a daemon for containers": CONNECTING + 'connect("{docker}")',
    "reach an agent with keys for ssh": CONNECTING + 'connect("{ssh}")',
    "reach the message bus": CONNECTING + 'connect("{dbus}")',
    "reach the display of X11": CONNECTING + 'connect("{x11}")',
    "reach the display of X11 by its abstract name": CONNECTING + 'connect("\\0{x11}")',
    "reach the display of Wayland": CONNECTING + 'connect("{wayland}")',
    "reach a terminal multiplexer": CONNECTING + 'connect("{tmux}")',
    "reach an editor by its socket": CONNECTING + 'connect("{nvim}")',
    "reach an editor by its socket in the home": CONNECTING + 'connect("{vscode}")',
    "open a raw socket": 'import socket; socket.socket(17, 3); print("LOOT")',
    "open a socket of the kernel's ciphers": 'import socket; socket.socket(38, 5); print("LOOT")',
    "signal agls": "import os\nfor p in os.listdir('/proc'):\n  if p.isdigit() and int(p) != os.getpid() and "
    "b'agls\\0run' in open(f'/proc/{p}/cmdline', 'rb').read(): os.kill(int(p), 0); print('LOOT')",
    "trace a process": CALLING + f"try_it({101 if X86 else 117}, 0, 0, 0, 0)",
    "read the memory of a process": CALLING + f"try_it({310 if X86 else 270}, os.getpid(), 0, 0, 0, 0, 0)",
    "mount by the newer calls": CALLING + 'try_it(430, b"tmpfs", 0)',
    "load a program into the kernel": CALLING + f"try_it({321 if X86 else 280}, 0, 0, 0)",
    "handle its page faults": CALLING + f"try_it({323 if X86 else 282}, 1)",
    "open a ring for calls beside the filter": CALLING + "try_it(425, 1, ctypes.create_string_buffer(120))",
    "leave its namespace": CALLING + f"try_it({308 if X86 else 268}, -1, 0)",
    "open a file by its handle": CALLING + f"try_it({304 if X86 else 265}, -100, 0, 0)",
    "call by the other table": CALLING + f"try_it({0x40000000 + 39 if X86 else -1})",
}
OPTIONAL = {  # what a kernel may lack: without the sandbox these may fail, too
    "open a socket of the kernel's ciphers", "call by the other table", "find a host",
    "handle its page faults",
    "make the system writable", "use the keys for emergencies", "change the kernel",
    "read the environment of agls",
    "open a ring for calls beside the filter", "load a program into the kernel",
}  # fmt: skip
LEAVING: Mapping[str, tuple[str, str]] = {  # what may not be there afterwards
    "a repository": ("git init -q made", "made/.git"),
    "a repository deep below": ("mkdir -p one/two/three && git init -q one/two/three", "one/two/three/.git"),
    "a bare repository": ("git init -q --bare planted", "planted/HEAD"),
    "a file that leads git elsewhere": ("mkdir led && echo 'gitdir: ../evil' > led/.git", "led/.git"),
    "a link that leads git elsewhere": ("mkdir ln && ln -s ../evil ln/.git", "ln/.git"),
    "a repository in a moved folder": ("mv deep deeper && mkdir -p deep/er/below/.git", "deep/er/below/.git"),
    "tasks of an editor": ("mkdir -p sub/.vscode && echo {} > sub/.vscode/tasks.json",
                           "sub/.vscode/tasks.json"),
    "servers for agents": ("echo {} > .mcp.json", ".mcp.json"),
    "instructions for agents": ("echo obey > CLAUDE.md", "CLAUDE.md"),
    "a file that is read at each cd": ("echo x > .envrc", ".envrc"),
    "work for a build server": ("mkdir -p .github/workflows && echo x > .github/workflows/x.yml",
                                ".github/workflows/x.yml"),
    "code for every start of Python": ("echo x > sitecustomize.py", "sitecustomize.py"),
    "a protected name in other letters": ("mkdir .VSCode", ".VSCode"),
    "a protected name by moving a folder": ("mkdir plain && echo {} > plain/x && mv plain .idea", ".idea"),
    "a protected name as a link": ("ln -s ../elsewhere .zed", ".zed"),
}  # fmt: skip


LAST: Mapping[str, str] = {  # behind it nothing runs unasked
    "write the configuration of agls": "echo '#x' >> ~/config.toml && grep -q x ~/config.toml && echo LOOT",
}


ALL = (*SHELL, *PYTHON, *LAST, *LEAVING)
Probed = tuple[dict[str, str], set[str], str]
UNCOVERED = {  # what Landlock has no rules for: SECURITY.md and the doctor say so
    "make a file executable beside",
    "touch a file beside",
    "see the processes of agls",
    "read the state of agls",  # names only
}


@dataclass
class Targets:
    """What the probes aim at outside of the sandbox, and what reached it."""

    folder: Path

    def __post_init__(self) -> None:
        self.tcp = socket.create_server(("127.0.0.1", 0))
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", 0))
        self.abstract = f"agls-{self.folder.name}"
        self.outer, self.inner = self.folder / "outer.sock", self.folder / "work/repo/inner.sock"
        self.daemons, self.folders = self._daemons()
        x11 = "\0" + self.daemons["{x11}"]
        places = ("\0" + self.abstract, x11, str(self.outer), str(self.inner), *self.daemons.values())
        self.local = [socket.socket(socket.AF_UNIX) for _ in places]
        for each, place in zip(self.local, places, strict=True):
            each.bind(place)
            each.listen(50)
        Thread(target=self._answer_http, daemon=True).start()
        Thread(target=self._answer_datagrams, daemon=True).start()

    def _daemons(self) -> tuple[dict[str, str], list[Path]]:
        """The sockets of other programs, in folders like their usual ones, and the folders made for them."""
        runtime = Path("/run" if os.access("/run", os.W_OK) else os.environ.get("XDG_RUNTIME_DIR", "/tmp"))
        names = {
            "{docker}": runtime / "D/docker.sock",
            "{dbus}": runtime / "D/bus",
            "{wayland}": runtime / "D/wayland-0",
            "{ssh}": Path("/tmp/ssh-D/agent.1"),
            "{tmux}": Path("/tmp/tmux-D/default"),
            "{nvim}": Path("/tmp/nvim.D/0"),
            "{x11}": Path("/tmp/.X11-D/X7"),
            "{vscode}": self.folder / "home/vscode-ipc.sock",
        }
        found = {word: Path(str(path).replace("D/", f"{self.folder.name}/")) for word, path in names.items()}
        for path in found.values():
            path.parent.mkdir(exist_ok=True)
        made = {path.parent for path in found.values()} - {self.folder / "home"}
        return {word: str(path) for word, path in found.items()}, list(made)

    @property
    def words(self) -> dict[str, str]:
        """What stands for them in the scripts."""
        return {
            "{tcp}": str(self.tcp.getsockname()[1]),
            "{udp}": str(self.udp.getsockname()[1]),
            "{abstract}": self.abstract,
            "{outer}": str(self.outer),
            "{inner}": str(self.inner),
            **self.daemons,
        }

    def _answer_http(self) -> None:
        while True:
            try:
                with self.tcp.accept()[0] as connection:
                    connection.settimeout(1)
                    connection.recv(999)
                    connection.sendall(b"HTTP/1.0 200 OK\r\n\r\nhere\n")
            except TimeoutError:
                continue
            except OSError:
                return

    def _answer_datagrams(self) -> None:
        while True:
            try:
                self.udp.sendto(b"here", self.udp.recvfrom(9)[1])
            except OSError:
                return

    def close(self) -> None:
        """Close them all."""
        self.tcp.shutdown(socket.SHUT_RDWR)
        for each in (self.tcp, self.udp, *self.local):
            each.close()
        for folder in self.folders:
            shutil.rmtree(folder)


def furnish(house: House) -> None:
    """Put into the house what the probes are after."""
    for folder in (house.workspace, house.workspace / "deep/er/below"):
        subprocess.run(["git", "init", "-q", str(folder)], check=True)
    house.put(".vscode/tasks.json", "{}")
    house.put("AGENTS.md", "Be kind.")
    house.put("conf/.npmrc", "color=false\n")
    (house.workspace / "way-out").symlink_to(house.outside)
    (house.outside / "loose.txt").write_text("loose")
    (house.outside / "second.txt").write_text("second")
    for name in (".ssh/id_ed25519", ".aws/credentials", ".netrc", ".bashrc"):
        file = house.home / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(CANARY + "\n")


def without_bubblewrap(folder: Path) -> str:
    """A PATH with all programs of this one but bubblewrap."""
    here = folder / "programs"
    here.mkdir()
    for place in os.environ["PATH"].split(os.pathsep):
        for program in Path(place).glob("*"):
            if program.name != "bwrap" and not (here / program.name).exists():
                (here / program.name).symlink_to(program)
    return str(here)


def run_probes(use: str, *, by_kernel: bool = False) -> Probed:
    """Run all probes. **Returns** what each printed, what was left of the others, and what was said."""
    folder = Path(
        tempfile.mkdtemp(prefix=".agls-probes-", dir=Path.home())
    )  # commands have a /tmp of their own
    try:
        house, scripts = House(folder), dict[str, str]()
        # else the first probe that succeeds would end automatic approval
        house.configure('[permissions]\nafter_command = "report"\n')
        house.environment["AGLS_SANDBOX"] = use  # "" is nobody's word: the default
        furnish(house)
        if by_kernel:
            house.environment["PATH"] = without_bubblewrap(folder)
        targets = Targets(folder)
        for name, text in PYTHON.items():
            scripts[name] = f"exec {sys.executable} -I - <<'END'\n{text}\nEND\n"
        leaving = {name: command for name, (command, _) in LEAVING.items()}
        for name, text in (SHELL | leaving | LAST).items():
            scripts[name] = f"{IDENTITY}\n{text}\n"
        for number, text in enumerate(scripts.values()):
            for word, value in targets.words.items():
                text = text.replace(word, value)  # noqa: PLW2901
            house.put(f"probes/{number}.sh", text)
        calls = [call("shell", command=f"bash probes/{number}.sh") for number in range(len(scripts))]
        loot = house.attack(*calls, mode="allowAll")
        targets.close()
        left = {name for name, (_, path) in LEAVING.items() if os.path.lexists(house.workspace / path)}
        return dict(zip(scripts, loot.answers, strict=True)), left, loot.seen
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def inside() -> Iterator[Probed]:
    yield run_probes("")


@pytest.fixture(scope="module")
def outside() -> Iterator[Probed]:
    yield run_probes("off")


@needs_bubblewrap
@pytest.mark.timeout(300)
@pytest.mark.parametrize("probe", [*SHELL, *PYTHON, *LAST])
def test_probe_fails_in_the_sandbox_and_only_there(inside, outside, probe: str) -> None:
    printed, _, _ = inside
    assert "LOOT" not in printed[probe], printed[probe]
    assert "[exit code" in printed[probe]
    nobody_can = probe in OPTIONAL and "[exit code" in outside[0][probe]
    assert "LOOT" in outside[0][probe] or nobody_can, outside[0][probe]


@needs_bubblewrap
@pytest.mark.timeout(300)
@pytest.mark.parametrize("probe", LEAVING)
def test_name_that_other_programs_obey_is_taken_back_from_the_sandbox_and_only_there(
    inside, outside, probe: str
) -> None:
    printed, left, _ = inside
    assert probe not in left
    assert "Taken back" in printed[probe]
    assert probe in outside[1], outside[0][probe]


@needs_bubblewrap
@pytest.mark.timeout(300)
def test_nothing_secret_is_read_in_the_sandbox(inside, outside) -> None:
    assert CANARY not in inside[2]
    assert CANARY in outside[2]


@pytest.fixture(scope="module")
def by_kernel() -> Iterator[Probed]:
    if landlock.version() < 6:
        pytest.skip(f"Landlock of this kernel is version {landlock.version()}, and the probes need 6")
    yield run_probes("", by_kernel=True)


@pytest.mark.timeout(300)
@pytest.mark.parametrize("probe", [each for each in (*SHELL, *PYTHON, *LAST) if each not in UNCOVERED])
def test_probe_fails_in_the_sandbox_of_the_kernel(by_kernel: Probed, probe: str) -> None:
    printed, _, _ = by_kernel
    assert "[exit code" in printed[probe]
    assert "LOOT" not in printed[probe], printed[probe]


@pytest.mark.timeout(300)
def test_kernels_sandbox_leaves_no_name_that_other_programs_obey_and_shows_no_secret(
    by_kernel: Probed,
) -> None:
    _, left, seen = by_kernel
    assert left == {"a repository in a moved folder"}, "it is the one that was there: nothing was moved"
    assert CANARY not in seen


NO_LANDLOCK = landlock.version() < landlock.LEAST
RUN_BY_SKILLS = """
for name in {plugin}/plugins/tools/*/tools/scripts ~/.claude/skills/own/scripts ~/skills/ours/scripts; do
    sh $name/say.sh
    (echo x > $name/new.sh) 2> /dev/null && echo LOOT
    (echo x >> $name/say.sh) 2> /dev/null && echo LOOT
done
cat ~/.claude/private.json && echo LOOT
cat {plugin}/keys.json && echo LOOT
"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "by_landlock",
    [
        pytest.param(False, marks=needs_bubblewrap),
        pytest.param(True, marks=pytest.mark.skipif(NO_LANDLOCK, reason="this kernel's Landlock is too old")),
    ],
)
def test_scripts_of_plugins_and_skills_run_in_the_sandbox_and_nothing_beside_them_is_read(
    *, by_landlock: bool
) -> None:
    folder = Path(tempfile.mkdtemp(prefix=".agls-probes-", dir=Path.home()))
    try:
        house = House(folder)
        house.environment["AGLS_SANDBOX"] = ""
        if by_landlock:
            house.environment["PATH"] = without_bubblewrap(folder)
        skill = "---\ndescription: Says something.\n---\nRun scripts/say.sh.\n"
        places = {"plugin": "plugin", "home/.claude/skills/own": "own", "home/skills/ours": "ours"}
        for place, text in places.items():
            scripts = folder / place / "scripts"
            scripts.mkdir(parents=True)
            (scripts / "say.sh").write_text(f"echo said by {text}\n")
            (scripts.parent / "SKILL.md").write_text(skill)
        manifest = folder / "plugin/.claude-plugin/plugin.json"
        manifest.parent.mkdir()
        manifest.write_text('{"name": "tools"}')
        assert house.run("plugin", "add", str(folder / "plugin"), "--yes").returncode == 0
        (house.home / ".claude/private.json").write_text(CANARY)
        (house.state / "keys.json").write_text("{}")
        house.put("go.sh", RUN_BY_SKILLS.format(plugin=house.state))
        (answer,) = house.attack(call("shell", command="sh go.sh"), mode="allowAll").answers
        for text in ("plugin", "own", "ours"):
            assert f"said by {text}\n" in answer
        assert "LOOT" not in answer
        assert CANARY not in answer
    finally:
        subprocess.run(["chmod", "-R", "u+w", folder], check=True)
        shutil.rmtree(folder, ignore_errors=True)


@pytest.mark.parametrize("command", [("run", "hello"), ("doctor", "--offline")])
def test_sandbox_program_of_the_folder_is_never_started(tmp_path: Path, command: tuple[str, ...]) -> None:
    house = House(tmp_path)
    planted = house.put(".venv/bin/bwrap", f"#!/bin/sh\necho started >> {house.outside}/loot\nexit 1\n")
    planted.chmod(0o755)
    house.environment["PATH"] = f"{planted.parent}{os.pathsep}{os.environ['PATH']}"
    house.environment["AGLS_SANDBOX"] = ""
    if command[0] == "doctor":
        house.run(*command)
    else:
        answers = house.attack(call("shell", command="echo anything"), mode="allowAll").answers
        assert answers
    assert not (house.outside / "loot").exists()


@needs_bubblewrap
def test_socket_in_a_workspace_below_tmp_is_out_of_reach(house: House) -> None:
    assert str(house.workspace).startswith("/tmp/")
    house.environment["AGLS_SANDBOX"] = ""
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(house.workspace / "s.sock"))
        server.listen()
        text = "import socket; socket.socket(socket.AF_UNIX).connect('s.sock'); print('REACHED')"
        loot = house.attack(call("shell", command=f'python3 -c "{text}"'), mode="allowAll")
    assert "REACHED" not in loot.answers[0].replace(text, "")
    assert "exit code 1" in loot.answers[0]
