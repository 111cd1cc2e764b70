"""Helix with the recipe of docs/any-editor.md: a task, a question, an edit, its undoing, a cancel."""

import time

import pytest

from support.patience import wait_until

from .conftest import CODE, recipe
from .terminal import Terminal

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]
OFFERED = ("agls: ", "Ask agls", "Give this selection", "Keep this change", "Undo this change")
MENU = 1.0  # seconds until the menu is asked for again


def start(terminal: Terminal) -> None:
    """Helix as its user has it, at the file."""
    place = terminal.folder / ".config" / "helix"
    place.mkdir(parents=True)
    (place / "languages.toml").write_text(recipe("Helix").replace('"pylsp", ', ""))
    terminal.start(str(terminal.programs / "hx"), "code.py")
    terminal.shows("line_20 = 20")


def menu(terminal: Terminal) -> list[str]:
    """The code actions on the screen, in their order; the first is selected."""
    return [row for row in terminal.screen().splitlines() if any(title in row for title in OFFERED)]


def close_menus(terminal: Terminal) -> None:
    """Leave the menu; there are two where one was asked for again before it came.

    Where there is none nothing is pressed: Helix takes an Escape and the next key together for Alt with it.
    """
    while menu(terminal):
        terminal.keys("Escape")
        time.sleep(0.3)


def choose(terminal: Terminal, title: str) -> None:
    """Take a code action. The menu is opened anew until it has it: the server may not have got so far."""

    def offered() -> bool:
        close_menus(terminal)
        terminal.keys("Space", "a")
        until = time.monotonic() + MENU
        while not menu(terminal) and time.monotonic() < until:
            time.sleep(0.05)
        return any(title in row for row in menu(terminal))

    wait_until(offered)
    place = next(number for number, row in enumerate(menu(terminal)) if title in row)
    terminal.keys(*["Down"] * place, "Enter")


def give(terminal: Terminal, task: str) -> None:
    """Write a task at the end of the file, select its line, and give it."""
    terminal.keys("g", "e", "o")
    terminal.type(task)
    terminal.keys("Escape")
    terminal.shows(" NOR ")
    terminal.keys("x")
    choose(terminal, "Give this selection to agls as a task")


def test_a_task_a_question_an_edit_its_undoing_and_a_cancel(terminal: Terminal) -> None:
    start(terminal)
    give(terminal, "# make line 5 larger")
    choose(terminal, "agls: Allow once: Edit code.py")
    terminal.shows("agls: done")
    terminal.shows("line_5 = 55")
    assert (terminal.workspace / "code.py").read_text() == CODE, "the edit is in the buffer"

    terminal.keys("5", "G")
    choose(terminal, "Undo this change")
    terminal.hides("line_5 = 55")
    terminal.type(":write")
    terminal.keys("Enter")
    terminal.shows("'code.py' written")  # by a file that takes its place
    assert (terminal.workspace / "code.py").read_text() == f"{CODE}# make line 5 larger\n"

    give(terminal, "# and now hang")
    terminal.type(":lsp-workspace-command agls.cancel")
    terminal.keys("Enter")
    terminal.shows("agls: cancelled")
