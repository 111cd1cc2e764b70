"""P1: folders that somebody else wrote (`hostile_workspaces.toml`), opened by one server each way.

Untrusted, nothing of them is opened, started or connected to. Trusted, with a user who says no to whatever
they are asked, what acts in a folder still does not act, and no pipe, no endless file and no endless nesting
keeps a run from its end.
"""

import os
import socket
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import suppress
from functools import reduce
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from support.sandboxes import needs_bubblewrap
from support.wire import Message, Wire, script, turns

from .attacker import CANARY, House
from .test_opening import agls
from .watching import Traced, needs_strace

pytestmark = [pytest.mark.promise("P1"), pytest.mark.slow, pytest.mark.timeout(400)]
TREES: dict[str, dict[str, str]] = tomllib.loads(
    Path(__file__).with_name("hostile_workspaces.toml").read_text()
)
NESTED = {
    "|nested": '{"hooks":' * 20_000 + "1" + "}" * 20_000,
    "|nested toml": "a = " + "[" * 20_000,
    "|nested yaml": "---\nname: " + "[" * 20_000 + "\n---\nx\n",
}
SPARSE = 1 << 36
COMMANDS = """
ls -la
git status
git status --short
git diff HEAD
git log -p -2
git show
git branch -a
git ls-files
git submodule status
grep -rn x .
find . -type f
cat AGENTS.md
wc -l *
rg -n x
file *
""".strip().splitlines()
LOOKS: list[Message] = [
    {"name": "list_dir", "arguments": {}},
    {"name": "glob", "arguments": {"pattern": "**/*"}},
    {"name": "grep", "arguments": {"pattern": "x.y"}},
    {"name": "read_file", "arguments": {"path": "AGENTS.md"}},
    {"name": "read_file", "arguments": {"path": "a.py"}},
    {"name": "code_intelligence", "arguments": {"operation": "diagnostics", "path": "a.py"}},
    *({"name": "shell", "arguments": {"command": command, "timeout_s": 1}} for command in COMMANDS),
]


class Listener:
    """A server of this machine that counts who connects."""

    def __init__(self) -> None:
        self.reached = 0
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                self._socket.accept()[0].close()
                self.reached += 1

    def close(self) -> None:
        """Listen no more."""
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


def plant(place: Path, tree: dict[str, str], words: dict[str, str]) -> None:
    """Write a folder of the file."""
    place.mkdir(parents=True)
    if "@git" in tree:
        (place / "a.txt").write_text("a\n")
        known = ["git", "-C", str(place), "-c", "user.name=a", "-c", "user.email=a@b.example"]
        for line in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "first"]):
            subprocess.run([*known, *line], check=True)
    for name, text in tree.items():
        if name in SPECIAL:
            SPECIAL[name](place)
        elif name != "@git":
            put(place / name, reduce(lambda said, word: said.replace(word, words[word]), words, text))


