"""What the sandbox stopped may run outside of it, once: the question is the same button in every door."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from doors.headless.test_terminal import FakeTerminal
from support.patience import PATIENCE
from support.sandboxes import needs_bubblewrap
from support.wire import AGENT, Message, Wire, script, turns

pytestmark = [pytest.mark.promise("P5"), needs_bubblewrap]
MADE = ".git/made"
TOUCH: Message = {"text": "I touch.", "calls": [{"name": "shell", "arguments": {"command": "sh touch.sh"}}]}
BUTTON = "Run outside the sandbox, once"
SERVE = ["env", "AGLS_SANDBOX=", sys.executable, "-m", "agls", "serve", "--stdio"]
MESSAGES = {"window": {"showMessage": {"messageActionItem": {}}}}


@pytest.fixture
def agls(tmp_path: Path) -> Iterator[Agls]:
    program = Agls(tmp_path)
    yield program
    program.end()


def furnish(workspace: Path) -> None:
    """A repository, and a script that changes something in its `.git`."""
    subprocess.run(["git", "init", "-q", str(workspace)], check=True)
    (workspace / "touch.sh").write_text(f"touch {MADE}\n")


def allow_all(config: Path) -> None:
    text = config.read_text()
    config.write_text(f'{text}\n[permissions]\nmode = "allowAll"\n')


def pressing(seen: list[Message], name: str, button: str) -> Callable[[Message], Any]:
    def press(params: Message) -> Any:
        seen.append(params)
        return next(each for each in params[name] if button in each.values())

    return press


@pytest.mark.parametrize(("button", "runs"), [(BUTTON, True), ("Reject", False)])
def test_client_of_the_agent_protocol_has_the_button(tmp_path: Path, button: str, runs: bool) -> None:
    seen: list[Message] = []
    press = pressing(seen, "options", button)
    config = script(tmp_path, turns(TOUCH, "Done."))
    allow_all(config)
    with Wire(tmp_path, config, SERVE) as wire:
        furnish(wire.workspace)
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        wire.answers["agent/requestPermission"] = lambda params: {
            "outcome": "selected",
            "optionId": press(params)["optionId"],
        }
        assert wire.run(wire.session())["stopReason"] == "endTurn"
        assert (wire.workspace / MADE).exists() is runs
    assert [option["label"] for option in seen[0]["options"]] == [BUTTON, "Reject"]
    assert "which kept it from something" in seen[0]["reason"]


@pytest.mark.promise("P9")
def test_question_about_a_command_outside_names_what_it_can_change(tmp_path: Path) -> None:
    seen: list[Message] = []
    with Wire(tmp_path, script(tmp_path, turns(TOUCH, "Done.")), SERVE) as wire:
        furnish(wire.workspace)
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        wire.answers["agent/requestPermission"] = lambda params: {
            "outcome": "selected",
            "optionId": pressing(seen, "options", "Reject")(params)["optionId"],
        }
        wire.run(wire.session())
        assert not (wire.workspace / MADE).exists()
    assert "outside of the sandbox: it can change files that other programs run or obey" in seen[0]["reason"]


@pytest.mark.parametrize("change", ["its file", "its folder"])
def test_what_changed_while_the_user_was_asked_is_not_run_outside(tmp_path: Path, change: str) -> None:
    config = script(
        tmp_path,
        turns(
            {**TOUCH, "calls": [{"name": "shell", "arguments": {"command": "cd sub && sh touch.sh"}}]},
            "Done.",
        ),
    )
    allow_all(config)
    with Wire(tmp_path, config, SERVE) as wire:
        furnish(wire.workspace)
        sub, made = wire.workspace / "sub", tmp_path / "made"
        for folder, text in ((sub, "touch ../.git/made"), (tmp_path / "evil", f"touch {made}")):
            folder.mkdir()
            (folder / "touch.sh").write_text(f"{text}\n")

        def change_and_allow(params: Message) -> Message:
            if change == "its file":
                (sub / "touch.sh").write_text(f"touch {made}\n")
            else:
                sub.rename(wire.workspace / "old")
                sub.symlink_to(tmp_path / "evil")
            return {"outcome": "selected", "optionId": params["options"][0]["optionId"]}

        wire.initialize(AGENT, initializationOptions={"trusted": True})
        wire.answers["agent/requestPermission"] = change_and_allow
        assert wire.run(wire.session())["stopReason"] == "endTurn"
        assert not made.exists()
        assert not (wire.workspace / MADE).exists()


def test_plain_lsp_client_has_the_button(tmp_path: Path) -> None:
    seen: list[Message] = []
    config = script(tmp_path, turns(TOUCH, "Done."))
    allow_all(config)
    with Wire(tmp_path, config, SERVE) as wire:
        furnish(wire.workspace)
        wire.initialize({}, capabilities=MESSAGES, initializationOptions={"trusted": True})
        wire.answers["window/showMessageRequest"] = pressing(seen, "actions", BUTTON)
        wire.call("workspace/executeCommand", {"command": "agls.run", "arguments": ["go"]})
        wire.until(lambda m: m.get("method") == "window/showMessage")
        assert (wire.workspace / MADE).exists()
    assert len(seen) == 1


def test_terminal_has_the_button(agls: Agls) -> None:
    furnish(agls.workspace)
    agls.environment["AGLS_SANDBOX"] = ""
    agls.script(TOUCH, {"text": "Done."})
    agls.configure(f'{SCRIPTED}\n[permissions]\nmode = "allowAll"\n')
    terminal = FakeTerminal()
    ends = {"stdin": terminal.theirs, "stdout": terminal.theirs, "stderr": terminal.theirs}
    process = agls.start("run", "go", **ends)
    terminal.wait_for("n): ")
    assert BUTTON in terminal.screen
    assert "which kept it from something" in terminal.screen
    terminal.type("y\n")
    assert process.wait(PATIENCE) == 0
    assert (agls.workspace / MADE).exists()


def test_terminal_offers_commands_in_the_sandbox_beside_the_rule_for_the_session(agls: Agls) -> None:
    agls.environment["AGLS_SANDBOX"] = ""
    commands = ("touch one", "touch two; printenv AGLS_IN_SANDBOX > three")
    agls.script(*({"calls": [{"name": "shell", "arguments": {"command": each}}]} for each in commands), {})
    terminal = FakeTerminal()
    ends = {"stdin": terminal.theirs, "stdout": terminal.theirs, "stderr": terminal.theirs}
    process = agls.start("run", "go", **ends)
    terminal.wait_for("Your answer (y, s, p, a, n): ")
    assert "[s] Allow for this session (shell(touch one))" in terminal.screen
    assert "[a] Allow commands in the sandbox for this session" in terminal.screen
    terminal.type("a\n")
    process.wait(PATIENCE)
    assert terminal.rest().count("Your answer") == 1
    assert (agls.workspace / "one").exists()
    assert (agls.workspace / "two").exists()


def test_advice_after_a_refused_command_is_a_rule_that_the_configuration_takes(agls: Agls) -> None:
    """The answer about the sandbox is none: a file cannot have it."""
    agls.environment["AGLS_SANDBOX"] = ""
    for command, advice in (("touch one", 'allow = ["shell(touch one)"]'), ("touch $(echo a)", "each time")):
        agls.script({"calls": [{"name": "shell", "arguments": {"command": command}}]}, {"text": "Done."})
        done = agls.run("run", "go")
        assert advice in done.err
        assert "commands in the sandbox" not in done.err


def test_program_that_the_user_named_runs_outside_without_a_question(agls: Agls) -> None:
    """Each program of the command is named, or known to only read; another one sends it inside."""
    furnish(agls.workspace)
    git = ["git", "-C", str(agls.workspace)]
    for name in ("name", "email"):
        subprocess.run([*git, "config", f"user.{name}", "a"], check=True)
    agls.environment["AGLS_SANDBOX"] = ""
    agls.configure(f'{SCRIPTED}\n[permissions]\nmode = "allowAll"\n[sandbox]\noutside = ["git commit *"]\n')
    said: list[str] = []
    for rest in ("one && ls", "two && sh touch.sh", "$(ls | head -1)"):
        call = {"name": "shell", "arguments": {"command": f"git commit -q --allow-empty -m {rest}"}}
        agls.script({"calls": [call]}, {"text": "Done."})
        done = agls.run("run", "go")
        said.append(done.out + done.err)
    made = subprocess.run([*git, "log", "--format=%s"], capture_output=True, text=True, check=True)
    assert made.stdout.split() == ["one"], said
