"""What the end of a process left open is named when its session goes on."""

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_terminal import FakeTerminal, begin, terminal
from support.patience import PATIENCE, wait_until

__all__ = ["terminal"]  # a fixture
pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine


def test_question_that_was_open_when_the_process_was_killed_is_named(
    agls: Agls, terminal: FakeTerminal
) -> None:
    command = {"name": "shell", "arguments": {"command": "touch b.txt"}}
    agls.script({"calls": [command]}, {"text": "Then not."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    process.kill()
    process.wait(PATIENCE)
    done = agls.run("resume")
    assert "Then not." in done.out
    assert "Not answered: Run touch b.txt." in done.err
    assert "Outcome unknown" not in done.err
    assert "Not answered" not in agls.run("resume", "once more").err


def test_question_that_was_answered_is_not_named_after_a_kill(agls: Agls, terminal: FakeTerminal) -> None:
    command = {"name": "shell", "arguments": {"command": "touch begun; sleep 60"}}
    agls.script({"calls": [command]}, {"text": "Then not."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("y\n")
    wait_until((agls.workspace / "begun").exists)
    process.kill()
    process.wait(PATIENCE)
    errors = agls.run("resume").err
    assert "Outcome unknown: shell" in errors
    assert "Not answered" not in errors
