"""Each command answers the same in every door: one table, `slash_commands.toml`."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from support.wire import Wire, script, turns

TABLE: list[dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("slash_commands.toml").read_text(encoding="utf-8")
)["case"]
pytestmark = [pytest.mark.row(82), pytest.mark.timeout(600)]


def compare(answer: Callable[[str], tuple[bool, str]], workspace: Path) -> None:
    """Type each text and compare what comes back; all that differ are told at once."""
    wrong: list[str] = []
    for case in TABLE:
        refused, text = answer(case["text"])
        text = re.sub(r"\bses_\w+", "SESSION", re.sub(r"\brewind_\w+", "REWIND", text))
        text = text.replace(str(workspace.parent / "other"), "OTHER").replace(str(workspace), "FOLDER")
        told = case.get("has", [case[name] for name in ("refused", "answer") if name in case])
        fits = text == case["answer"] if "answer" in case else all(part in text for part in told)
        if not fits or refused is not ("refused" in case):
            wrong.append(f"{case['text']}: {text!r}")
    assert not wrong, "\n".join(wrong)


def test_commands_typed_into_agent_run_answer_without_a_model(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("Hello."))) as wire:
        wire.initialize()
        (wire.workspace.parent / "other").mkdir()
        session = wire.session(title="Hello there")
        asked = {"sessionId": session, "expand": True, "wait": True}
        wire.call("agent/run", {**asked, "input": "Say hello."})

        def answer(text: str) -> tuple[bool, str]:
            response = wire.ask("agent/run", {**asked, "input": text})
            if "error" in response:
                return True, response["error"]["message"]
            assert response["result"]["runId"] == "", "no run is begun"
            return False, response["result"]["action"]["output"][0]["text"]

        compare(answer, wire.workspace)
        assert (wire.workspace / "talk.md").read_text().startswith("# Hello there, world")


def test_commands_of_an_editor_that_knows_only_lsp_answer_without_a_model(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("Hello."))) as wire:
        wire.initialize({}, capabilities={})
        (wire.workspace.parent / "other").mkdir()
        session = wire.session(title="Hello there")
        wire.call("agent/run", {"sessionId": session, "input": "Say hello.", "wait": True})

        def answer(text: str) -> tuple[bool, str]:
            given = {"command": "agls.run", "arguments": [{"sessionId": session, "input": text}]}
            before = len(wire.of_method("window/showMessage"))
            response = wire.ask("workspace/executeCommand", given)
            if "error" in response:
                return True, response["error"]["message"]
            (told, *_) = response["result"]["action"]["output"]
            wire.until(lambda _: len(wire.of_method("window/showMessage")) > before)
            return False, told["text"]

        compare(answer, wire.workspace)


@pytest.mark.slow  # a process for each command, whose answers the test of `agls run` sees already
def test_commands_given_to_agls_resume_answer_without_a_model(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    agls.configure(SCRIPTED.replace('= "scripted"\n[', '= "play"\n[').replace(".scripted]", ".play]"))
    (agls.workspace.parent / "other").mkdir()
    agls.script({"text": "Hello."})
    begun = agls.run("run", "--output", "json", "--title", "Hello there", "Say hello.")
    assert begun.code == 0

    def answer(text: str) -> tuple[bool, str]:
        done = agls.run("resume", begun.whole["sessionId"], text)
        assert done.code in {0, 1, 2}
        return bool(done.code), done.err.removeprefix("agls: ") if done.code else done.out.removesuffix("\n")

    compare(answer, agls.workspace)
