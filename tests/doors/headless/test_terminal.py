"""At a terminal: questions are asked, the answer streams, one line shows the progress."""

import os
import pty
import re
import select
import signal
import time
from collections.abc import Iterator

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply
from support.patience import PATIENCE
from support.terminal_rows import rows_of

WRITE = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}}
WRITE_AGAIN = {"name": "write_file", "arguments": {"path": "a.txt", "content": "two\n"}}
LIST = {"name": "list_dir", "arguments": {}}
LAST = b"[what comes behind everything]"


class FakeTerminal:
    """A terminal with somebody in front of it."""

    def __init__(self) -> None:
        self.ours, self.theirs = pty.openpty()
        self.screen = ""

    def wait_for(self, text: str) -> None:
        """Wait until this is on the screen."""
        end = time.monotonic() + PATIENCE
        while text not in self.screen:
            if not self.read(max(0.0, end - time.monotonic())):
                raise AssertionError(f"{text!r} never came; the screen: {self.screen!r}")

    def type(self, text: str) -> None:
        """Type this."""
        os.write(self.ours, text.encode())

    def rest(self) -> str:
        """Everything that is on the screen when the program has ended."""
        os.write(self.theirs, LAST)
        self.wait_for(LAST.decode())
        return self.screen.removesuffix(LAST.decode())

    def read(self, seconds: float) -> bool:
        """Read what comes within this time. **Returns** whether something came."""
        if not select.select([self.ours], [], [], seconds)[0]:
            return False
        try:
            data = os.read(self.ours, 65_536)
        except OSError:  # nobody is at the other end any more
            return False
        self.screen += data.decode(errors="replace")
        return bool(data)


@pytest.fixture
def terminal() -> Iterator[FakeTerminal]:
    terminal = FakeTerminal()
    yield terminal
    os.close(terminal.ours)
    os.close(terminal.theirs)


def begin(agls: Agls, terminal: FakeTerminal, *arguments: str):
    """Start `agls run` at the terminal."""
    ends = {"stdin": terminal.theirs, "stdout": terminal.theirs, "stderr": terminal.theirs}
    return agls.start("run", "go", *arguments, **ends)


