"""The folder and the variables of commands outlive the process."""

import pytest

from doors.headless.conftest import Agls


def test_resumed_session_begins_commands_where_the_last_one_ended(agls: Agls) -> None:
    (agls.workspace / "sub").mkdir()
    leave = {"name": "shell", "arguments": {"command": "cd sub; export A=1 API_TOKEN=hush-hush"}}
    look = {"name": "shell", "arguments": {"command": 'pwd; echo "[$A|$API_TOKEN]"'}}
    agls.prompts([{"calls": [leave]}, {"text": "Done."}], [{"calls": [look]}, {"text": "Seen."}])
    assert agls.run("run", "Go.", "--mode", "allowAll").code == 0
    assert not [file for file in agls.state.rglob("*.jsonl") if '"API_TOKEN":' in file.read_text()]
    done = agls.run("resume", "And now?", "--mode", "allowAll", "--output", "jsonl")
    ends = [e["data"]["item"] for e in done.events if e["type"] == "itemCompleted"]
    (call,) = [item for item in ends if item["kind"] == "toolCall"]
    assert call["output"].startswith(f"{agls.workspace / 'sub'}\n[1|]\n")
    assert call["terminal"]["cwd"] == str(agls.workspace / "sub")
    reset = agls.run("resume", "/shell.reset")
    assert "begin in the root of the workspace again" in reset.out
    assert "begins in the root" in agls.run("resume", "/shell.state").out


@pytest.mark.parametrize(
    "command",
    [
        "sleep 300 & sleep 0.001 & wait $!; echo up",
        "nohup sleep 300 >/dev/null 2>&1 & disown; echo up",
        "(sleep 300 >/dev/null 2>&1 &); echo up",
    ],
)
def test_command_that_leaves_a_server_running_says_that_it_was_ended(agls: Agls, command: str) -> None:
    """In the sandbox and outside of it alike."""
    call = {"name": "shell", "arguments": {"command": command}}
    for sandbox in ("default", "off"):
        agls.environment["AGLS_SANDBOX"] = sandbox
        agls.script({"calls": [call]}, {"text": "Done."})
        done = agls.run("run", "Go.", "--mode", "allowAll", "--output", "jsonl")
        (item,) = [
            event["data"]["item"]
            for event in done.events
            if event["type"] == "itemCompleted" and event["data"]["item"]["kind"] == "toolCall"
        ]
        assert item["output"].startswith(
            "up\n[What it left running was ended with it; number of processes: 1."
        )
