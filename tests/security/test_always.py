"""P2: what was allowed does not cover what the agent made of files that the command obeys; who refused."""

from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from support.wire import AGENT, Wire, script, turns

from .attacker import House, call

pytestmark = [pytest.mark.promise("P2"), pytest.mark.timeout(120)]
OBEYED = {
    "make test": "Makefile",
    "make -C sub test": "sub/GNUmakefile",
    "npm test": "package.json",
    "npm run lint": "eslint.config.js",
    "pytest -q": "conftest.py",
    "python3 -m pytest": "pyproject.toml",
    "sh ./build.sh": "build.sh",
    "python3 tools/x.py": "tools/x.py",
    "cd sub && ./run": "sub/run",
    "cargo test": "build.rs",
    "just all": "justfile",
    "tox -q": "tox.ini",
}


@pytest.mark.parametrize("command", OBEYED)
def test_rule_does_not_cover_a_command_whose_file_the_agent_changed(house: House, command: str) -> None:
    house.config.write_text(f"{house.config.read_text()}[permissions]\nallow = ['shell({command})']\n")
    written = call("write_file", path=OBEYED[command], content="evil\n")
    loot = house.attacks([[written], [call("shell", command=command)]], mode="acceptEdits")
    assert loot.unanswered == 1
    assert "Not run" in loot.answers[1]


def test_rule_covers_a_command_whose_files_are_as_they_were(house: House) -> None:
    house.config.write_text(f"{house.config.read_text()}[permissions]\nallow = ['shell(sh ./build.sh)']\n")
    house.put("build.sh", "echo built\n")
    written = call("write_file", path="other.sh", content="x\n")
    loot = house.attacks([[written], [call("shell", command="sh ./build.sh")]], mode="acceptEdits")
    assert "built" in loot.answers[1]


def test_answer_for_the_session_holds_for_the_file_as_it_is_then(tmp_path: Path) -> None:
    def turn(name: str, **arguments: Any) -> dict[str, Any]:
        return {"text": "", "calls": [{"name": name, "arguments": arguments}]}

    written = [turn("write_file", path="build.sh", content=f"echo {n} >> out\n") for n in range(2)]
    edited = turn("edit_file", path="build.sh", old_text="echo 0 >> out", new_text="echo 1 >> out")
    run = turn("shell", command="sh ./build.sh")
    made = turns(written[0], run, run, edited, run, run, "Done.")
    with Wire(tmp_path, script(tmp_path, made), inside=ConnectionLimits()) as wire:
        asked: list[str] = []

        def allow(params: dict[str, Any]) -> dict[str, str]:
            asked.append(params["reason"])
            return {"outcome": "selected", "optionId": "session"}

        wire.answers["agent/requestPermission"] = allow
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        wire.run(wire.session(options={"mode": "acceptEdits"}))
        assert (wire.workspace / "out").read_text().split() == ["0", "0", "1", "1"]
        assert len(asked) == 2
        assert "build.sh, which this command obeys" in asked[1]


def test_denial_says_who_refused(tmp_path: Path) -> None:
    calls = [
        {"name": "shell", "arguments": {"command": "rm x"}},
        {"name": "shell", "arguments": {"command": "touch x"}},
    ]
    played = script(tmp_path, turns({"text": "", "calls": calls}, "Done."))
    played.write_text(f'{played.read_text()}[permissions]\ndeny = ["shell(rm *)"]\n')
    with Wire(tmp_path, played, inside=ConnectionLimits()) as wire:
        wire.answers["agent/requestPermission"] = lambda params: {"outcome": "selected", "optionId": "reject"}
        wire.initialize(AGENT)
        session = wire.session()
        wire.run(session)
        page = wire.call("agent/events", {"sessionId": session})["events"]
        items = [event["data"]["item"] for event in page if event["type"] == "itemCompleted"]
        assert [item.get("refusedBy") for item in items if item["kind"] == "toolCall"] == ["rule", "user"]


@pytest.mark.parametrize(
    ("mode", "command", "by"), [("plan", "touch x", "mode"), ("ask", "ls; touch x", "nobody")]
)
def test_denial_without_a_person_says_so(house: House, mode: str, command: str, by: str) -> None:
    loot = house.attack(call("shell", command=command), mode=mode)
    items = [data["item"] for data in loot.of_type("itemCompleted") if data["item"]["kind"] == "toolCall"]
    assert [item["refusedBy"] for item in items] == [by]
