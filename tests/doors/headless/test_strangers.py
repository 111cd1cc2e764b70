"""What strangers met: users whom passwd does not know, odd homes, beginnings of ids, narrow terminals."""

import fcntl
import json
import re
import shutil
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from doors.headless.conftest import SCRIPTED, Agls, Done
from doors.headless.test_terminal import FakeTerminal, terminal
from support.patience import PATIENCE
from support.processes import changed_program, run

__all__ = ["terminal"]

LIST = {"calls": [{"name": "list_dir", "arguments": {"path": "."}}]}
UNKNOWN_USER = """
import os, pwd, sys
def nobody(uid):
    raise KeyError(f"getpwuid(): uid not found: {uid}")
pwd.getpwuid = nobody
from agls.__main__ import main
sys.exit(main(sys.argv[1:]))
"""
REFUSED = """
import sys
from agls.engine.ports import JournalError
from agls.engine.session import Session
async def refuse(self, *said, **more):
    raise JournalError("the disk is full")
Session.prompt = refuse
from agls.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def as_unknown(agls: Agls, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run it as a user whom passwd does not know, without our own variables."""
    variables = {k: v for k, v in agls.variables.items() if not k.startswith("AGLS_")} | environment
    variables = {name: value for name, value in variables.items() if value}
    program = [*changed_program(UNKNOWN_USER), *arguments]
    return run(program, cwd=agls.workspace, env=variables, timeout=PATIENCE, stdin=subprocess.DEVNULL)


def test_user_without_a_passwd_entry_can_run(agls: Agls) -> None:
    folder = agls.home / ".config" / "agls"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(agls.config_file.read_text())
    agls.script({"text": "Fine."})
    (agls.home / "script.json").rename(folder / "script.json")
    done = as_unknown(agls, "run", "go")
    assert (done.returncode, done.stdout) == (0, "Fine.\n"), done.stderr


COMMANDS = ["run go", "resume", "sessions", "usage", "trust", "permissions list", "key list", "models",
            "undo", "changes", "config explain"]  # fmt: skip


@pytest.mark.parametrize("command", COMMANDS)
def test_missing_home_is_an_error_that_says_what_to_set(agls: Agls, command: str) -> None:
    done = as_unknown(agls, *command.split(), HOME="")
    assert done.returncode == 2
    assert done.stderr.startswith(
        "agls: HOME: HOME names no folder, and the system does not know this user. Set HOME, or AGLS_"
    )
    assert "Traceback" not in done.stderr


# A namespace whose user no passwd knows, without any power: what `docker run --user 54321` is.
CONTAINER = ("unshare", "--user", "--map-user=54321", "--map-group=54321")


