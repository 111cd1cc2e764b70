"""Standard streams that are full, closed or without a reader: told once, and never taken for a success."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from doors.headless.conftest import Aglet
from support.patience import PATIENCE

COMMANDS = [
    ("run", "go"),
    ("run", "go", "--output", "json"),
    ("run", "go", "--output", "jsonl"),
    ("sessions", "--json"),
    ("config", "explain"),
    ("--version",),
    ("run", "--help"),
]


@pytest.mark.parametrize("arguments", COMMANDS)
def test_a_full_disk_under_standard_output_is_a_failure(aglet: Aglet, arguments: tuple[str, ...]) -> None:
    aglet.script({"text": "Done."})
    aglet.environment["PYTHONUNBUFFERED"] = ""  # or the parser keeps the trouble to itself
    with Path("/dev/full").open("w") as full:
        process = aglet.start(*arguments, stdout=full)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert err.splitlines()[0] == "aglet: standard output cannot be written: No space left on device"
    assert err.count("No space left") == 1


@pytest.mark.parametrize("arguments", [*COMMANDS, ("run", "go", "--cwd", "absent", "--output", "json")])
def test_a_reader_that_is_gone_makes_no_noise(aglet: Aglet, arguments: tuple[str, ...]) -> None:
    aglet.script({"text": "Done."})
    aglet.environment["PYTHONUNBUFFERED"] = ""  # as above
    reading, writing = os.pipe()
    os.close(reading)
    process = aglet.start(*arguments, stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == (2 if "absent" in arguments else 1)
    assert err == ""


@pytest.mark.parametrize("redirections", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_is_as_good_as_an_empty_one(aglet: Aglet, redirections: str) -> None:
    aglet.script({"calls": [{"name": "shell", "arguments": {"command": "echo hi"}}]}, {"text": "Done."})
    for arguments in ("run go --mode allowAll", "sessions", "--version"):
        command = f"{' '.join(aglet.argv(()))} {arguments} {redirections}"
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=aglet.workspace,
            env=aglet.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")


def test_a_closed_standard_input_holds_no_prompt(aglet: Aglet) -> None:
    command = f"{' '.join(aglet.argv(()))} run <&-"
    done = subprocess.run(
        ["sh", "-c", command], cwd=aglet.workspace, env=aglet.variables, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, 'aglet: There is no prompt. Say what to do: aglet run "…"\n')


def test_a_full_disk_under_standard_error_changes_no_exit_code(aglet: Aglet) -> None:
    with Path("/dev/full").open("w") as full:
        for arguments in (("run", "go", "--cwd", "absent"), ("run", ""), ("demo", "--dir", ".")):
            (aglet.workspace / "file").touch()
            assert aglet.start(*arguments, stderr=full).wait(PATIENCE) == 2


def test_a_standard_input_that_cannot_be_read_is_told(aglet: Aglet) -> None:
    with Path("/proc/self/mem").open("rb") as unreadable:
        process = aglet.start("run", "-", stdin=unreadable)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (2, "aglet: The prompt cannot be read: Input/output error.\n")


def test_a_prompt_of_megabytes_is_taken_and_an_endless_one_refused(aglet: Aglet) -> None:
    aglet.script({"text": "Read."})
    assert aglet.run("run", stdin="x" * 5_000_000).out == "Read.\n"
    done = aglet.run("run", "--output", "jsonl", stdin="x" * 10_000_001)
    assert done.code == 2
    assert "longer than 10 MB" in done.events[-1]["error"]["message"]


def test_json_is_json_whatever_the_locale_can_write(aglet: Aglet) -> None:
    aglet.script({"text": "ok"})
    aglet.run("run", "grüße")
    aglet.environment |= {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    assert [row["title"] for row in json.loads(aglet.run("sessions", "--json").out)] == ["grüße"]
    aglet.configure('model = "ü"\n')
    rows = json.loads(aglet.run("config", "explain", "--json").out)
    assert rows[0]["value"] == "ü"


def test_bytes_that_are_no_text_become_text(aglet: Aglet) -> None:
    aglet.script({"text": "ok"})
    aglet.run("run", os.fsdecode(b"caf\xe9"), "--title", os.fsdecode(b"\xff!"))
    assert [row["title"] for row in aglet.sessions()] == ["�!"]
    (journal,) = aglet.state.glob("sessions/*.jsonl")
    assert "\\udc" not in journal.read_text()


@pytest.mark.parametrize("arguments", [("resume", "a", "b"), ("run",), ("resume", "ses_unknown", "go")])
def test_what_fails_early_is_written_as_asked_for(aglet: Aglet, arguments: tuple[str, ...]) -> None:
    whole = aglet.run(*arguments, "--output", "json").whole
    assert (whole["stopReason"], whole["exitCode"]) == ("error", 2)
    first, last = aglet.run(*arguments, "--output", "jsonl").events
    assert (first["type"], last["type"]) == ("hello", "fatal")
    assert last["error"] == whole["error"]
