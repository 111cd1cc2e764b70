"""Signals and lost readers: every way to stop a headless run from outside."""

import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from aglet.engine.facts import Admitted, Entry, SessionChanged
from aglet.engine.state import fold_all
from aglet.engine.vocabulary import Text
from aglet.stores.files import FileStore
from doors.headless.conftest import Aglet
from support.patience import PATIENCE, wait_until

WHILE_LOADING = """
import os, signal, sys
class Loading:
    def find_spec(self, name, *more):
        if name == "aglet.doors.headless.commands":
            os.kill(os.getpid(), signal.{name})
sys.meta_path.insert(0, Loading())
from aglet.__main__ import main
sys.exit(main(sys.argv[1:]))
"""

SLOW_DISK = """
import os, signal, sys, time
from aglet.stores import journal
flush = journal._flush
def first(fd):
    journal._flush = flush
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(1)
    flush(fd)
journal._flush = first
from aglet.__main__ import main
sys.exit(main())
"""

HANGING_DISK = """
import os, sys, threading
from aglet.workspace import workspace
def read(*arguments):
    open(os.environ["HOME"] + "/reads", "w").close()
    threading.Event().wait()
workspace.read_text = read
from aglet.__main__ import main
sys.exit(main())
"""


def last_event(process: subprocess.Popen[str]) -> dict[str, Any]:
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


def test_a_signal_that_comes_while_the_prompt_is_written_is_not_late(aglet: Aglet) -> None:
    """The run does not wait for the disk before it begins, so it could be over when that is done."""
    aglet.script({"text": "done before the disk was"}, delay=0.3)
    aglet.argv = lambda arguments: [sys.executable, "-c", SLOW_DISK, *arguments]
    process = aglet.start("run", "go", "--output", "jsonl")
    last = last_event(process)
    assert (process.returncode, last["data"]["stopReason"]) == (1, "interrupted")


LEFT = "ses_left"  # a session whose process died before two prompts had begun
WAYS = {  # how it is left, its exit code, and how what ran ended
    "cancelled": (signal.SIGINT, 130),
    "interrupted": (signal.SIGTERM, 1),
}


@pytest.mark.parametrize("mine", [[], ["and mine"]], ids=["without a prompt", "with one"])
@pytest.mark.parametrize("reason", WAYS)
def test_prompts_that_waited_before_survive_whatever_ends_the_process(
    aglet: Aglet, reason: str, mine: list[str]
) -> None:
    """What runs ends, and what was asked for here does not begin (protocol 4.9, point 7)."""
    aglet.script({"text": "begun", "hang": True})
    first, second = (Admitted(f"run_{n}", f"item_{n}", (Text(n),)) for n in ("first", "second"))
    journal = FileStore(aglet.state).create(LEFT)
    for seq, fact in enumerate((SessionChanged(str(aglet.workspace)), first, second), 1):
        journal.append(Entry(seq, 1e9, fact))
    journal.close()
    process = aglet.start("resume", LEFT, *mine, "--output", "jsonl")
    aglet.wait_until_asked()
    by, code = WAYS[reason]
    process.send_signal(by)
    last = last_event(process)
    assert (process.returncode, last["type"], last["runId"]) == (code, "runEnded", "run_first")
    assert last["data"]["stopReason"] == reason
    waiting = [admitted.content[0] for admitted in fold_all(FileStore(aglet.state).peek(LEFT)).queue]
    kept = [Text(text) for text in mine] if reason == "interrupted" else []
    assert waiting == [Text("second"), *kept]


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


def test_a_read_that_never_comes_back_does_not_hold_the_process(aglet: Aglet) -> None:
    """Its thread cannot be ended: the run is, and the process with it (protocol 4.9, point 4)."""
    (aglet.workspace / "a.txt").write_text("a file")
    aglet.script({"calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]}, {"text": "Done."})
    aglet.argv = lambda arguments: [sys.executable, "-c", HANGING_DISK, *arguments]
    process = aglet.start("run", "go", "--output", "jsonl")
    wait_until((aglet.home / "reads").exists)
    process.send_signal(signal.SIGINT)
    last = last_event(process)
    assert (process.returncode, last["type"], last["data"]["stopReason"]) == (130, "runEnded", "cancelled")


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


@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 1), ("SIGHUP", 1)])
def test_a_signal_that_comes_while_the_program_is_loaded_is_told_like_any_other(
    aglet: Aglet, name: str, code: int
) -> None:
    aglet.script({"text": "never"})
    program = [sys.executable, "-c", WHILE_LOADING.format(name=name)]
    done = subprocess.run(
        [*program, "run", "go", "--output", "jsonl"],
        cwd=aglet.workspace,
        env=aglet.variables,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    first, *_, last = [json.loads(line) for line in done.stdout.splitlines()]
    assert (first["type"], done.stderr, done.returncode) == ("hello", "", code)
    if last["type"] == "runEnded":  # it was heard when the run had just been admitted
        assert last["data"]["stopReason"] == ("cancelled" if name == "SIGINT" else "interrupted")
        return
    assert (last["type"], last["error"]["kind"]) == ("fatal", "cancelled")
    assert aglet.sessions() == []
