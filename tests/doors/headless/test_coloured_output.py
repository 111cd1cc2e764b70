"""What a command prints in colours: people get these, the model and the member `output` never do."""

import json
import re

from doors.headless.conftest import SCRIPTED, Agls
from doors.headless.test_terminal import FakeTerminal, begin, terminal
from support.patience import PATIENCE

__all__ = ["terminal"]

PRINT = (
    r"printf 'all:\n\033[2K\033]0;t\007\033[31mred\033[0m and \033[1;38;5;200mpink\nstill\033[m\n'; exit 3"
)
SHELL = {"name": "shell", "arguments": {"command": PRINT}}
OTHER = '[models.other]\nbase_url = "http://127.0.0.1:9/v1"\napi_key_env = "MY_KEY"\n'
RED = "\x1b[31mred\x1b[0m and \x1b[1;38;5;200mpink\x1b[0m"


def test_colours_are_a_member_of_their_own_also_after_a_resume(agls: Agls) -> None:
    agls.script({"text": "I look.", "calls": [SHELL]}, {"text": "Done."})
    done = agls.run("run", "go", "--yolo", "--output", "jsonl")
    (session,) = agls.sessions()
    again = agls.run("resume", session["sessionId"], "--since", "0", "--output", "jsonl", "next")
    for events in (done.events, again.events):
        items = [event["data"]["item"] for event in events if event["type"] == "itemCompleted"]
        call = next(item for item in items if item["kind"] == "toolCall")
        assert call["output"].startswith("all:\nred and pink\nstill\n[exit code 3")
        coloured = call["terminal"]["coloured"]
        assert coloured.startswith(f"all:\n{RED}\n\x1b[1;38;5;200mstill\x1b[0m\n[exit code 3")
        assert re.sub(r"\x1b\[[0-9;]+m", "", coloured) == call["output"]
        shown = [event["data"] for event in events if event["type"] == "itemDelta"]
        assert "\x1b" not in "".join(delta["append"] for delta in shown)


def test_colours_come_while_the_command_runs(agls: Agls) -> None:
    agls.script({"text": "I look.", "calls": [SHELL]}, {"text": "Done."})
    done = agls.run("run", "go", "--yolo", "--output", "jsonl")
    shown = [event["data"] for event in done.events if event["type"] == "itemDelta"]
    printed = [delta for delta in shown if delta["field"] == "output"]
    coloured = "".join(delta.get("coloured", delta["append"]) for delta in printed)
    assert RED in coloured
    assert re.sub(r"\x1b\[[0-9;]+m", "", coloured) == "".join(delta["append"] for delta in printed)


def test_key_in_colours_is_nowhere(agls: Agls) -> None:
    key = "sk-secret-0123456789"
    agls.configure(SCRIPTED + OTHER)
    agls.environment["MY_KEY"] = key
    command = r"printf '\033[32mfine\033[0m\n\033[31msk-secret\033[0m-0123456789\n'"
    agls.script({"calls": [{"name": "shell", "arguments": {"command": command}}]}, {"text": "Done."})
    done = agls.run("run", "go", "--yolo", "--output", "jsonl")
    call = next(
        event["data"]["item"]
        for event in done.events
        if event["type"] == "itemCompleted" and event["data"]["item"]["kind"] == "toolCall"
    )
    shown = [event["data"] for event in done.events if event["type"] == "itemDelta"]
    assert "0123456789" not in "".join(delta.get("coloured", delta["append"]) for delta in shown)
    assert "\x1b[32mfine\x1b[0m\n" in call["terminal"]["coloured"]
    assert "0123456789" not in json.dumps(
        {**call, "input": {}, "title": "", "terminal": call["terminal"]["coloured"]}
    )


def test_colours_are_shown_at_a_terminal_only(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"text": "I look.", "calls": [SHELL]}, {"text": "Done."})
    assert begin(agls, terminal, "--yolo").wait(PATIENCE) == 0
    assert RED in terminal.rest()
    agls.script({"text": "I look.", "calls": [SHELL]}, {"text": "Done."})
    assert "\x1b" not in agls.run("run", "go", "--yolo").err
