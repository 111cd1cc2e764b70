"""Signals and lost readers: every way to stop a headless run from outside."""

import json
import os
import signal
import subprocess
import sys
from typing import Any

import pytest

from agls.engine.facts import Admitted, Entry, SessionChanged
from agls.engine.state import fold_all
from agls.engine.vocabulary import Text
from agls.stores.files import FileStore
from doors.headless.conftest import Agls
from support.patience import PATIENCE, wait_until

pytestmark = pytest.mark.promise("P7")

WHILE_LOADING = """
import os, signal, sys
class Loading:
    def find_spec(self, name, *more):
        if name == "agls.doors.headless.commands":
            os.kill(os.getpid(), signal.{name})
sys.meta_path.insert(0, Loading())
from agls.__main__ import main
sys.exit(main(sys.argv[1:]))
"""

SLOW_DISK = """
import os, signal, sys, time
from agls.stores import journal
flush = journal._flush
def first(fd):
    journal._flush = flush
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(1)
    flush(fd)
journal._flush = first
from agls.__main__ import main
sys.exit(main())
"""

HANGING_DISK = """
import os, sys, threading
from agls.workspace import workspace
def read(*arguments):
    open(os.environ["HOME"] + "/reads", "w").close()
    threading.Event().wait()
workspace.cached_text = lambda *_: None  # as with any file that was not read lately
workspace.read_text = read
from agls.__main__ import main
sys.exit(main())
"""


def last_event(process: subprocess.Popen[str]) -> dict[str, Any]:
    out, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    lines = [json.loads(line) for line in out.splitlines()]
    return lines[-1]


@pytest.mark.row(84)
def test_sigint_cancels_the_run(agls: Agls) -> None:
    """Cancel has an exit code of its own."""
    agls.script({"text": "begun", "hang": True})
    process = agls.start("run", "go", "--output", "jsonl")
    agls.wait_until_asked()
    process.send_signal(signal.SIGINT)
    last = last_event(process)
    assert (process.returncode, last["type"], last["data"]["stopReason"]) == (130, "runEnded", "cancelled")


def test_a_second_sigint_leaves_at_once(agls: Agls) -> None:
    command = {"name": "shell", "arguments": {"command": "trap '' TERM INT; echo up > up; sleep 60"}}
    agls.script({"calls": [command]})
    process = agls.start("run", "go", "--mode", "allowAll")
    agls.wait_until_asked()
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130


def test_sigterm_interrupts_the_run_so_that_it_can_go_on(agls: Agls) -> None:
    agls.script({"text": "begun", "hang": True})
    process = agls.start("run", "go", "--output", "jsonl")
    agls.wait_until_asked()
    process.send_signal(signal.SIGTERM)
    last = last_event(process)
    assert (process.returncode, last["data"]["stopReason"]) == (1, "interrupted")


def test_hangup_of_a_run_started_with_nohup_changes_nothing(agls: Agls) -> None:
    agls.script({"text": "done all the same"}, delay=1)
    plain = agls.argv
    agls.argv = lambda arguments: ["nohup", *plain(arguments)]
    process = agls.start("run", "go", "--output", "jsonl")
    agls.wait_until_asked()
    process.send_signal(signal.SIGHUP)
    last = last_event(process)
    assert (process.returncode, last["data"]["stopReason"]) == (0, "endTurn")


def test_a_signal_that_comes_while_the_prompt_is_written_is_not_late(agls: Agls) -> None:
    """The run does not wait for the disk before it begins, so it could be over when that is done."""
    agls.script({"text": "done before the disk was"}, delay=0.3)
    agls.argv = lambda arguments: [sys.executable, "-c", SLOW_DISK, *arguments]
    process = agls.start("run", "go", "--output", "jsonl")
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
    agls: Agls, reason: str, mine: list[str]
) -> None:
    """What runs ends, and what was asked for here does not begin (protocol#cancel, point 7)."""
    agls.script({"text": "begun", "hang": True})
    first, second = (Admitted(f"run_{n}", f"item_{n}", (Text(n),)) for n in ("first", "second"))
    journal = FileStore(agls.state).create(LEFT)
    for seq, fact in enumerate((SessionChanged(str(agls.workspace)), first, second), 1):
        journal.append(Entry(seq, 1e9, fact))
    journal.close()
    process = agls.start("resume", LEFT, *mine, "--output", "jsonl")
    agls.wait_until_asked()
    by, code = WAYS[reason]
    process.send_signal(by)
    last = last_event(process)
    assert (process.returncode, last["type"], last["runId"]) == (code, "runEnded", "run_first")
    assert last["data"]["stopReason"] == reason
    waiting = [admitted.content[0] for admitted in fold_all(FileStore(agls.state).peek(LEFT)).queue]
    kept = [Text(text) for text in mine] if reason == "interrupted" else []
    assert waiting == [Text("second"), *kept]


