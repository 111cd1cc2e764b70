"""`!` lines of command files: they run through the gate, those of a project only after consent."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from doors.headless.conftest import Agls
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.promise("P2"), pytest.mark.timeout(300)]
Asked = list[dict[str, Any]]


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    """A client of a server in memory, whose folder is trusted."""
    played = script(tmp_path, *[turns("Done.")] * 20)
    with Wire(tmp_path, played, inside=ConnectionLimits()) as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        (wire.workspace / ".agls/commands").mkdir(parents=True)
        yield wire


def write(wire: Wire, text: str) -> None:
    """Write the command `/look` of the project."""
    (wire.workspace / ".agls/commands/look.md").write_text(text)


def answering(wire: Wire, *options: str) -> Asked:
    """Answer questions so, the last answer again and again. **Returns** what is asked."""
    asked: Asked = []

    def answer(params: dict[str, Any]) -> Any:
        asked.append(params)
        chosen = options[min(len(asked), len(options)) - 1]
        return {"outcome": "selected", "optionId": chosen}

    wire.answers["agent/requestPermission"] = answer
    return asked


def typed(wire: Wire, text: str = "/look", session: str = "") -> str:
    """Give the command, and wait for the end of its run. **Returns** what the model got of its lines."""
    session = session or wire.session()
    result = wire.ask("agent/run", {"input": text, "expand": True, "wait": True, "sessionId": session})
    assert result["result"]["stopReason"] == "endTurn", result
    page = wire.call("agent/events", {"sessionId": session})["events"]
    items = [event["data"]["item"] for event in page if event["type"] == "itemCompleted"]
    return [
        item["text"] for item in items if item["kind"] == "notice" and item["title"] == "Commands in files"
    ][-1]


def test_lines_of_a_project_run_after_consent_and_unasked_from_then_on(wire: Wire) -> None:
    write(wire, "State: !`echo one > made; cat made`")
    asked = answering(wire, "always")
    assert ">\none\n" in typed(wire)
    assert [each["title"] for each in asked] == ["Use the command /look"], "the consent is for exactly this"
    assert "echo one > made" in asked[0]["shown"]["text"]
    assert ".agls/commands/look.md" in asked[0]["reason"]
    (wire.workspace / "made").unlink()
    typed(wire)
    assert len(asked) == 1
    assert (wire.workspace / "made").exists()


def test_lines_of_a_project_that_are_refused_run_nothing(wire: Wire) -> None:
    write(wire, "State: !`touch made`")
    asked = answering(wire, "reject")
    assert "nobody consented to it" in typed(wire)
    assert "nobody consented to it" in typed(wire)
    assert (len(asked), (wire.workspace / "made").exists()) == (2, False)


def test_changed_definition_is_asked_about_with_what_changed(wire: Wire) -> None:
    write(wire, "State: !`echo one`")
    asked = answering(wire, "always", "reject")
    typed(wire)
    write(wire, "State: !`echo one; touch made`")
    assert "nobody consented" in typed(wire)
    assert '+  "echo one; touch made"' in str(asked[1]["subject"]["input"]["changed"])
    assert "changed since you consented" in asked[1]["reason"]
    assert not (wire.workspace / "made").exists()


def test_changed_script_that_a_line_names_is_asked_about_with_what_changed(wire: Wire) -> None:
    tool = wire.workspace / "tool.sh"
    tool.write_text("echo fine\n")
    write(wire, "State: !`sh ./tool.sh`")
    asked = answering(wire, "always", "reject")
    assert "fine" in typed(wire)
    tool.write_text("touch made\n")
    typed(wire)
    assert "+touch made" in str(asked[1]["subject"]["input"]["changed"])
    assert not (wire.workspace / "made").exists()


@pytest.mark.parametrize("swapped", ["tool.sh", ".agls/commands/look.md"])
def test_file_that_is_swapped_between_the_question_and_the_yes_does_not_run(wire: Wire, swapped: str) -> None:
    tool = wire.workspace / "tool.sh"
    tool.write_text("echo fine\n")
    write(wire, "State: !`sh ./tool.sh`")
    asked: Asked = []

    def swap(params: dict[str, Any]) -> Any:
        asked.append(params)
        if len(asked) == 1:
            text = "touch made\n" if swapped == "tool.sh" else "State: !`touch made`"
            (wire.workspace / swapped).write_text(text)
        return {"outcome": "selected", "optionId": "always" if len(asked) == 1 else "reject"}

    wire.answers["agent/requestPermission"] = swap
    typed(wire)
    assert not (wire.workspace / "made").exists()
    typed(wire)
    assert len(asked) == 2, "the yes was for what it was before"
    assert not (wire.workspace / "made").exists()


LARGE = "# " + "x" * 9_000_000 + "\n"
OUTSIDE = "{outside}/tool.sh"


@pytest.mark.parametrize(
    ("line", "file", "text"),
    [
        ("cd tools && sh ./c.sh", "tools/c.sh", ""),
        ("sh 'my tool.sh'", "my tool.sh", ""),
        ("sh my\\ tool.sh", "my tool.sh", ""),
        ("bash -c 'cd tools; ./c.sh'", "tools/c.sh", ""),
        ("python3 hk", "hk/__main__.py", ""),
        ("python3 hk", "hk/part/other.py", ""),
        ("python3 -m mod", "mod.py", ""),
        ("python3 -m pkg.sub", "pkg/sub.py", ""),
        ("python3 .", "__main__.py", ""),
        ("make -s", "Makefile", ""),
        ("make -C sub", "sub/Makefile", ""),
        ("cd sub && npm run lint", "package.json", "{}"),
        ("for each in checks/*.sh; do sh $each; done", "checks/a.sh", ""),
        (f"true {' '.join(f'w{n}' for n in range(200))}; sh last.sh", "last.sh", ""),
        ("sh large.sh", "large.sh", LARGE),
        ("sh first.sh", "second.sh", ""),
        (f"sh {OUTSIDE}", OUTSIDE, ""),
    ],
)
def test_change_of_what_a_line_runs_or_obeys_is_asked_about(
    wire: Wire, tmp_path: Path, line: str, file: str, text: str
) -> None:
    (wire.workspace / "first.sh").write_text('cd "$(dirname "$0")"\n. ./second.sh\n')
    (tmp_path / "outside").mkdir()
    changing = wire.workspace / file.format(outside=tmp_path / "outside")
    changing.parent.mkdir(parents=True, exist_ok=True)
    (wire.workspace / "sub").mkdir(exist_ok=True)
    changing.write_text(text)
    write(wire, f"State: !`{line.format(outside=tmp_path / 'outside')}`")
    asked = answering(wire, "always")
    typed(wire)
    typed(wire)
    assert [each["title"] for each in asked] == ["Use the command /look"]
    changing.write_text(f"{text[:-1]}!")  # a large file stays as large as it was
    typed(wire)
    assert len(asked) == 2
    assert "changed since you consented" in asked[1]["reason"]


@pytest.mark.parametrize(
    ("line", "file"),
    [("ls src", "src/a.py"), ("cat a.txt > log.txt", "log.txt"), ("python3 .", "src/a.py"), ("true", "a.py")],
)
def test_change_of_what_a_line_only_lists_or_writes_is_not_asked_about(
    wire: Wire, line: str, file: str
) -> None:
    (wire.workspace / "src").mkdir()
    write(wire, f"State: !`{line}`")
    asked = answering(wire, "always")
    typed(wire)
    (wire.workspace / file).write_text("changed = 1\n")
    typed(wire)
    assert [each["title"] for each in asked] == ["Use the command /look"]


def test_line_that_names_more_files_than_can_be_compared_is_not_used(wire: Wire) -> None:
    (wire.workspace / "many").mkdir()
    for number in range(2_001):
        (wire.workspace / f"many/{number}.py").write_text("")
    write(wire, "State: !`python3 many`")
    asked = answering(wire, "always")
    assert "nobody consented to it" in typed(wire)
    assert asked == []
    notices = [event["data"] for event in wire.events if event["type"] == "notice"]
    assert any("more than can be compared" in str(each) for each in notices), notices


def test_content_of_a_file_with_keys_is_neither_kept_nor_shown(wire: Wire, tmp_path: Path) -> None:
    (wire.workspace / ".env").write_text("KEY=canary-4711\n")
    write(wire, "State: !`test -s .env`")
    asked = answering(wire, "always", "reject")
    typed(wire)
    (wire.workspace / ".env").write_text("KEY=canary-4712\n")
    typed(wire)
    assert "is not shown" in str(asked[1]["subject"]["input"]["changed"])
    assert "canary" not in json.dumps(asked)
    for file in (tmp_path / "state").rglob("*"):
        assert not file.is_file() or b"canary-471" not in file.read_bytes(), file


def test_consent_for_once_is_not_kept(wire: Wire) -> None:
    write(wire, "State: !`echo one`")
    asked = answering(wire, "once")
    typed(wire)
    typed(wire)
    assert len(asked) == 2


def test_line_with_words_of_the_prompt_is_asked_about_like_any_command(wire: Wire) -> None:
    write(wire, "State: !`touch $1`")
    asked = answering(wire, "always", "reject")
    assert "the user said no" in typed(wire, "/look made")
    assert [each["title"] for each in asked] == ["Use the command /look", "Run touch made"]
    assert not (wire.workspace / "made").exists()


def test_deny_rule_and_protected_name_hold_for_consented_lines(tmp_path: Path) -> None:
    played = script(tmp_path, turns("Done."), turns("Done."))
    with Wire(tmp_path, played, inside=ConnectionLimits()) as wire:
        config = tmp_path / "config.toml"
        config.write_text(f'{config.read_text()}[permissions]\ndeny = ["shell(touch *)"]\n')
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        (wire.workspace / ".agls/commands").mkdir(parents=True)
        write(wire, "State: !`touch made` !`echo x > .envrc`")
        asked = answering(wire, "always", "reject")
        assert "The rule deny shell(touch *) forbids it" in typed(wire)
        assert ".envrc" in asked[1]["reason"]
        assert not (wire.workspace / ".envrc").exists()


def test_plan_mode_holds_for_consented_lines(wire: Wire) -> None:
    write(wire, "State: !`touch made`")
    answering(wire, "always")
    session = wire.session(options={"mode": "plan"})
    assert "plan mode" in typed(wire, session=session)
    assert not (wire.workspace / "made").exists()


def test_lines_of_the_users_own_command_need_no_consent(wire: Wire, tmp_path: Path) -> None:
    (tmp_path / "commands").mkdir()
    (tmp_path / "commands/look.md").write_text("State: !`echo mine > made; cat made`")
    asked = answering(wire, "reject")
    assert "mine" in typed(wire)
    assert asked == []


def test_client_cannot_send_lines(wire: Wire) -> None:
    lines = {"key": "k", "name": "x", "lines": [{"command": "touch made", "isFixed": True}], "isOwn": True}
    given = {"sessionId": wire.session(), "input": "Go.", "options": {"commandLines": lines}}
    assert "no option 'commandLines'" in wire.ask("agent/run", given)["error"]["message"]


def test_consent_is_shown_and_taken_back_by_the_command_and_on_the_command_line(
    wire: Wire, tmp_path: Path
) -> None:
    write(wire, "State: !`sh ./tool.sh`")
    (wire.workspace / "tool.sh").write_text("echo fine\n")
    asked = answering(wire, "always")
    typed(wire)
    session = wire.session()

    def told(text: str) -> str:
        given = {"input": text, "expand": True, "sessionId": session}
        return wire.call("agent/run", given)["action"]["output"][0]["text"]

    (tmp_path / "other").mkdir()
    agls = Agls(tmp_path / "other")
    agls.state, agls.workspace = tmp_path / "state", wire.workspace
    assert "- command /look of " in told("/trust")
    assert "  command /look\n" in agls.run("trust", "--list").out
    shown = agls.run("trust", "--show", "command /look").out
    assert "sh ./tool.sh" in shown
    assert "With the file tool.sh" in shown
    assert "asked again" in told('/trust revoke consent="command /look"')
    typed(wire)
    assert len(asked) == 2
    assert agls.run("trust", "--withdraw", "command /look").code == 0
    assert agls.run("trust", "--withdraw", "command /look").code == 1
    typed(wire)
    assert len(asked) == 3


def test_unattended_run_uses_nothing_without_consent_and_says_so(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    agls.script({"text": "Done."})
    (agls.workspace / ".agls/commands").mkdir(parents=True)
    (agls.workspace / ".agls/commands/look.md").write_text("State: !`echo one > made`")
    agls.run("trust")
    unattended = agls.run("run", "/look")
    assert (unattended.code, unattended.out.strip()) == (0, "Done.")
    assert "You did not consent to them" in unattended.err
    assert not (agls.workspace / "made").exists()


def test_file_of_consents_that_something_else_wrote_counts_for_nothing(wire: Wire, tmp_path: Path) -> None:
    write(wire, "State: !`touch made`")
    answering(wire, "always")
    typed(wire)
    consents = tmp_path / "state/consents.json"
    assert stat.S_IMODE(consents.stat().st_mode) == 0o600
    (wire.workspace / "made").unlink()
    held = json.loads(consents.read_text())
    write(wire, "State: !`touch made; touch more`")
    held["consents"][0][0][3] = "0" * 64
    consents.write_text(json.dumps(held))
    asked = answering(wire, "reject")
    typed(wire)
    assert asked
    assert not (wire.workspace / "more").exists()