def put(path: Path, text: str) -> None:
    """Write a file, a link, or something that is no plain file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if text.startswith("+ "):
        with path.open("a") as file:
            file.write("\n" + text[2:])
        return
    with suppress(FileNotFoundError):
        path.unlink()
    if text.startswith("-> "):
        path.symlink_to(text[3:])
    elif text == "|fifo":
        os.mkfifo(path)
    elif text == "|socket":
        bind(path)
    elif text == "|sparse":
        with path.open("wb") as file:
            file.truncate(SPARSE)
    else:
        path.write_text(NESTED.get(text, text), newline="")
        path.chmod(0o755)


def bind(path: Path) -> None:
    """Make a socket there; its name may be too long to bind, so that it is bound from its folder."""
    code = f"import os, socket; os.chdir({str(path.parent)!r}); socket.socket(1).bind({path.name!r})"
    subprocess.run(["python3", "-c", code], check=True)


def odd_names(place: Path) -> None:
    for name in (b"\xff\xfe.py", b"\xc3", b"AGENTS\xff.md", b"a" * 255, b"\xed\xa0\x80"):
        Path(os.fsdecode(os.fsencode(place) + b"/" + name)).write_text("x")


def many(place: Path) -> None:
    for number in range(10_000):
        (place / f"{number}.txt").touch()


def deep(place: Path) -> None:
    here = os.open(place, os.O_RDONLY)
    for _ in range(2_000):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(os.open("AGENTS.md", os.O_CREAT | os.O_WRONLY, dir_fd=here))
    os.close(here)


SPECIAL = {"@odd names": odd_names, "@many": many, "@deep": deep}


@pytest.fixture
def listener() -> Iterator[Listener]:
    made = Listener()
    yield made
    made.close()


@pytest.fixture
def trees(house: House, listener: Listener) -> list[Path]:
    """All folders, in one that has nothing of its own."""
    pwned = str(house.outside / "pwned")
    words = {
        "{run}": f"touch {pwned}",
        "{pwned}": pwned,
        "{port}": str(listener.port),
        "{outside}": str(house.outside),
    }
    base = house.workspace / "trees"
    for number, tree in enumerate(TREES.values()):
        plant(base / f"{number:02}", tree, words)
    return sorted(base.iterdir())


def visit(house: House, trees: list[Path], *prefix: str, is_trusted: bool = False) -> dict[str, Any]:
    """Open each in one server, as an editor would.

    Returns how each run ended, what was asked, and the journals.
    """
    folder = house.folder / "served"
    folder.mkdir()
    looks: Message = {"text": "I look.", "calls": LOOKS}
    config = script(folder, *[turns(looks, "Hello.") if is_trusted else turns("Hello.")] * len(trees))
    with config.open("a") as file:
        file.write("[guards]\nfailed_calls = 10000\nidentical_calls = 10000\n")
    state = {
        "AGLS_STATE_DIR": str(house.state),
        "PYTHONPATH": "",
        "PATH": f".:{os.environ['PATH']}",
        "AGLS_SANDBOX": "",
    }
    try:
        with Wire(folder, config, command=[*prefix, *agls(), "serve", "--stdio"], variables=state) as server:
            return opened_by(server, house, trees, is_trusted=is_trusted)
    finally:  # it is too deep for those who look for logs
        subprocess.run(["rm", "-rf", str(house.workspace / "trees")], check=True)


def opened_by(server: Wire, house: House, trees: list[Path], *, is_trusted: bool) -> dict[str, Any]:
    """The same for a server that was started."""
    ended: dict[str, Any] = {}
    server.answers["agent/requestPermission"] = lambda params: {"outcome": "selected", "optionId": "reject"}
    server.workspace = trees[0]
    folders = [{"uri": tree.as_uri(), "name": tree.name} for tree in trees]
    server.initialize(workspaceFolders=folders, initializationOptions={"trusted": is_trusted})
    for tree, name in zip(trees, TREES, strict=True):
        session = server.session(cwd=tree.as_uri(), clientKey=tree.name)
        server.call("agent/action/list", {"sessionId": session})
        server.call("agent/complete", {"sessionId": session, "text": "/go @x", "cursor": 3})
        ended[name] = server.run(session, clientKey=f"{tree.name} run")["stopReason"]
    server.leave()
    asked = [message["params"] for message in server.of_method("agent/requestPermission")]
    journals = "".join(path.read_text() for path in house.state.rglob("*.jsonl"))
    return {"ended": ended, "asked": asked, "journals": journals}


def test_untrusted_folder_starts_nothing_connects_to_nothing_and_is_not_read(
    house: House, trees: list[Path], listener: Listener
) -> None:
    needs_strace()
    traced = Traced(house.folder)
    results = visit(house, trees, *traced.prefix)
    assert len(trees) >= 60
    assert (traced.programs, traced.connections, traced.ears) == ([], [], [])
    assert (listener.reached, (house.outside / "pwned").exists()) == (0, False)
    assert set(results["ended"].values()) == {"endTurn"}
    assert CANARY not in results["journals"]


@needs_bubblewrap
def test_trusted_folder_makes_nothing_act_that_its_user_refuses(
    house: House, trees: list[Path], listener: Listener
) -> None:
    results = visit(house, trees, is_trusted=True)
    assert {name for name, reason in results["ended"].items() if reason != "endTurn"} == set()
    assert (listener.reached, (house.outside / "pwned").exists()) == (0, False)
    assert CANARY not in results["journals"]
    assert len(results["asked"]) > len(trees), "they were asked"
