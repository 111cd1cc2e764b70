"""Skills, where people are asked and where they type: they are text, and never more."""

import time
from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from agls.workspace import path_stamps
from support.machine import slowness
from support.skill_folders import LOAD, write_skill
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.row(55), pytest.mark.timeout(300)]
FRONT = "---\nname: {}\ndescription: Do a thing, when asked.\n{}\n---\nDo it.\n"


@pytest.mark.promise("P2")
def test_question_about_a_script_names_the_skill_and_its_suggestion_allows_nothing(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []

    def refuse(params: dict[str, Any]) -> Any:
        asked.append(params)
        return {"outcome": "selected", "optionId": "reject"}

    folder = write_skill(tmp_path / ".claude/skills")
    read = {"name": "read_file", "arguments": {"path": f"{folder}/references/forms.md"}}
    edit = {"name": "write_file", "arguments": {"path": f"{folder}/references/forms.md", "content": "x"}}
    run = {"name": "shell", "arguments": {"command": f"touch made; sh {folder}/scripts/fill.sh"}}
    calls = [{"text": "", "calls": [each]} for each in (read, LOAD, read, run, edit)]
    with Wire(tmp_path, script(tmp_path, turns(*calls, "Done.")), inside=ConnectionLimits()) as wire:
        wire.initialize(AGENT)
        wire.answers["agent/requestPermission"] = refuse
        wire.run(wire.session(), wait=True)
        assert not (wire.workspace / "made").exists()
    first, script_, edited = (each["reason"] for each in asked)
    assert "outside the workspace" in first, "the skill was not loaded yet"
    whose = f"the skill pdf ({folder}/SKILL.md)"
    assert f"The call names files of {whose}." in script_
    assert f"{whose} suggests to allow without a question: Bash(touch *)." in script_
    assert "allows nothing" in script_
    assert "suggests" in edited
    assert (folder / "references/forms.md").read_text() == "Forms."


def test_rules_and_likely_keys_hold_in_the_folder_of_a_loaded_skill(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []
    folder = write_skill(tmp_path / ".claude/skills")
    (folder / ".env").write_text("KEY=1")
    (tmp_path / "secret").write_text("secret")
    (folder / "link.md").symlink_to(tmp_path / "secret")
    names = ("references/forms.md", ".env", "link.md", "../other.md")
    reads = [{"name": "read_file", "arguments": {"path": f"{folder}/{name}"}} for name in names]
    played = script(tmp_path, turns({"text": "", "calls": [LOAD]}, {"text": "", "calls": reads}, "Done."))
    with Wire(tmp_path, played, inside=ConnectionLimits()) as wire:
        wire.initialize(AGENT)
        wire.answers["agent/requestPermission"] = lambda params: (
            asked.append(params) or {"outcome": "selected", "optionId": "reject"}
        )
        wire.run(wire.session(), wait=True)
    assert len(asked) == 3, "all but the first"


def test_skill_is_typed_as_a_command_explained_and_completed(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, *[turns("Done.")] * 4), inside=ConnectionLimits()) as wire:
        skills = wire.workspace / ".agents/skills"
        write_skill(skills)
        write_skill(skills, "usage")
        write_skill(
            skills, "hidden", "---\nname: hidden\ndescription: Not typed\nuser-invocable: false\n---\nDo it."
        )
        write_skill(
            skills, "mine", "---\nname: mine\ndisable-model-invocation: true\ndescription: x y\n---\nDo $0."
        )
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        session = wire.session()

        def typed(text: str) -> dict[str, Any]:
            return wire.ask("agent/run", {"input": text, "expand": True, "wait": True, "sessionId": session})

        assert typed("/pdf the form")["result"]["stopReason"] == "endTurn"
        items = [e["data"]["item"] for e in wire.history(session) if e["type"] == "itemCompleted"]
        prompt = next(item for item in items if item["kind"] == "userMessage")["content"][1]
        assert prompt["uri"] == "agls:command/pdf"
        assert prompt["text"].count("ARGUMENTS: the form") == 1
        assert '<skill name="pdf" folder=' in prompt["text"]
        assert "error" in typed("/hidden")
        rows = wire.call("agent/action/list", {"sessionId": session})["actions"]
        assert {"pdf", "project:usage", "mine", "create-skill"} <= {row["name"] for row in rows}
        shown = typed("/skills")["result"]["action"]["output"][0]["text"]
        assert "`/usage` is a command of agls: type `/project:usage`" in shown
        assert "It is no command: only the model uses it" in shown
        assert "The model does not see it: only you can use it" in shown
        whole = typed("/skills pdf")["result"]["action"]["output"][0]["text"]
        assert "grants nothing): Bash(touch *)" in whole
        given = {"sessionId": session, "text": "/pd", "cursor": 3}
        assert wire.call("agent/complete", given)["items"][0]["label"] == "/pdf"


def test_thousand_skills_are_listed_within_a_tenth_of_a_second_and_one_change_is_seen(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("Done.")), inside=ConnectionLimits()) as wire:
        for number in range(1_000):
            path = wire.workspace / f".claude/skills/skill-{number}/SKILL.md"
            path.parent.mkdir(parents=True)
            path.write_text(
                f"---\nname: skill-{number}\ndescription: Do thing {number}, when asked.\n---\nDo it."
            )
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        session = wire.session()

        def listed() -> tuple[float, set[str]]:
            begin = time.perf_counter()
            rows = wire.call("agent/action/list", {"sessionId": session})["actions"]
            return time.perf_counter() - begin, {row["name"] for row in rows}

        times = [listed()[0] for _ in range(12)]  # the least counts: others use the machine, too
        assert min(times) < 0.1 * slowness(), times
        late = wire.workspace / ".claude/skills/late/SKILL.md"
        late.parent.mkdir()
        late.write_text("---\nname: late\ndescription: Late.\n---\nDo it.")
        assert "late" in listed()[1]
        assert len([name for name in listed()[1] if name.startswith("skill-")]) == 1_000


def test_thousand_skills_and_commands_are_all_listed_within_a_tenth_of_a_second(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []
    stamp_at = path_stamps._stamp_at
    monkeypatch.setattr(path_stamps, "_stamp_at", lambda path: looked_at.append(path) or stamp_at(path))
    with Wire(tmp_path, script(tmp_path, turns("Done.")), inside=ConnectionLimits()) as wire:
        for number in range(500):
            skill = wire.workspace / f".claude/skills/skill-{number}/SKILL.md"
            command = wire.workspace / f".claude/commands/command-{number}.md"
            for path in (skill, command):
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(f"---\ndescription: Do thing {number}.\n---\nDo it.")
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        session = wire.session()
        times: list[float] = []
        names: set[str] = set()
        for _ in range(12):  # the least counts: others use the machine, too
            looked_at.clear()
            begin = time.perf_counter()
            rows = wire.call("agent/action/list", {"sessionId": session})["actions"]
            times.append(time.perf_counter() - begin)
            names = {row["name"] for row in rows}
        wanted = {f"{kind}-{number}" for kind in ("skill", "command") for number in range(500)}
        assert wanted <= names
        files = [path for path in looked_at if path.startswith(str(wire.workspace)) and path.endswith(".md")]
        assert len(files) == len({*files}) == 1_000, "one walk does"
        assert min(times) < 0.1 * slowness(), times
