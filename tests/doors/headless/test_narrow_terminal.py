"""On a narrow terminal no word is cut at the edge, and a command to copy stays in one piece."""

import fcntl
import struct
import subprocess
import termios

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_chat import SEQUENCE
from doors.headless.test_terminal import FakeTerminal, terminal
from support.patience import PATIENCE

__all__ = ["terminal"]

COLUMNS = 40
TOUCH = {"name": "shell", "arguments": {"command": "touch x"}}


def cut_words(shown: str) -> list[str]:
    """Return the lines that the terminal breaks inside of a word, though that word would fit into a row."""
    lines = [line.rpartition("\r")[2] for line in SEQUENCE.sub("", shown).replace("\r\n", "\n").split("\n")]
    return [line for line in lines if any(_is_cut(line, at) for at in range(COLUMNS, len(line), COLUMNS))]


def _is_cut(line: str, at: int) -> bool:
    word = line[:at].rpartition(" ")[2] + line[at:].partition(" ")[0]
    return line[at - 1] != " " and line[at] != " " and len(word) < COLUMNS - 2


@pytest.fixture
def narrow(terminal: FakeTerminal) -> FakeTerminal:
    fcntl.ioctl(terminal.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, COLUMNS, 0, 0))
    return terminal


def start(agls: Agls, at: FakeTerminal, *arguments: str) -> subprocess.Popen[str]:
    agls.environment["COLUMNS"] = ""  # the terminal says how wide it is
    return agls.start("run", *arguments, stdin=at.theirs, stdout=at.theirs, stderr=at.theirs)


def test_question_and_refusal_are_wrapped_between_words(agls: Agls, narrow: FakeTerminal) -> None:
    agls.script({"calls": [TOUCH]}, {"text": "Then I leave it."})
    process = start(agls, narrow, "touch it")
    narrow.wait_for("Your answer")
    assert "[n] Reject" in narrow.screen
    narrow.type("n\n")
    assert process.wait(PATIENCE) == 0
    shown = narrow.rest()
    assert "(the user said no.)" in shown
    assert cut_words(shown) == []


def test_command_to_go_on_with_is_in_one_piece(agls: Agls, narrow: FakeTerminal) -> None:
    agls.script({"text": "No.", "finish": "refusal"})
    assert start(agls, narrow, "go").wait(PATIENCE) == 5
    assert "Go on with:\r\nagls resume ses_" in narrow.rest()


def test_refusal_on_a_terminal_that_cannot_redraw_is_wrapped_between_words(
    agls: Agls, narrow: FakeTerminal
) -> None:
    agls.environment["TERM"] = "dumb"
    assert start(agls, narrow, "/nosuch").wait(PATIENCE) == 2
    assert "//nosuch" in (shown := narrow.rest())
    assert cut_words(shown) == []


@pytest.mark.parametrize("arguments", [["/nosuch"], ["go", "--max-turns", "0"], ["go", "--outptu", "x"]])
def test_mistake_is_wrapped_between_words(agls: Agls, narrow: FakeTerminal, arguments: list[str]) -> None:
    assert start(agls, narrow, *arguments).wait(PATIENCE) == 2
    assert cut_words(narrow.rest()) == []
