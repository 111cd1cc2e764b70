"""Emacs with the recipes of docs/any-editor.md: a task, a question, an edit, its undoing, a cancel."""

from typing import NamedTuple

import pytest

from .conftest import CODE, recipe
from .terminal import Terminal

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]
# What an installed package has beside the recipe: its autoloads. And there is no compiler here.
OWN = """
(setq native-comp-jit-compilation nil native-comp-enable-subr-trampolines nil)
(require 'lsp-mode-autoloads)
"""


class Way(NamedTuple):
    """A client of Emacs."""

    heading: str  # of its part of docs/any-editor.md
    ready: str  # shown when the server is
    actions: str  # its command for code actions


WAYS = (
    Way("Emacs (Eglot)", "[eglot:workspace]", "eglot-code-actions"),
    Way("Emacs (lsp-mode)", "LSP[agls:", "lsp-execute-code-action"),
)


def start(terminal: Terminal, way: Way) -> None:
    """Emacs as its user has it, at the file."""
    init = terminal.folder / "init.el"
    init.write_text(OWN + recipe(way.heading))
    terminal.start(str(terminal.programs / "emacs"), "-nw", "-Q", "-l", str(init), "code.py")
    if "lsp-mode" in way.heading:
        terminal.shows("Import project root")
        terminal.type("i")
    terminal.shows("line_20 = 20")
    terminal.shows(way.ready)


def command(terminal: Terminal, name: str, prompt: str, answer: str) -> None:
    """Give a command by its name, and answer what it asks for."""
    terminal.keys("M-x")
    terminal.shows("M-x")
    terminal.type(name)
    terminal.keys("Enter")
    terminal.shows(prompt)
    terminal.type(answer)


def told(terminal: Terminal, text: str) -> None:
    """Wait for a message: in their buffer, for the next one takes its place in the echo area."""
    terminal.keys("C-h", "e")
    terminal.shows(text)
    terminal.keys("C-x", "1")


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.heading)
def test_a_task_a_question_an_edit_its_undoing_and_a_cancel(terminal: Terminal, way: Way) -> None:
    start(terminal, way)
    command(terminal, "agls", "agls:", "make line 5 larger")
    terminal.keys("Enter")
    terminal.shows("+line_5 = 55")

    command(terminal, way.actions, "action", "agls: Allow once")
    terminal.keys("Tab", "Enter")
    terminal.shows_line("line_5 = 55")
    told(terminal, "agls: done")
    assert (terminal.workspace / "code.py").read_text() == CODE, "the edit is in the buffer"

    terminal.keys("M-g", "g")
    terminal.shows("Goto line")
    terminal.type("5")
    terminal.keys("Enter")
    command(terminal, way.actions, "action", "Undo")
    terminal.keys("Tab", "Enter")
    terminal.hides("line_5 = 55")
    terminal.keys("C-x", "C-s")
    terminal.shows("Wrote ")
    assert (terminal.workspace / "code.py").read_text() == CODE

    command(terminal, "agls", "agls:", "hang")
    terminal.keys("Enter")
    command(terminal, "agls-cancel", "", "")
    told(terminal, "agls: cancelled")
