"""What a person reads of a run says what is known, and no more."""

import subprocess
import sys

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply
from support.patience import wait_until

SLEEP = {"calls": [{"name": "shell", "arguments": {"command": "touch begun; sleep 60"}}]}
FOUND = """
import sys
from functools import partial
from agls.models.local import discovery
discovery.find_local_servers = partial(discovery.find_local_servers, ports=[("ollama", int(sys.argv.pop(1)))])
from agls.__main__ import main
sys.exit(main(sys.argv[1:]))
"""


def test_command_interrupted_by_a_kill_has_an_unknown_outcome_everywhere(agls: Agls) -> None:
    agls.prompts([SLEEP, {"text": "I looked: it had begun."}])
    process = agls.start("run", "go", "--mode", "allowAll")
    wait_until((agls.workspace / "begun").exists)
    process.kill()
    process.communicate()
    done = agls.run("resume")
    assert done.err.count("Outcome unknown: shell touch begun; sleep 60. It was running") == 1
    (session,) = agls.sessions()
    exported = agls.run("sessions", "export", session["sessionId"], "--format", "md").out
    assert ": outcome unknown" in exported
    assert ": cancelled" not in exported
    audit = agls.run("resume", session["sessionId"], "/audit").out
    assert "| outcome unknown |" in audit
    assert "effects=unknown" in agls.run("sessions", "trace", session["sessionId"]).out
    assert "Outcome unknown" not in agls.run("resume", "go on").err


def test_audit_without_prices_and_reasoning_names_neither(agls: Agls) -> None:
    with ModelServer([Reply("Yes.")]) as server:
        agls.run("run", "go", "--base-url", server.url, "--model", "m")
        audit = agls.run("resume", "/audit").out
    assert "unknown cost" in audit
    assert "s, 1 of 50 turns, 0 tool calls" in audit
    assert "$0.0000" not in audit
    assert "thinking" not in audit


def test_help_as_a_word_is_the_help(agls: Agls) -> None:
    assert agls.run("help") == agls.run("--help")
    assert agls.run("help", "sessions", "list").code == agls.run("sessions", "list", "--help").code
    assert agls.run("help", "run") == agls.run("run", "--help")
    assert agls.run("help").code == 0
    assert agls.run("-V") == agls.run("--version")


def test_quiet_run_does_not_tell_which_model_was_found(agls: Agls) -> None:
    agls.configure("")
    agls.environment["AGLS_LOCAL_SERVERS"] = "true"

    def errors(port: int, *words: str) -> str:
        argv = [sys.executable, "-c", FOUND, str(port), "run", "go", *words]
        return subprocess.run(
            argv, cwd=agls.workspace, env=agls.variables, capture_output=True, text=True, check=True
        ).stderr

    with ModelServer([Reply("Yes.")] * 2, models=("qwen",)) as server:
        assert "Found ollama/qwen at" in errors(server.port)
        assert errors(server.port, "-q") == ""


def test_json_has_paths_that_git_takes(agls: Agls) -> None:
    name = "a b ü.txt"
    agls.script(
        {"calls": [{"name": "write_file", "arguments": {"path": name, "content": "x\n"}}]}, {"text": "Done."}
    )
    whole = agls.run("run", "go", "--mode", "acceptEdits", "--output", "json").whole
    assert whole["paths"] == [str(agls.workspace.resolve() / name)]
    for words in (("init", "-q"), ("add", *whole["paths"])):
        subprocess.run(["git", *words], cwd=agls.workspace, check=True)
