"""P7: a command that kills the keeper above it leaves nothing behind, whatever it started before."""

import os
import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agls.workspace.keepers import FREQUENT
from support.patience import wait_until, within
from support.wire import Message, Wire, script, turns

from .attacker import House, call

pytestmark = pytest.mark.promise("P7")

ESCAPES = {
    "a session of its own": "setsid sleep 1000 & disown; sleep 0.3; kill -9 $PPID; sleep 1000",
    "forked twice": "(setsid sh -c 'setsid sleep 1000 & setsid sleep 1000 & sleep 1000' &); "
    "sleep 0.3; kill -9 $PPID",
    "deaf": "(setsid sh -c 'trap \"\" TERM HUP INT; env -i sleep 1000; sleep 1000' &); sleep 0.3; "
    "kill -9 $PPID",
    "no environment": "env -i setsid sleep 1000 & disown; sleep 0.3; kill -9 $PPID",
    "the keeper stopped": "setsid sleep 1000 & disown; sleep 0.3; kill -STOP $PPID; kill -9 $PPID",
}


def below(folder: Path) -> list[str]:
    """The processes that work in this folder, but for agls."""
    found: list[str] = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            name = (process / "cmdline").read_bytes()
            if (process / "cwd").readlink() == folder and b"agls" not in name and name:
                found.append(f"{process.name} {name!r}")
        except OSError:
            continue
    return found


WARM = (
    *["true"] * FREQUENT,
    "sleep 0.5",
    "tr '\\0' ' ' < /proc/$PPID/cmdline",
)  # then keepers are forked from one that waits


@pytest.mark.parametrize("earlier", [(), WARM], ids=["cold", "warm"])
@pytest.mark.parametrize("name", ESCAPES)
def test_process_that_lost_its_keeper_ends_before_the_next_command(
    tmp_path: Path, name: str, earlier: Sequence[str]
) -> None:
    commands = (*earlier, ESCAPES[name], "echo still at work")
    asked = [[{"name": "shell", "arguments": {"command": command}}] for command in commands]
    config = script(tmp_path, turns(*({"text": "Go.", "calls": calls} for calls in asked), "Done."))
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        result = wire.run(wire.session(options={"mode": "allowAll"}))
        assert result["stopReason"] == "endTurn"
        assert below(wire.workspace) == []
        assert "still at work" in str(wire.events)
        assert ("agls.workspace.keeper_host" in str(wire.events)) == bool(earlier)


def test_headless_run_leaves_no_process(house: House) -> None:
    loot = house.attack(call("shell", command=ESCAPES["forked twice"]), mode="allowAll")
    assert loot.answers
    assert below(house.workspace) == []


def test_a_server_that_is_killed_leaves_nothing(tmp_path: Path) -> None:
    command = "setsid sleep 1000 & (setsid sh -c 'sleep 1000 & sleep 1000' &); touch begun; sleep 1000"
    calls = [{"name": "shell", "arguments": {"command": command}}]
    wire = Wire(tmp_path, script(tmp_path, turns({"text": "Go.", "calls": calls}, "Done.")))
    wire.unchecked = "it is killed"
    with wire:
        wire.initialize()
        session = wire.session(options={"mode": "allowAll"})
        wire.post("agent/run", {"sessionId": session, "input": "go"})
        wait_until((wire.workspace / "begun").exists)
        os.kill(wire.process.pid, signal.SIGKILL)
        wait_until(lambda: not below(wire.workspace))


# Deaf to being asked to end, in sessions of their own, forked twice.
TREE = (
    "(setsid sh -c 'trap \"\" TERM HUP INT; sleep 1000 & while :; do sleep 0.2; done' &); "
    "setsid sleep 1000 & trap '' TERM HUP INT; touch begun; while :; do sleep 0.2; done"
)


@contextmanager
def an_editor() -> "Iterator[subprocess.Popen[bytes]]":
    """A process that stands for the editor; whatever happens, it is gone afterwards."""
    with subprocess.Popen(["sleep", "1000"]) as editor:
        try:
            yield editor
        finally:
            editor.kill()


def close_input(wire: Wire, editor: "subprocess.Popen[bytes]", session: str) -> None:
    assert wire.process.stdin
    wire.process.stdin.close()


def kill_editor(wire: Wire, editor: "subprocess.Popen[bytes]", session: str) -> None:
    """Its pipes stay open: another process holds them."""
    editor.kill()
    editor.wait()


def kill_server(wire: Wire, editor: "subprocess.Popen[bytes]", session: str) -> None:
    os.kill(wire.process.pid, signal.SIGKILL)


def cancel(wire: Wire, editor: "subprocess.Popen[bytes]", session: str) -> None:
    wire.post("agent/cancel", {"sessionId": session})


DEATHS: dict[str, tuple[Callable[[Wire, Any, str], None], float]] = {
    "the editor closes": (close_input, 2.0),
    "the editor is killed": (kill_editor, 2.0),
    "the server is killed": (kill_server, 2.0),
    "a cancel": (cancel, 1.0),
}


@pytest.mark.parametrize("death", DEATHS)
def test_last_descendant_is_gone_in_time(tmp_path: Path, death: str) -> None:
    """Measured from the death, or the cancel, to the end of the last process of a deaf tree."""
    end, limit = DEATHS[death]
    calls: list[Message] = [{"name": "shell", "arguments": {"command": TREE}}]
    for number, watch in enumerate(within(limit)):
        place = tmp_path / str(number)
        place.mkdir()
        wire = Wire(place, script(place, turns({"text": "Go.", "calls": calls}, "Done.")))
        wire.unchecked = "it is killed"
        with wire, an_editor() as editor:
            wire.initialize(processId=editor.pid)
            session = wire.session(options={"mode": "allowAll"})
            wire.post("agent/run", {"sessionId": session, "input": "go"})
            wait_until((wire.workspace / "begun").exists)
            wait_until(lambda here=wire.workspace: len(below(here)) >= 4)
            with watch:
                end(wire, editor, session)
                wait_until(lambda here=wire.workspace: not below(here))
