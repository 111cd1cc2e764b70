"""The hooks of a skill: offers that join when it is used, each by the user's word for exactly that."""

from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from support.skill_folders import write_skill
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.row(55), pytest.mark.timeout(300)]
GUARDED = """---
name: guarded
description: Do it, guarded.
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: sh ${{CLAUDE_SKILL_DIR}}/scripts/fill.sh
---
Do it.
"""
LOAD = {"name": "skill", "arguments": {"name": "guarded"}}
RUN = {"name": "shell", "arguments": {"command": "ls"}}


def _wire(tmp_path: Path, *prompts: Any) -> Wire:
    wire = Wire(tmp_path, script(tmp_path, *prompts), inside=ConnectionLimits())
    folder = write_skill(wire.workspace / ".claude/skills", "guarded", GUARDED)
    (folder / "scripts/fill.sh").write_text("echo no shell here >&2; exit 2\n")
    return wire


def _answering(wire: Wire, asked: list[dict[str, Any]], option: str) -> None:
    def answer(params: dict[str, Any]) -> Any:
        asked.append(params)
        return {"outcome": "selected", "optionId": option}

    wire.answers["agent/requestPermission"] = answer


def _results(wire: Wire, session: str) -> list[str]:
    items = [e["data"]["item"] for e in wire.history(session) if e["type"] == "itemCompleted"]
    return [str(item) for item in items if item["kind"] == "toolCall" and item["name"] == "shell"]


@pytest.mark.promise("P2")
def test_hook_of_a_used_skill_asks_once_and_then_refuses_the_call(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []
    play = turns({"text": "", "calls": [LOAD]}, {"text": "", "calls": [RUN]}, "Done.")
    with _wire(tmp_path, play, turns({"text": "", "calls": [RUN]}, "Done.")) as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        _answering(wire, asked, "always")
        session = wire.session()
        wire.run(session, wait=True)
        wire.run(session, wait=True)
        results = _results(wire, session)
    assert len(asked) == 1, "it is given until it changes"
    assert "the skill guarded (.claude/skills/guarded/SKILL.md)" in str(asked[0])
    assert len([each for each in results if "no shell here" in each]) == 2


def test_hook_that_nobody_consents_to_and_one_of_an_unused_skill_do_not_run(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []
    play = turns(
        {"text": "", "calls": [RUN]}, {"text": "", "calls": [LOAD]}, {"text": "", "calls": [RUN]}, "x"
    )
    with _wire(tmp_path, play) as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        _answering(wire, asked, "reject")
        session = wire.session()
        wire.run(session, wait=True)
        results = _results(wire, session)
    assert len(asked) == 1
    assert len(results) == 2
    assert not [each for each in results if "no shell here" in each]
