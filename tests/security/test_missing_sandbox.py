"""P5: where bubblewrap may make no namespaces (Ubuntu 24.04), that is shown and nothing is weaker."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from agls.workspace.sandbox import landlock
from support.model_server import ModelServer, Reply
from support.patience import wait_until
from support.sandboxes import needs_bubblewrap

from .attacker import House, call

pytestmark = [pytest.mark.promise("P5"), pytest.mark.skipif(sys.platform != "linux", reason="Linux only")]
REFUSAL = "bwrap: setting up uid map: Permission denied"  # what AppArmor makes of it there
NO_LANDLOCK = """
import sys
from agls.workspace.sandbox import landlock
landlock.version = lambda: 0
from agls.__main__ import main
sys.exit(main(sys.argv[sys.argv.index("agls") + 1:]))
"""


@pytest.fixture
def restricted(house: House) -> House:
    """A machine whose bubblewrap may make no namespaces."""
    program = house.home / "bin/bwrap"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\necho '{REFUSAL}' >&2\nexit 1\n")
    program.chmod(0o755)
    house.environment |= {"PATH": f"{program.parent}:{os.environ['PATH']}", "AGLS_SANDBOX": ""}
    (house.home / "without.py").write_text(NO_LANDLOCK)
    return house


def without_landlock(house: House) -> list[str]:
    """The command line in front of agls that takes Landlock from it."""
    return [sys.executable, str(house.home / "without.py")]


def test_without_any_sandbox_an_unasked_command_is_refused_and_the_reason_is_shown(restricted: House) -> None:
    commands = ("touch made", "sh -c 'touch made'", "ls")
    calls = [call("shell", command=each) for each in commands]
    loot = restricted.attack(*calls, mode="allowAll", before=without_landlock(restricted))
    for answer in loot.answers[:2]:
        assert answer.startswith("Not run: it may run without a question only in the sandbox")
        assert REFUSAL in answer
        assert "no Landlock" in answer
    shown = [event["title"] for event in loot.of_type("notice")]
    assert shown.count("There is no sandbox here") == 1
    assert "[exit code 0" in loot.answers[2], "what is known to only read runs"
    assert not (restricted.workspace / "made").exists()


def test_doctor_shows_that_there_is_no_sandbox_and_what_follows(restricted: House) -> None:
    said = restricted.run("doctor", before=without_landlock(restricted)).stdout
    assert REFUSAL in said
    assert "is asked about, and refused where nobody can be asked" in " ".join(said.split())


@pytest.mark.skipif(landlock.version() < landlock.LEAST, reason="this kernel has no Landlock of version 3")
def test_landlock_takes_the_place_of_bubblewrap_and_the_doctor_shows_it(restricted: House) -> None:
    restricted.put("go.sh", "echo in $AGLS_IN_SANDBOX; touch ../elsewhere/made && echo LOOT; touch made")
    loot = restricted.attack(call("shell", command="sh go.sh"), mode="allowAll")
    assert "in landlock" in loot.answers[0]
    assert "LOOT" not in loot.answers[0]
    assert "The sandbox is a narrower one here" in [event["title"] for event in loot.of_type("notice")]
    assert (restricted.workspace / "made").exists()
    said = " ".join(restricted.run("doctor").stdout.split())
    assert "Landlock of the kernel makes it" in said
    assert REFUSAL in said


@needs_bubblewrap
def test_what_a_command_left_is_taken_back_by_the_next_process_after_a_crash(house: House) -> None:
    house.environment["AGLS_SANDBOX"] = ""
    house.put("plant.sh", "mkdir -p sub/.vscode; echo evil > sub/.vscode/tasks.json; sleep 4711.25")
    planted = house.workspace / "sub/.vscode/tasks.json"
    with ModelServer([Reply(calls=[call("shell", command="sh plant.sh")]), Reply("Done.")]) as server:
        words = ["run", "go", "--base-url", server.url, "--model", "m", "--mode", "allowAll"]
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "agls", *words],
            cwd=house.workspace,
            env=house.variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_until(planted.exists)
        process.send_signal(signal.SIGKILL)
        process.wait()
    wait_until(lambda: not still_runs("4711.25"))
    assert planted.exists()
    loot = house.attack(call("shell", command="sh -c true"), mode="allowAll")
    assert "[exit code 0" in loot.answers[0]
    assert not planted.exists()
    taken = list((house.state / "sandbox/taken").glob("*/tasks.json"))
    assert [file.read_text() for file in taken] == ["evil\n"]


def still_runs(word: str) -> bool:
    """Whether a process with this word is there."""
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes():
                return True
        except OSError:
            continue
    return False