@pytest.mark.item(41)
def test_a_reader_that_goes_away_interrupts_the_run(agls: Agls) -> None:
    agls.script({"text": "many words " * 400}, delay=0.005)
    process = agls.start("run", "go", "--output", "jsonl")
    assert process.stdout
    assert process.stderr
    while "itemDelta" not in process.stdout.readline():
        pass
    process.stdout.close()
    assert process.wait(PATIENCE) == 141
    err = process.stderr.read()
    process.stderr.close()
    (session,) = agls.sessions()
    assert err == (
        "agls: not all of the answer was written. The session has it: "
        f"agls sessions show {session['sessionId']}\n"
    )
    assert session["state"] == "idle"
    agls.script({"text": "what was cut"}, {"text": "Done after all."})
    assert agls.run("resume").out == "Done after all.\n"


def test_a_read_that_never_comes_back_does_not_hold_the_process(agls: Agls) -> None:
    """Its thread cannot be ended: the run is, and the process with it (protocol#cancel, point 4)."""
    (agls.workspace / "a.txt").write_text("a file")
    agls.script({"calls": [{"name": "read_file", "arguments": {"path": "a.txt"}}]}, {"text": "Done."})
    agls.argv = lambda arguments: [sys.executable, "-c", HANGING_DISK, *arguments]
    process = agls.start("run", "go", "--output", "jsonl")
    wait_until((agls.home / "reads").exists)
    process.send_signal(signal.SIGINT)
    last = last_event(process)
    assert (process.returncode, last["type"], last["data"]["stopReason"]) == (130, "runEnded", "cancelled")


def test_a_list_whose_reader_goes_away_ends_quietly(agls: Agls) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    process = agls.start("config", "explain", stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=PATIENCE)
    assert "Traceback" not in err
    assert "Exception ignored" not in err


def test_processes_of_a_run_end_with_it(agls: Agls) -> None:
    command = {"name": "shell", "arguments": {"command": "echo $$ > pid; sleep 60"}}
    agls.script({"calls": [command]})
    process = agls.start("run", "go", "--mode", "allowAll")
    agls.wait_until_asked()
    pid_file = agls.workspace / "pid"
    wait_until(lambda: pid_file.exists() and pid_file.read_text().strip())
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    pid = int(pid_file.read_text())
    assert not os.path.exists(f"/proc/{pid}/stat")  # noqa: PTH110 - a process, not a file


@pytest.mark.item(41)
@pytest.mark.parametrize(("name", "code"), [("SIGINT", 130), ("SIGTERM", 1), ("SIGHUP", 1)])
def test_signal_during_loading_is_reported_like_any_other(agls: Agls, name: str, code: int) -> None:
    agls.script({"text": "never"})
    program = [sys.executable, "-c", WHILE_LOADING.format(name=name)]
    done = subprocess.run(
        [*program, "run", "go", "--output", "jsonl"],
        cwd=agls.workspace,
        env=agls.variables,
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
    assert agls.sessions() == []


def test_run_that_a_command_of_ones_own_began_is_cancelled_by_a_signal(agls: Agls) -> None:
    commands = agls.workspace / ".agls" / "commands"
    commands.mkdir(parents=True)
    (commands / "slow.md").write_text("Think for long.\n")
    agls.script({"text": "I begin", "hang": True})
    process = agls.start("run", "--trust", "--output", "jsonl", "/slow")
    agls.wait_until_asked()
    process.send_signal(signal.SIGINT)
    assert last_event(process)["data"]["stopReason"] == "cancelled"
    assert process.returncode == 130