def test_a_question_shows_the_diff_and_yes_lets_it_be_written(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    assert "Create a.txt" in terminal.screen
    assert "+one" in terminal.screen
    assert "[y] Allow once" in terminal.screen
    assert "[s] Allow all edits in this session (edit)" in terminal.screen
    assert "To reject with a reason, type it behind the n, as in: n use the other parser" in terminal.screen
    terminal.type("y\n")
    assert process.wait(PATIENCE) == 0
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    screen = terminal.rest()
    assert "Done." in screen
    assert "1 file changed, +1 -0" in screen
    assert "The user answers what your tools ask" in next(agls.state.glob("sessions/*.jsonl")).read_text()


def test_empty_line_is_answered_with_the_keys_alone(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Well."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("\nq\n")
    terminal.wait_for("'q' is not a possible answer. Type one of: y, s, p, n.")
    assert "'' is not" not in terminal.screen
    terminal.type("n\n")
    assert process.wait(PATIENCE) == 0


@pytest.mark.parametrize(("number", "is_written"), [("1", True), ("4 not that file", False)])
def test_question_is_answered_with_the_number_of_a_choice(
    agls: Agls, terminal: FakeTerminal, number: str, is_written: bool
) -> None:
    """As in other agents; one that is not in the menu is refused."""
    agls.script({"calls": [WRITE]}, {"text": "Well."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("5\n")
    terminal.wait_for("'5' is not a possible answer")
    terminal.type(f"{number}\n")
    assert process.wait(PATIENCE) == 0
    assert (agls.workspace / "a.txt").exists() == is_written


def test_doctor_names_the_running_check_at_a_terminal(agls: Agls, terminal: FakeTerminal) -> None:
    ends = {"stdin": terminal.theirs, "stdout": terminal.theirs, "stderr": terminal.theirs}
    agls.script({"text": "Well."})
    process = agls.start("doctor", "--offline", **ends)
    terminal.wait_for("… checking: model (Ctrl-C stops)\r\x1b[K")
    assert process.wait(PATIENCE) == 0
    assert terminal.rest().rpartition("\x1b[K")[2].startswith("ok    versions")


def test_no_keeps_it_from_being_written_and_the_model_reads_why(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Well."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("n not that file\n")
    assert process.wait(PATIENCE) == 0
    assert not (agls.workspace / "a.txt").exists()
    (journal,) = agls.state.glob("sessions/*.jsonl")
    assert "They said: not that file" in journal.read_text()


def test_a_yes_for_the_session_is_not_asked_for_again(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [WRITE]}, {"calls": [WRITE_AGAIN]}, {"text": "Done."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("s\n")
    assert process.wait(PATIENCE) == 0
    assert (agls.workspace / "a.txt").read_text() == "two\n"
    assert terminal.rest().count("n): ") == 1


def test_yes_to_all_edits_holds_for_other_files_of_the_session_and_for_no_command(
    agls: Agls, terminal: FakeTerminal
) -> None:
    other = {"name": "write_file", "arguments": {"path": "src/b.txt", "content": "two\n"}}
    command = {"name": "shell", "arguments": {"command": "touch c.txt"}}
    agls.script({"calls": [WRITE]}, {"calls": [other]}, {"calls": [command]}, {"text": "Done."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("s\n")
    terminal.wait_for("$ touch c.txt")
    terminal.wait_for("Allow for this project")
    terminal.type("n\n")
    assert process.wait(PATIENCE) == 0
    assert (agls.workspace / "src/b.txt").exists()
    assert not (agls.workspace / "c.txt").exists()


def test_unknown_answer_is_asked_for_again(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [{"name": "shell", "arguments": {"command": "echo hi > b"}}]}, {"text": "Done."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    assert "$ echo hi > b" in terminal.screen
    terminal.type("maybe\n")
    terminal.wait_for("'maybe' is not a possible answer. Type one of: y,")
    terminal.type("yes\n")
    assert process.wait(PATIENCE) == 0
    assert terminal.rest().count("Your answer (") == 2
    assert (agls.workspace / "b").exists()


def test_end_of_a_failed_command_is_shown(agls: Agls, terminal: FakeTerminal) -> None:
    command = {
        "name": "shell",
        "arguments": {"command": "rm -f none.txt; seq 40; echo why it failed; exit 3"},
    }
    agls.script({"calls": [command]}, {"text": "Done."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("y\n")
    assert process.wait(PATIENCE) == 0
    screen = terminal.rest()
    assert re.search(r"(?m)^(\x1b\[2m)?    why it failed(\x1b\[0m)?\r$", screen), repr(screen)
    assert re.search(r"(?m)    40(\x1b\[0m)?\r$", screen)
    assert not re.search(r"(?m)    12(\x1b\[0m)?\r$", screen)
    assert "lines before" in screen


def test_refused_calls_without_a_human_say_what_they_were_and_how_to_allow_them(agls: Agls) -> None:
    command = {"name": "shell", "arguments": {"command": "touch b.txt"}}
    agls.script({"calls": [command]}, {"text": "Done."})
    shown, whole = agls.run("run", "go"), agls.run("run", "go", "--output", "json").whole
    assert shown.code == 3
    assert 'allow = ["shell(touch b.txt)"]' in shown.err
    assert "touch b.txt" in whole["steps"][0]["calls"][0]["title"]


def test_end_of_the_input_is_no_answer_and_the_run_continues(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Well."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("\x04")
    assert process.wait(PATIENCE) == 0
    assert not (agls.workspace / "a.txt").exists()
    assert "n): \r\n" in terminal.rest()


def test_the_model_may_ask_a_question_of_its_own(agls: Agls, terminal: FakeTerminal) -> None:
    ask = {"name": "ask_user", "arguments": {"question": "Which colour?", "choices": ["red", "blue"]}}
    agls.script({"calls": [ask]}, {"text": "Thanks."})
    process = begin(agls, terminal)
    terminal.wait_for("Number, or your own words: ")
    assert "Which colour?\r\n  1. red\r\n  2. blue\r\n" in terminal.screen
    terminal.type("7\n")
    terminal.wait_for("Type a number from 1 to 2, or your own words.")
    terminal.type("2\n")
    assert process.wait(PATIENCE) == 0
    (journal,) = agls.state.glob("sessions/*.jsonl")
    assert "The user answered: blue" in journal.read_text()


@pytest.mark.parametrize(
    ("free", "typed", "answer"), [(True, ["", "green"], "green"), (False, ["green", "Red"], "red")]
)
def test_choices_take_own_words_where_they_may_and_are_asked_again_where_nothing_fits(
    agls: Agls, terminal: FakeTerminal, free: bool, typed: list[str], answer: str
) -> None:
    arguments = {"question": "Which colour?", "choices": ["red", "blue"], "free_text": free}
    agls.script({"calls": [{"name": "ask_user", "arguments": arguments}]}, {"text": "Thanks."})
    process = begin(agls, terminal)
    for line in typed:
        terminal.wait_for("Number")
        terminal.screen = ""
        terminal.type(f"{line}\n")
    assert process.wait(PATIENCE) == 0
    (journal,) = agls.state.glob("sessions/*.jsonl")
    assert f"The user answered: {answer}" in journal.read_text()


def test_text_typed_before_a_question_does_not_answer_it(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Well."})
    terminal.type("y\ny\n")
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("n\n")
    assert process.wait(PATIENCE) == 0
    assert not (agls.workspace / "a.txt").exists()


def test_dumb_terminal_gets_no_escape_sequences(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [LIST]}, {"text": "Done."})
    agls.environment["TERM"] = "dumb"
    assert begin(agls, terminal).wait(PATIENCE) == 0
    assert "\x1b" not in terminal.rest()
    assert "Done.\r\n" in terminal.screen


@pytest.mark.parametrize("kind", ["xterm", "dumb"])
def test_question_stays_the_last_row_whatever_is_written_meanwhile(
    agls: Agls, terminal: FakeTerminal, kind: str
) -> None:
    agls.environment["TERM"] = kind
    background = {"name": "shell", "arguments": {"command": "read line < go", "background": True}}
    os.mkfifo(agls.workspace / "go")
    agls.script({"calls": [background]}, {"calls": [WRITE]}, {"text": "Done."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.screen = ""
    terminal.type("y\n")
    terminal.wait_for("n): ")
    (agls.workspace / "go").write_text("on\n")
    terminal.wait_for("in the background: read line < go")
    terminal.wait_for("s]\r\nYour answer (y, s, p, n): ")
    while terminal.read(0.3):
        pass
    assert rows_of(terminal.screen, 80)[-1] == "Your answer (y, s, p, n):"
    terminal.type("y\n")
    assert process.wait(PATIENCE) == 0
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    assert terminal.rest().count("Your answer") == 2


def test_question_that_is_withdrawn_ends_its_row(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Well."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    process.terminate()
    assert process.wait(PATIENCE) == 1
    rows = rows_of(terminal.rest(), 1000)
    assert [row for row in rows if "Your answer" in row] == ["Your answer (y, s, p, n):"]
    assert "Interrupted." in rows


def test_a_form_can_be_left(agls: Agls, terminal: FakeTerminal) -> None:
    ask = {"name": "ask_user", "arguments": {"question": "Which colour?"}}
    agls.script({"calls": [ask]}, {"text": "Thanks."})
    process = begin(agls, terminal)
    terminal.wait_for("Answer: ")
    terminal.type("\x04")
    assert process.wait(PATIENCE) == 0


def test_control_c_withdraws_the_question(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Well."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.screen = ""
    process.send_signal(signal.SIGCONT)  # as `fg` in a shell, which wrote below the question
    terminal.wait_for("Your answer (y, s, p, n): ")
    process.send_signal(2)
    assert process.wait(PATIENCE) == 130
    screen = terminal.rest()
    assert "\nStopping. Ctrl-C once more leaves at once.\r\n" in screen
    assert "Cancelled.\r\n" in screen


def test_the_answer_streams_and_the_progress_goes_away(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"text": "I look.", "calls": [LIST]}, {"text": "First line.\n\nLast words."}, delay=0.01)
    assert begin(agls, terminal).wait(PATIENCE) == 0
    screen = terminal.rest()
    assert "I look.\r\n" in screen
    assert "… list_dir" in screen
    shown = "\n".join(rows_of(screen, 80))
    assert "…" not in shown
    assert shown.index("First line.\n") < shown.index("Last words.\n")


def test_control_characters_of_the_model_do_nothing(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"text": "\x1b]0;owned\x07 \u202ebad \x9b31m"})
    assert begin(agls, terminal).wait(PATIENCE) == 0
    screen = terminal.rest()
    assert "\x1b]0;owned" not in screen
    assert "\\x1b]0;owned\\x07 \\u202ebad \\x9b31m" in screen


def test_retry_and_failed_tool_are_reported(agls: Agls, terminal: FakeTerminal) -> None:
    missing = {"name": "read_file", "arguments": {"path": "absent"}}
    retried = {"text": "ok", "error": {"kind": "overloaded", "message": "busy", "times": 1, "wait": 0.1}}
    agls.script({"calls": [missing]}, retried)
    assert begin(agls, terminal).wait(PATIENCE) == 0
    screen = terminal.rest()
    assert "failed: read_file absent" in screen
    assert "trying again in 0 s (busy)" in screen


def test_torn_answer_is_marked_before_the_next_one_begins(agls: Agls, terminal: FakeTerminal) -> None:
    torn = Reply("Half of what", cut_after=2, then="close")
    with ModelServer([torn, Reply("All of it.")]) as server:
        process = begin(agls, terminal, "--base-url", server.url, "--model", "m")
        assert process.wait(PATIENCE) == 0
    screen = terminal.rest()
    first, mark, last = (
        screen.index(words) for words in ("Half of what", "(this answer broke off", "All of it.")
    )
    assert first < mark < last


def test_interrupted_answer_is_reported(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"text": "half of it", "cut": True})
    assert begin(agls, terminal).wait(PATIENCE) == 1
    assert "(this answer broke off" in terminal.rest()


def test_a_question_can_be_answered_while_the_output_goes_elsewhere(
    agls: Agls, terminal: FakeTerminal
) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    process = agls.start("run", "go", "--output", "json", stdin=terminal.theirs, stderr=terminal.theirs)
    terminal.wait_for("n): ")
    terminal.type("y\n")
    assert process.wait(PATIENCE) == 0
    assert process.stdout
    assert '"result": "Done."' in process.stdout.read()
