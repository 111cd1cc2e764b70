"""Runs with hooks: small programs that keep what they were given, and what the runs came to."""

import json
from typing import Any

from doors.headless.conftest import SCRIPTED, Agls, Done

Hooks = list[dict[str, Any]]


class Hooked:
    """The program with hooks: small programs in Python, which keep what they were given."""

    def __init__(self, agls: Agls) -> None:
        self.agls = agls
        self.hooks = ""
        self.seen = agls.home / "seen.jsonl"

    def on(self, event: str, code: str, **settings: Any) -> None:
        """Add a hook whose program is this; `d` is what it was given."""
        number = self.hooks.count("[[")
        program = self.agls.home / f"hook{number}.py"
        keep = f"open({str(self.seen)!r}, 'a').write(json.dumps(d) + '\\n')"
        program.write_text(f"import json, os, sys, time\nd = json.load(sys.stdin)\n{keep}\n{code}\n")
        given = {"event": event, "name": f"h{number}", "command": f"python3 {program}", **settings}
        lines = "".join(f"{name} = {json.dumps(value)}\n" for name, value in given.items())
        self.hooks += f"[[hooks.handlers]]\n{lines}"
        self.agls.configure(SCRIPTED + self.hooks)

    def run(self, *arguments: str) -> Done:
        """Run, and give the log."""
        return self.agls.run("run", "--output", "jsonl", *(arguments or ("--mode", "allowAll", "go")))

    def given(self, event: str) -> Hooks:
        """What the hooks of an event were given."""
        lines = self.seen.read_text().splitlines() if self.seen.exists() else []
        return [each for each in map(json.loads, lines) if each["hook_event_name"] == event]


def answer(**members: object) -> str:
    """A program that prints this as its special output."""
    return f"print(json.dumps({{'hookSpecificOutput': {members!r}}}))"


def items(done: Done) -> list[dict[str, Any]]:
    return [event["data"]["item"] for event in done.events if event.get("type") == "itemCompleted"]


def outputs(done: Done) -> list[str]:
    return [item["output"] for item in items(done) if item["kind"] == "toolCall"]


def said(done: Done) -> str:
    return json.dumps(items(done))
