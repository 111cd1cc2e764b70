"""`!` lines of skills: they run before the skill is read, typed or loaded, by consent, through the gate."""

import json
from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply
from support.skill_folders import results_read, write_skill
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.row(55), pytest.mark.promise("P2"), pytest.mark.timeout(300)]
LOOK = """---
name: look
description: Look at the state, when asked.
{}---
State: !`sh ${{CLAUDE_SKILL_DIR}}/scripts/look.sh`

For $0.

```markdown
Example: !`touch shown`
```
"""
LOAD = {"name": "skill", "arguments": {"name": "look", "arguments": "x"}}


def look(folder: Path, keys: str = "") -> Path:
    home = write_skill(folder, "look", LOOK.replace("{}", keys))
    (home / "scripts/look.sh").write_text("echo one >> made; echo all clean\n")
    return home


def asked_about(wire: Wire, option: str) -> list[dict[str, Any]]:
    asked: list[dict[str, Any]] = []
    wire.answers["agent/requestPermission"] = lambda params: (
        asked.append(params) or {"outcome": "selected", "optionId": option}
    )
    return asked


def outputs(wire: Wire, session: str) -> list[str]:
    items = [e["data"]["item"] for e in wire.history(session) if e["type"] == "itemCompleted"]
    return [item["output"] for item in items if item["kind"] == "toolCall" and item["name"] == "skill"]


def test_lines_of_a_skill_that_the_model_loads_run_after_one_consent_until_a_script_changes(
    tmp_path: Path,
) -> None:
    load = turns({"text": "", "calls": [LOAD]}, "Done.")
    with Wire(tmp_path, script(tmp_path, load, load, load), inside=ConnectionLimits()) as wire:
        home = look(wire.workspace / ".claude/skills")
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        asked = asked_about(wire, "always")
        session = wire.session()
        wire.run(session, wait=True)
        wire.run(session, wait=True)
        assert len(asked) == 1
        assert ".claude/skills/look/SKILL.md" in asked[0]["reason"]
        assert f"sh {home}/scripts/look.sh" in asked[0]["shown"]["text"]
        first, again = outputs(wire, session)
        assert first.startswith('<skill name="look"')
        assert "as output 1)\n\nFor x." in first
        assert "all clean" in first.partition("</skill>")[2]
        assert "Example: !`touch shown`" in first
        assert again.startswith("The skill look is loaded already")
        assert "all clean" in again
        (home / "scripts/look.sh").write_text("echo other\n")
        wire.run(session, wait=True)
        assert len(asked) == 2
        assert "other" in outputs(wire, session)[-1]
        assert (wire.workspace / "made").read_text() == "one\none\n"
        assert not (wire.workspace / "shown").exists()


def test_lines_of_a_skill_that_nobody_consents_to_do_not_run_and_its_text_is_read(tmp_path: Path) -> None:
    load = turns({"text": "", "calls": [LOAD]}, "Done.")
    with Wire(tmp_path, script(tmp_path, load), inside=ConnectionLimits()) as wire:
        look(wire.workspace / ".claude/skills")
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        asked_about(wire, "reject")
        session = wire.session()
        wire.run(session, wait=True)
        (output,) = outputs(wire, session)
        assert "For x." in output
        assert "nobody consented to it" in output
        assert not (wire.workspace / "made").exists()


@pytest.mark.parametrize("keys", ["", "context: fork\n"])
def test_lines_of_an_own_skill_that_is_typed_run_before_the_model_is_asked(agls: Agls, keys: str) -> None:
    look(agls.home / "skills", keys)
    with ModelServer([Reply("Seen."), Reply("End.")]) as server:
        done = agls.run("run", "/look it", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        said = json.dumps(server.posts[0].body["messages"])
    assert "For it." in said
    assert "all clean" in said
    assert (agls.workspace / "made").read_text() == "one\n"


def test_own_skill_that_the_model_loads_runs_nothing_that_needs_a_question(agls: Agls) -> None:
    look(agls.home / "skills")
    with ModelServer([Reply(calls=[("skill", {"name": "look"})]), Reply("End.")]) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert "1 question without anybody to answer: refused" in done.err
        assert "Output 1 of /look" in results_read(server)[0]
        assert "(rejected)" in results_read(server)[0]
    assert not (agls.workspace / "made").exists()


def test_lines_of_a_skill_are_shown_before_and_run_by_the_consent_to_its_plugin(agls: Agls) -> None:
    plugin = agls.home / "eyes"
    look(plugin / "skills")
    (plugin / ".claude-plugin").mkdir()
    (plugin / ".claude-plugin/plugin.json").write_text('{"name": "eyes"}')
    shown = agls.run("plugin", "add", str(plugin), "--yes").out
    assert "it runs: sh ${CLAUDE_SKILL_DIR}/scripts/look.sh" in shown
    assert "touch shown" not in shown
    with ModelServer([Reply(calls=[("skill", {"name": "eyes:look"})]), Reply("End.")]) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        assert "all clean" in results_read(server)[0]
    assert (agls.workspace / "made").exists()