def in_container(agls: Agls, *arguments: str, **environment: str) -> Done:
    """Run it as another user who is not in passwd, with nothing else in the environment."""
    if not shutil.which("unshare") or subprocess.run([*CONTAINER, "true"], check=False).returncode:
        pytest.skip("this machine has no user namespaces")
    done = subprocess.run(
        [*CONTAINER, *agls.argv(arguments)],
        cwd=agls.workspace,
        env={"PATH": "/usr/bin:/bin", "AGLS_CONFIG": str(agls.config_file), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert "Traceback" not in done.stderr
    return Done(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize("variable", ["HOME", "AGLS_STATE_DIR"])
def test_container_user_runs_resumes_and_lists(agls: Agls, tmp_path: Path, variable: str) -> None:
    agls.prompts([{"text": "Fine."}], [{"text": "Again."}])
    there = {variable: str(tmp_path / "elsewhere")}
    assert in_container(agls, "run", "go", **there) == Done(0, "Fine.\n", "")
    (session,) = in_container(agls, "sessions", "--json", **there).whole
    assert in_container(agls, "resume", session["sessionId"], "on", **there) == Done(0, "Again.\n", "")
    assert "Again." in in_container(agls, "sessions", "show", session["sessionId"], **there).out


def test_container_user_with_a_closed_home_runs_in_memory(agls: Agls, tmp_path: Path) -> None:
    agls.script({"text": "Fine."})
    closed = tmp_path / "closed"
    closed.mkdir(0o555)
    done = in_container(agls, "run", "go", HOME=str(closed))
    assert (done.code, done.out) == (0, "Fine.\n")
    assert f"No session can be kept in {closed}/.local/state/agls/sessions: Permission denied." in done.err
    assert in_container(agls, "sessions", HOME=str(closed)).code == 0
    again = in_container(agls, "resume", "on", HOME=str(closed))
    assert (again.code, again.out) == (2, "")
    assert again.err.startswith("agls: There is no session of ")


def test_container_user_with_a_home_that_is_no_folder_or_another_users(agls: Agls, tmp_path: Path) -> None:
    agls.script({"text": "Fine."})
    keyed = 'dialect = "chat"\nbase_url = "https://models.example/v1"\nmodel = "x"\napi_key_env = "NO_KEY"\n'
    agls.configure(f"{SCRIPTED}[models.other]\n{keyed}")  # so that the file of keys is asked
    done = in_container(agls, "run", "go", HOME="/dev/null")
    assert (done.code, done.out) == (0, "Fine.\n")
    closed = tmp_path / "closed"
    closed.mkdir(0o000)
    done = in_container(agls, "run", "go", HOME=str(closed))
    assert (done.code, done.out) == (2, "")
    assert "the keys cannot be read: Permission denied. Make the file readable" in done.err
    assert "AGLS_STATE_DIR" in done.err


def test_home_inside_the_workspace_is_named_by_its_own_variable(agls: Agls) -> None:
    done = as_unknown(agls, "run", "go", HOME=str(agls.workspace))
    assert done.returncode == 2
    assert done.stderr.startswith("agls: agls keeps its own files in ")
    assert "home folder as the system knows it" in done.stderr
    assert "Set AGLS_STATE_DIR to a place outside." in done.stderr
    assert "HOME:" not in done.stderr


def test_full_disk_or_a_gone_reader_warns_of_no_coroutine(agls: Agls) -> None:
    agls.script(LIST, {"text": "Done."})
    for _ in range(3):
        with Path("/dev/full").open("w") as full:
            process = agls.start("run", "go", "--output", "jsonl", stdout=full)
            _, err = process.communicate(timeout=PATIENCE)
        assert "never awaited" not in err
        assert "Warning" not in err


def test_start_that_fails_leaves_no_session_behind(agls: Agls) -> None:
    agls.script({"text": "never"})
    done = subprocess.run(
        [sys.executable, "-c", REFUSED, "run", "go", "--output", "json"],
        cwd=agls.workspace, env=agls.variables, capture_output=True, text=True, timeout=PATIENCE, check=False,
        stdin=subprocess.DEVNULL,
    )  # fmt: skip
    assert (done.returncode, json.loads(done.stdout)["error"]["kind"]) == (1, "journal")
    for wrong in (["--model", "none"], ["--agent", "none"], ["--deliver", "none"], ["--attach", "none"]):
        assert agls.run("run", "go", *wrong).code == 2
    assert agls.sessions() == []


def test_resume_takes_the_beginning_of_an_id(agls: Agls) -> None:
    agls.script({"text": "Fine."})
    agls.run("run", "one")
    agls.run("run", "two")
    first, second = (session["sessionId"] for session in agls.sessions())
    assert agls.run("resume", first[:10], "again").code == 0
    done = agls.run("resume", "ses_", "again")
    assert done.code == 2
    assert "More than one session begins with 'ses_'" in done.err
    assert second in done.err
    assert "See: agls sessions" in agls.run("resume", "ses_zzz", "again").err


def test_exports_have_the_title_that_the_list_shows(agls: Agls) -> None:
    agls.script({"text": "Fine."})
    agls.run("run", "count the birds")
    (session,) = agls.sessions()
    for form, title in (("md", "# count the birds\n"), ("html", "<title>count the birds")):
        assert title in agls.run("sessions", "export", session["sessionId"], "--format", form).out


def test_audit_shows_arguments_as_json(agls: Agls) -> None:
    agls.script(LIST, {"text": "Fine."})
    agls.run("run", "go")
    (session,) = agls.sessions()
    assert (
        '| list_dir | {"path": "."} | completed |' in agls.run("sessions", "audit", session["sessionId"]).out
    )


def test_sessions_fit_a_terminal_of_80_columns(agls: Agls, terminal: FakeTerminal) -> None:
    fcntl.ioctl(terminal.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    agls.script({"text": "Fine."})
    agls.run("run", "a long prompt " * 20)
    assert agls.start("sessions", stdout=terminal.theirs).wait(PATIENCE) == 0
    heading, row = terminal.rest().splitlines()
    assert len(row) <= 80
    assert re.match(r"ses_\w+  \d\d-\d\d \d\d:\d\d  idle   …\S*workspace  a long pro", row), row
    assert heading.startswith("SESSION")
    assert str(agls.workspace) in agls.run("sessions").out, "whole, where a program may read it"


def test_commands_are_those_that_can_be_invoked(agls: Agls) -> None:
    agls.script({"text": "begun", "hang": True})
    process = agls.start("run", "go", "--input", "jsonl", "--output", "jsonl", stdin=subprocess.PIPE)
    assert process.stdin
    assert process.stdout
    events = (json.loads(line) for line in process.stdout)
    told = next(event for event in events if event.get("type") == "commands")["data"]["commands"]
    assert "idle" not in {command["when"] for command in told}
    assert "limits" in {command["name"] for command in told}
    params = {"name": "limits", "input": {}}
    request = {"jsonrpc": "2.0", "id": 1, "method": "agent/action/invoke", "params": params}
    wrong = {"jsonrpc": "2.0", "id": 2, "method": "agent/respond",
             "params": {"requestId": "ask_none", "response": {"outcome": "cancelled"}}}  # fmt: skip
    next(event for event in events if event.get("type") == "runStarted")
    process.stdin.write(f"{json.dumps(request)}\n{json.dumps(wrong)}\n")
    process.stdin.flush()
    done = next(event for event in events if event.get("id") == 1)
    assert "turns" in done["result"]["output"][0]["text"]
    refused = next(event for event in events if event.get("id") == 2)
    assert "there was no question 'ask_none'" in refused["error"]["message"]
    process.kill()
    agls.script({"text": "Fine."})
    (alone,) = [e for e in agls.run("run", "go", "--output", "jsonl").events if e["type"] == "commands"]
    assert alone["data"]["commands"] == [], "nobody could"


def test_explanations_understand_settings_and_rules_as_they_are_written(agls: Agls) -> None:
    agls.configure(f'{SCRIPTED}[permissions]\nmode = "plan"\ndeny = ["read(no.txt)"]\n')
    assert agls.run("config", "explain", "permissions.mode").out == "plan\n"
    forbidden = agls.run("permissions", "explain", "read(no.txt)").out
    assert "The rule deny read(no.txt) forbids it" in forbidden
