"""P5: Unix sockets of other programs that a command in the sandbox could find: odd names, late ones."""

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import pytest

from support.patience import wait_until
from support.sandboxes import needs_bubblewrap

from .attacker import House, call

pytestmark = [pytest.mark.promise("P5"), pytest.mark.skipif(sys.platform != "linux", reason="Linux only")]

LISTENING = """
import socket, sys
listening = socket.socket(socket.AF_UNIX)
listening.bind("by-itself.sock")
listening.listen()
print("listens", flush=True)
sys.stdin.read()
"""
CONNECTING = "import socket; socket.socket(socket.AF_UNIX).connect({!r}); print('REA' + 'CHED')"
LATE = """
import os, socket, time
open("waits", "w").close()
while not os.path.exists("opened"):
    time.sleep(0.02)
socket.socket(socket.AF_UNIX).connect({!r})
print("REA" + "CHED")
"""
OWN = """
import socket
here = socket.socket(socket.AF_UNIX)
here.bind("own.sock")
here.listen()
socket.socket(socket.AF_UNIX).connect("own.sock")
print("REA" + "CHED")
"""


@contextmanager
def listening_in(folder: Path) -> Iterator[None]:
    """Another program of the user, with a socket whose name says nothing of its folder."""
    with subprocess.Popen(
        [sys.executable, "-c", LISTENING],
        cwd=folder,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as program:
        assert program.stdout is not None
        assert program.stdin is not None
        assert program.stdout.readline() == b"listens\n"
        yield
        program.stdin.close()


def answer_of(house: House, script: str, config: str = "") -> str:
    """What a command in the sandbox prints that runs this script."""
    house.environment["AGLS_SANDBOX"] = ""
    house.put("attack.py", script)
    house.configure(config)
    loot = house.attack(call("shell", command="python3 attack.py"), mode="allowAll")
    return loot.answers[0]


@pytest.fixture
def places(house: House) -> dict[str, Path]:
    made = {"below the workspace": house.workspace / "deep/er", "in the home": house.home / "tool"}
    for folder in made.values():
        folder.mkdir(parents=True)
    return made


@needs_bubblewrap
@pytest.mark.parametrize("place", ["below the workspace", "in the home"])
def test_socket_with_a_relative_name_is_out_of_reach(
    house: House, places: dict[str, Path], place: str
) -> None:
    where = str(places[place] / "by-itself.sock")
    with listening_in(places[place]):
        answer = answer_of(house, CONNECTING.format(where))
    assert "REACHED" not in answer
    assert "exit code 1" in answer


@needs_bubblewrap
def test_socket_of_the_command_itself_works_unless_all_are_closed(house: House) -> None:
    assert "REACHED" in answer_of(house, OWN)


@needs_bubblewrap
@pytest.mark.parametrize(
    "script", [OWN, "import socket; socket.socket(socket.AF_UNIX); print('REA' + 'CHED')"]
)
def test_no_unix_socket_works_where_the_user_closed_them(house: House, script: str) -> None:
    answer = answer_of(house, script, "[sandbox]\nunix_sockets = false\n")
    assert "REACHED" not in answer
    assert "not supported" in answer


@needs_bubblewrap
def test_socket_that_is_opened_while_the_command_runs_is_out_of_reach_where_they_are_closed(
    house: House, places: dict[str, Path]
) -> None:
    where = str(places["in the home"] / "late.sock")

    def open_late() -> None:
        wait_until((house.workspace / "waits").exists)
        late.bind(where)
        late.listen()
        (house.workspace / "opened").touch()

    with socket.socket(socket.AF_UNIX) as late:
        other = Thread(target=open_late)
        other.start()
        answer = answer_of(house, LATE.format(where), "[sandbox]\nunix_sockets = false\n")
        other.join()
    assert "REACHED" not in answer
    assert "exit code 1" in answer
