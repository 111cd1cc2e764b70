"""`allowed-tools` of a command file: permission questions and the consent show it, and it allows nothing."""

from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from agls.prompt_files.command_file import find_files
from agls.prompt_files.command_places import OURS, CommandFolder
from doors.headless.conftest import SCRIPTED, Agls
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.row(82), pytest.mark.promise("P2"), pytest.mark.timeout(300)]
RUN = {"text": "", "calls": [{"name": "shell", "arguments": {"command": "touch made"}}]}
FIX = "---\nallowed-tools: Bash(touch:*), Edit\n---\nFix it.{}\n"


@pytest.mark.parametrize("trusted", [True, False], ids=["project", "user"])
def test_question_of_the_run_shows_what_the_file_suggests_and_a_no_runs_nothing(
    tmp_path: Path, trusted: bool
) -> None:
    """The user's own file, in a folder that nobody trusts, allows as little."""
    asked: list[dict[str, Any]] = []

    def refuse(params: dict[str, Any]) -> Any:
        asked.append(params)
        return {"outcome": "selected", "optionId": "reject"}

    played = script(tmp_path, turns(RUN, "Done."), turns(RUN, "Done."))
    with Wire(tmp_path, played, inside=ConnectionLimits()) as wire:
        folder = wire.workspace / ".agls/commands" if trusted else tmp_path / "commands"
        folder.mkdir(parents=True)
        (folder / "fix.md").write_text(FIX.format(""))
        wire.initialize(AGENT, initializationOptions={"trusted": trusted})
        wire.answers["agent/requestPermission"] = refuse
        session = wire.session()
        for text in ("/fix", "And again."):
            wire.call("agent/run", {"input": text, "expand": True, "wait": True, "sessionId": session})
    assert len(asked) == 2
    assert "/fix (" in asked[0]["reason"]
    assert "suggests to allow without a question: Bash(touch:*), Edit." in asked[0]["reason"]
    assert "suggests" not in asked[1]["reason"], "another prompt is no command"
    assert not (wire.workspace / "made").exists()


def test_consent_for_lines_shows_the_tools_and_is_asked_again_when_they_change(tmp_path: Path) -> None:
    asked: list[dict[str, Any]] = []

    def allow(params: dict[str, Any]) -> Any:
        asked.append(params)
        return {"outcome": "selected", "optionId": "always"}

    with Wire(tmp_path, script(tmp_path, *[turns("Done.")] * 3), inside=ConnectionLimits()) as wire:
        file = wire.workspace / ".agls/commands/fix.md"
        file.parent.mkdir(parents=True)
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        wire.answers["agent/requestPermission"] = allow
        session = wire.session()
        for text in (FIX, FIX, FIX.replace("Edit", "Edit, Bash")):
            file.write_text(text.format(" !`echo one`"))
            wire.call("agent/run", {"input": "/fix", "expand": True, "wait": True, "sessionId": session})
    assert len(asked) == 2
    assert "Bash(touch:*)" in asked[0]["shown"]["text"]
    assert '+  "Bash"' in str(asked[1]["subject"]["input"]["changed"])


def test_client_cannot_bring_suggestions_of_its_own(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("Done.")), inside=ConnectionLimits()) as wire:
        wire.initialize(AGENT)
        given = {"input": "Hello.", "options": {"suggestedTools": {"by": "agls", "tools": ["Bash"]}}}
        assert "error" in wire.ask("agent/run", {**given, "sessionId": wire.session()})


def test_tools_are_read_with_commas_blanks_or_as_a_list() -> None:
    class Reader:
        def below(self, folder: str, ends: tuple[str, ...]) -> list[str]:
            return [f"{folder}/{name}.md" for name in texts]

        def text(self, path: str) -> tuple[str, str, str]:
            return path, path, texts[Path(path).stem]

        def shown(self, path: str) -> str:
            return path

    texts = {
        "commas": "---\nallowed-tools: Bash(git add:*, git diff:*), Read\n---\nx",
        "blanks": "---\nallowed-tools: Bash(git add:*, git diff:*) Read\n---\nx",
        "list": '---\nallowed-tools: ["Bash(git add:*, git diff:*)", Read]\n---\nx',
        "nothing": "---\nallowed-tools:\n---\nx",
    }
    found = find_files([CommandFolder("/x", "project", OURS)], Reader())  # type: ignore[arg-type]
    both = ["Bash(git add:*, git diff:*)", "Read"]
    wishes = {file.name: list(file.wishes) for file in found}
    assert wishes == {"commas": both, "blanks": both, "list": both, "nothing": []}


def test_command_line_without_a_person_runs_nothing_unasked(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    agls.configure(SCRIPTED)
    agls.script(RUN, {"text": "Done."})
    (agls.workspace / ".agls/commands").mkdir(parents=True)
    (agls.workspace / ".agls/commands/fix.md").write_text(FIX.format(""))
    assert agls.run("run", "--trust", "/fix").code == 3, "a question that nobody answered"
    assert not (agls.workspace / "made").exists()
