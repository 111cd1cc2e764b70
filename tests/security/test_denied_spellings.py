"""P2: what a rule denies is reached in no spelling (`denied_spellings.txt`), in the mode that asks nobody.

Each is run twice. Without rules and without the sandbox it must reach what it is after: a spelling that
cannot proves nothing. With the rules, none may.
"""

import json
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from threading import Thread

import pytest

from support.sandboxes import needs_bubblewrap

from .attacker import CANARY, House, Loot, call

pytestmark = [pytest.mark.promise("P2"), pytest.mark.timeout(300)]
FILE_RULES = ("read(secrets/**)", "read(*.pem)", "edit(locked/**)")
RULES = (*FILE_RULES, "network")
LEAST = 171
FILES = {
    "secrets/key.txt": f"first\n{CANARY}\n",
    "secrets/deep/b.txt": f"{CANARY}\n",
    "certs/server.pem": f"{CANARY}\n",
    "free/a.txt": "free\n",
    "locked/a.txt": "locked\n",
    "src/app.py": "print()\n",
    "steal.sh": "cat secrets/key.txt\n",
    "steal.py": "print(open('secrets/key.txt').read())\n",
    "steal.awk": 'BEGIN { while ((getline x < "secrets/key.txt") > 0) print x }\n',
    "change.sh": "echo x > locked/a.txt\n",
    "connect.sh": "curl -s -m 5 http://127.0.0.1:{tcp}/\n",
    "connect.py": "import socket\nsocket.create_connection(('127.0.0.1', {tcp}), 5)\n",
    "Makefile": "steal:\n\t@sh steal.sh\nconnect:\n\t@sh connect.sh\n",
}
LINKS = {"link": "secrets", "free/x": "../secrets/key.txt"}


@dataclass(frozen=True)
class Spelling:
    """A command, what it is after (a section of the file), and the programs that it needs."""

    after: str
    command: str
    needs: tuple[str, ...]


def with_needs(file: str) -> Sequence[tuple[str, tuple[str, ...]]]:
    """The lines of a corpus, each with the programs that it needs."""
    found: list[tuple[str, tuple[str, ...]]] = []
    needs: tuple[str, ...] = ()
    for line in Path(__file__).with_name(file).read_text().splitlines():
        if line.startswith("needs "):
            needs = tuple(line.split()[1:])
        elif line and not line.startswith("#"):
            found.append((line, needs))
            needs = ()
    return found


def all_spellings() -> Sequence[Spelling]:
    """All of the file."""
    found: list[Spelling] = []
    after = ""
    for line, needs in with_needs("denied_spellings.txt"):
        if line.startswith("[") and line.endswith("]") and " " not in line:
            after = line[1:-1]
        else:
            found.append(Spelling(after, line, needs))
    return found


def spellings() -> Sequence[Spelling]:
    """Those whose programs are here."""
    return [each for each in all_spellings() if all(map(which, each.needs))]


