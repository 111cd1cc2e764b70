"""Standard streams that are full, closed or without a reader: told once, and never taken for a success."""

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from doors.headless.conftest import Agls
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
def test_a_full_disk_under_standard_output_is_a_failure(agls: Agls, arguments: tuple[str, ...]) -> None:
    agls.script({"text": "Done."})
    agls.environment["PYTHONUNBUFFERED"] = ""  # or the parser keeps the trouble to itself
    with Path("/dev/full").open("w") as full:
        process = agls.start(*arguments, stdout=full)
        _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert err.splitlines()[0] == "agls: standard output cannot be written: No space left on device"
    assert err.count("No space left") == 1
    assert ("agls sessions show ses_" in err) == ("go" in arguments)


@pytest.mark.parametrize("arguments", [*COMMANDS, ("run", "go", "--cwd", "absent", "--output", "json")])
def test_gone_reader_ends_it_as_sigpipe_would_and_names_the_session_if_there_is_one(
    agls: Agls, arguments: tuple[str, ...]
) -> None:
    agls.script({"text": "Done."})
    agls.environment["PYTHONUNBUFFERED"] = ""  # as above
    reading, writing = os.pipe()
    os.close(reading)
    process = agls.start(*arguments, stdout=writing)
    os.close(writing)
    _, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == (2 if "absent" in arguments else 141)
    assert [
        line for line in err.splitlines() if not line.startswith(("agls: Stopped", "agls: not all"))
    ] == []
    assert all(f"agls sessions show {row['sessionId']}\n" in err for row in agls.sessions())


@pytest.mark.parametrize(
    ("redirections", "others"), [("<&-", ()), ("2>&-", ()), ("<&- 2>&-", ("sessions", "--version"))]
)
def test_a_closed_stream_is_as_good_as_an_empty_one(
    agls: Agls, redirections: str, others: Sequence[str]
) -> None:
    agls.script({"calls": [{"name": "shell", "arguments": {"command": "echo hi"}}]}, {"text": "Done."})
    for arguments in ("run go --mode allowAll --quiet", *others):
        command = f"{' '.join(agls.argv(()))} {arguments} {redirections}"
        done = subprocess.run(
            ["sh", "-c", command],
            cwd=agls.workspace,
            env=agls.variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("arguments", ["run go --quiet", "sessions", "--version"])
def test_closed_standard_output_is_a_failure_that_loses_no_session(agls: Agls, arguments: str) -> None:
    agls.script({"text": "Done."})
    agls.run("run", "before")
    command = f"{' '.join(agls.argv(()))} {arguments} >&-"
    done = subprocess.run(
        ["sh", "-c", command], cwd=agls.workspace, env=agls.variables, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert done.returncode == 1
    assert "agls: standard output cannot be written: it is closed" in done.stderr
    assert ("agls sessions show ses_" in done.stderr) == arguments.startswith("run")
    assert len(agls.sessions()) == (2 if arguments.startswith("run") else 1)


def test_a_closed_standard_input_holds_no_prompt(agls: Agls) -> None:
    command = f"{' '.join(agls.argv(()))} run <&-"
    done = subprocess.run(
        ["sh", "-c", command], cwd=agls.workspace, env=agls.variables, capture_output=True, text=True,
        check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (2, 'agls: There is no prompt. Give one: agls run "…"\n')


def test_a_full_disk_under_standard_error_changes_no_exit_code(agls: Agls) -> None:
    with Path("/dev/full").open("w") as full:
        for arguments in (("run", "go", "--cwd", "absent"), ("run", ""), ("demo", "--dir", ".")):
            (agls.workspace / "file").touch()
            assert agls.start(*arguments, stderr=full).wait(PATIENCE) == 2


def test_unreadable_standard_input_is_reported(agls: Agls) -> None:
    with Path("/proc/self/mem").open("rb") as unreadable:
        process = agls.start("run", "-", stdin=unreadable)
        _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (2, "agls: Standard input cannot be read: Input/output error.\n")


def test_a_prompt_of_megabytes_is_taken_and_an_endless_one_refused(agls: Agls) -> None:
    agls.script({"text": "Read."})
    assert agls.run("run", stdin="x" * 5_000_000).out == "Read.\n"
    done = agls.run("run", "--output", "jsonl", stdin="x" * 10_000_001)
    assert done.code == 2
    assert "More than 10 MB" in done.events[-1]["error"]["message"]


def test_json_is_json_whatever_the_locale_can_write(agls: Agls) -> None:
    agls.script({"text": "ok"})
    agls.run("run", "grüße")
    agls.environment |= {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    assert [row["title"] for row in json.loads(agls.run("sessions", "--json").out)] == ["grüße"]
    agls.configure('model = "ü"\n')
    rows = json.loads(agls.run("config", "explain", "--json").out)
    assert rows[0]["value"] == "ü"


def test_bytes_that_are_no_text_become_text(agls: Agls) -> None:
    agls.script({"text": "ok"})
    agls.run("run", os.fsdecode(b"caf\xe9"), "--title", os.fsdecode(b"\xff!"))
    assert [row["title"] for row in agls.sessions()] == ["�!"]
    (journal,) = agls.state.glob("sessions/*.jsonl")
    assert "\\udc" not in journal.read_text()


@pytest.mark.parametrize("arguments", [("resume", "a", "b"), ("run",), ("resume", "ses_unknown", "go")])
def test_early_failure_is_written_in_the_chosen_output_format(agls: Agls, arguments: tuple[str, ...]) -> None:
    whole = agls.run(*arguments, "--output", "json").whole
    assert (whole["stopReason"], whole["exitCode"]) == ("error", 2)
    first, last = agls.run(*arguments, "--output", "jsonl").events
    assert (first["type"], last["type"]) == ("hello", "fatal")
    assert last["error"] == whole["error"]
