"""Signals and lost readers: every way to stop a headless run from outside."""

import json
import os
import signal
import subprocess

from doors.headless.conftest import Aglet
from support.patience import PATIENCE, wait_until


def last_event(process: subprocess.Popen[str]) -> dict[str, object]:
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    lines = [json.loads(line) for line in out.splitlines()]
    return lines[-1]


def test_sigint_cancels_the_run(aglet: Aglet) -> None:
    """Row 84: cancel has an exit code of its own."""
    aglet.script({"text": "begun", "hang": True})
    process = aglet.start("run", "go", "--output", "jsonl")
    aglet.wait_until_asked()
    process.send_signal(signal.SIGINT)
    last = last_event(process)
    assert (process.returncode, last["type"], last["data"]["stopReason"]) == (130, "runEnded", "cancelled")


def test_a_second_sigint_leaves_at_once(aglet: Aglet) -> None:
    command = {"name": "shell", "arguments": {"command": "trap '' TERM INT; echo up > up; sleep 60"}}
    aglet.script({"calls": [command]})
    process = aglet.start("run", "go", "--mode", "allowAll")
    aglet.wait_until_asked()
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130


def test_sigterm_interrupts_the_run_so_that_it_can_go_on(aglet: Aglet) -> None:
    aglet.script({"text": "begun", "hang": True})
    process = aglet.start("run", "go", "--output", "jsonl")
    aglet.wait_until_asked()
    process.send_signal(signal.SIGTERM)
    last = last_event(process)
    assert (process.returncode, last["data"]["stopReason"]) == (1, "interrupted")


def test_a_reader_that_goes_away_interrupts_the_run(aglet: Aglet) -> None:
    aglet.script({"text": "many words " * 400}, delay=0.005)
    process = aglet.start("run", "go", "--output", "jsonl")
    assert process.stdout
    assert process.stderr
    while "itemDelta" not in process.stdout.readline():
        pass
    process.stdout.close()
    assert process.wait(PATIENCE) == 1
    err = process.stderr.read()
    process.stderr.close()
    assert err == ""
    (session,) = aglet.sessions()
    assert session["state"] == "idle"
    aglet.script({"text": "what was cut"}, {"text": "Done after all."})
    assert aglet.run("resume").out == "Done after all.\n"


def test_a_list_whose_reader_goes_away_ends_quietly(aglet: Aglet) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = aglet.start("config", "explain", stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    assert "Exception ignored" not in err


def test_what_a_run_started_ends_with_it(aglet: Aglet) -> None:
    command = {"name": "shell", "arguments": {"command": "echo $$ > pid; sleep 60"}}
    aglet.script({"calls": [command]})
    process = aglet.start("run", "go", "--mode", "allowAll")
    aglet.wait_until_asked()
    pid_file = aglet.workspace / "pid"
    wait_until(lambda: pid_file.exists() and pid_file.read_text().strip())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    pid = int(pid_file.read_text())
    assert not os.path.exists(f"/proc/{pid}/stat")  # noqa: PTH110 - a process, not a file
