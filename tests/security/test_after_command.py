"""P9: what a command changed that programs run or obey is shown, and ends automatic approval for the run."""

from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from support.wire import AGENT, Wire, script, turns

from .attacker import House, call

pytestmark = [pytest.mark.promise("P9"), pytest.mark.timeout(120)]
SCRIPTS = {
    ".git/hooks/pre-commit": "mkdir -p .git/hooks; echo evil > .git/hooks/pre-commit",
    "new/.git": "git init -q new",
    ".venv/bin/python": "echo evil > .venv/bin/python",
    "node_modules/.bin/tsc": "ln -sf /bin/true node_modules/.bin/tsc",
    "gradlew": "echo evil >> gradlew",
    ".vscode/tasks.json": "mkdir -p .vscode; echo '{}' > .vscode/tasks.json",
    ".github/workflows/ci.yml": "mkdir -p x/workflows; echo x > x/workflows/ci.yml; mv x .github",
    "bare": "git init -q --bare bare",
}


@pytest.fixture
def built(house: House) -> House:
    """A workspace with programs of its own."""
    for name in (".venv/bin/python", "node_modules/.bin/tsc", "gradlew"):
        house.put(name, "good\n")
    return house


@pytest.mark.parametrize("name", SCRIPTS)
def test_change_by_a_command_is_shown_and_ends_automatic_approval(built: House, name: str) -> None:
    built.put("build.sh", SCRIPTS[name])
    turns = [[call("shell", command="sh build.sh")], [call("write_file", path="a.txt", content="x")]]
    loot = built.attacks(turns, mode="allowAll")
    notices = [data["text"] for data in loot.of_type("notice")]
    assert any(name in text for text in notices), notices
    assert f"files that programs run or obey: {name}" in loot.answers[0]
    assert "Not run" in loot.answers[1]
    assert not (built.workspace / "a.txt").exists()


def test_what_only_reads_still_runs(built: House) -> None:
    built.put("build.sh", "echo evil >> gradlew")
    turns = [
        [call("shell", command="sh build.sh")],
        [call("shell", command="ls")],
        [call("list_dir", path=".")],
    ]
    loot = built.attacks(turns, mode="allowAll")
    assert loot.unanswered == 0
    assert "build.sh" in loot.answers[1]


def test_ordinary_work_ends_nothing(built: House) -> None:
    built.put("build.sh", "mkdir -p out; echo x > out/a.o; touch gradlew.log; echo x > src.py")
    turns = [[call("shell", command="sh build.sh")], [call("write_file", path="a.txt", content="x")]]
    assert built.attacks(turns, mode="allowAll").unanswered == 0
    assert (built.workspace / "a.txt").exists()


def test_user_may_choose_to_be_only_told(built: House) -> None:
    built.config.write_text(f'{built.config.read_text()}[permissions]\nafter_command = "report"\n')
    built.put("build.sh", "echo evil >> gradlew")
    turns = [[call("shell", command="sh build.sh")], [call("write_file", path="a.txt", content="x")]]
    loot = built.attacks(turns, mode="allowAll")
    assert "gradlew" in loot.answers[0]
    assert (built.workspace / "a.txt").exists()


def test_accepted_files_let_permissions_work_as_before(tmp_path: Path) -> None:
    commands = [{"name": "shell", "arguments": {"command": "sh build.sh"}}]
    writes = [{"name": "write_file", "arguments": {"path": f"{n}.txt", "content": "x"}} for n in range(3)]
    made = [{"text": "", "calls": [each]} for each in (*commands, *writes)]
    with Wire(tmp_path, script(tmp_path, turns(*made, "Done.")), inside=ConnectionLimits()) as wire:
        asked: list[dict[str, Any]] = []

        def looked(params: dict[str, Any]) -> dict[str, str]:
            asked.append(params)
            return {"outcome": "selected", "optionId": "looked"}

        (wire.workspace / "build.sh").write_text("echo evil > gradlew")
        wire.answers["agent/requestPermission"] = looked
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        wire.run(wire.session(options={"mode": "allowAll"}))
        assert [option["optionId"] for option in asked[0]["options"]] == ["once", "looked", "reject"]
        assert "gradlew" in asked[0]["reason"]
        assert len(asked) == 1
        assert [(wire.workspace / f"{n}.txt").exists() for n in range(3)] == [True] * 3


def test_change_that_the_user_was_asked_about_is_no_surprise(tmp_path: Path) -> None:
    calls = [{"name": "shell", "arguments": {"command": "git config core.editor vi"}}]
    written = {"text": "", "calls": [{"name": "write_file", "arguments": {"path": "a.txt", "content": "x"}}]}
    with Wire(
        tmp_path,
        script(tmp_path, turns({"text": "", "calls": calls}, written, "Done.")),
        inside=ConnectionLimits(),
    ) as wire:
        asked: list[str] = []

        def once(params: dict[str, Any]) -> dict[str, str]:
            asked.append(params["title"])
            return {"outcome": "selected", "optionId": "once"}

        (wire.workspace / ".git/objects").mkdir(parents=True)
        (wire.workspace / ".git/refs").mkdir()
        (wire.workspace / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (wire.workspace / ".git/config").write_text("")
        wire.answers["agent/requestPermission"] = once
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        wire.run(wire.session(options={"mode": "allowAll"}))
        assert asked == ["Run git config core.editor vi"]
        assert "editor" in (wire.workspace / ".git/config").read_text()