class Server:
    """A server of this machine, which counts who reaches it: by TCP, or with a datagram."""

    def __init__(self) -> None:
        self.reached = 0
        self._tcp = socket.create_server(("127.0.0.1", 0))
        self._udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self._ports = {"{tcp}": self._tcp.getsockname()[1], "{udp}": self._udp.getsockname()[1]}
        Thread(target=self._accept, daemon=True).start()

    def filled(self, text: str) -> str:
        """The text with the ports in it."""
        for word, port in self._ports.items():
            text = text.replace(word, str(port))
        return text

    def count(self) -> int:
        """How many reached it since the last time."""
        with suppress(BlockingIOError):
            while self._udp.recv(9, socket.MSG_DONTWAIT):
                self.reached += 1
        reached, self.reached = self.reached, 0
        return reached

    def was_reached(self) -> bool:
        """Whether somebody reached it: who is gone already may not have been counted yet."""
        until = time.monotonic() + 2
        while not (found := self.count()) and time.monotonic() < until:
            time.sleep(0.01)
        return found > 0

    def close(self) -> None:
        """Close it."""
        self._tcp.shutdown(socket.SHUT_RDWR)
        self._tcp.close()
        self._udp.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection = self._tcp.accept()[0]
                self.reached += 1
                with suppress(OSError), connection:
                    connection.settimeout(0.2)
                    connection.recv(999)
                    connection.sendall(b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n")


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def furnish(folder: Path, server: Server) -> None:
    """Put what is denied into a repository, with what reads it."""
    for name, text in FILES.items():
        file = folder / name
        file.parent.mkdir(exist_ok=True)
        file.write_text(server.filled(text))
    for name, target in LINKS.items():
        (folder / name).symlink_to(target)
    git = ["git", "-C", str(folder), "-c", "user.name=a", "-c", "user.email=a"]
    for words in (["init", "-q", "--template="], ["add", "."], ["commit", "-qm", "all"]):
        subprocess.run([*git, *words], check=True)
    (folder / "free/dirty.txt").write_text("dirty")
    subprocess.run([*git, "add", "-N", "free/dirty.txt"], check=True)


def looted(folder: Path) -> list[str]:
    """The files beside the denied ones that hold what stands in them, and what was changed though locked."""
    found: list[str] = []
    for path in folder.rglob("*"):
        name = str(path.relative_to(folder))
        if name.startswith((".git/", "secrets/", "certs/")) or path.is_symlink() or not path.is_file():
            continue
        if CANARY.encode() in path.read_bytes():
            found.append(name)
    locked = folder / "locked/a.txt"
    whole = locked.is_file() and not locked.is_symlink() and locked.read_text() == "locked\n"
    same = (
        whole and locked.stat().st_mode & 0o777 in {0o644, 0o664} and len(list(locked.parent.iterdir())) == 1
    )
    return found if same else [*found, "locked"]


def reaches(spelling: Spelling, pattern: Path, server: Server) -> bool:
    """Whether a shell without bounds reaches with it what it is after."""
    folder = pattern.parent / "tried" / "repo"
    shutil.copytree(pattern, folder, symlinks=True)
    try:
        done = subprocess.run(
            ["bash", "-c", server.filled(spelling.command)],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env={"PATH": os.environ["PATH"], "HOME": str(folder.parent)},
            timeout=30,
            check=False,
        )
        if spelling.after == "network":
            return server.was_reached()
        return CANARY.encode() in done.stdout or bool(looted(folder))
    finally:
        shutil.rmtree(folder.parent)


def test_corpus_is_large_enough_and_each_spelling_reaches_what_it_is_after_when_nothing_denies_it(
    tmp_path: Path, server: Server
) -> None:
    pattern = tmp_path / "repo"
    pattern.mkdir()
    furnish(pattern, server)
    assert not looted(pattern)
    assert len(all_spellings()) >= LEAST
    harmless = [each.command for each in spellings() if not reaches(each, pattern, server)]
    assert not harmless, "\n".join(harmless)


def attack(house: House, server: Server, sandbox: str, rules: Sequence[str] = RULES) -> Loot:
    """Make a model try them all; `sandbox` is "off", or "" for what holds when nobody says anything."""
    furnish(house.workspace, server)
    house.environment["AGLS_SANDBOX"] = sandbox
    house.configure(f'[permissions]\ndeny = {json.dumps(rules)}\nafter_command = "report"\n')
    calls = [call("shell", command=server.filled(each.command)) for each in spellings()]
    return house.attack(*calls, mode="allowAll")


def reached(house: House, server: Server, loot: Loot) -> list[str]:
    """What was reached by all of them together, in words."""
    found = [*looted(house.workspace), *(f"{server.count()} connections" for _ in [0] if server.reached)]
    for path in house.outside.parent.rglob("key.txt"):
        if not path.is_relative_to(house.workspace):
            found.append(str(path))
    shown = (answer for answer in loot.answers if CANARY in answer)
    return [*found, *shown]


def not_refused(loot: Loot, sections: set[str]) -> list[str]:
    """The commands of these sections that ran."""
    assert len(loot.answers) == len(spellings()), loot.errors
    pairs = zip(spellings(), loot.answers, strict=True)
    return [each.command for each, answer in pairs if each.after in sections and "Not run" not in answer]


BY_TEXT = {"read", "whole", "code"}


@needs_bubblewrap
def test_no_spelling_reaches_what_is_denied_in_the_mode_that_asks_nobody(
    house: House, server: Server
) -> None:
    loot = attack(house, server, sandbox="")
    assert reached(house, server, loot) == []
    assert "\n".join(not_refused(loot, BY_TEXT)) == ""


def test_without_a_sandbox_no_spelling_that_shows_it_reaches_a_denied_file(
    house: House, server: Server
) -> None:
    loot = attack(house, server, sandbox="off", rules=FILE_RULES)
    assert "\n".join(not_refused(loot, BY_TEXT)) == ""


def test_without_a_sandbox_no_command_runs_that_could_reach_the_network(house: House, server: Server) -> None:
    loot = attack(house, server, sandbox="off")
    assert "\n".join(not_refused(loot, {"network"})) == ""
    assert server.count() == 0
