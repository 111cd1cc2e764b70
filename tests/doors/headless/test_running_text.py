"""At a terminal the text that is being written is on the changing rows, until its block is complete."""

import fcntl
import re
import struct
import termios

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_terminal import FakeTerminal, begin, terminal
from support.patience import PATIENCE
from support.terminal_rows import rows_of

__all__ = ["terminal"]

LONG = " ".join(f"word{number}" for number in range(120))
WIDE = "语言服务器" * 40
CODE = "```python\n" + "".join(f"line{number} = {number}\n" for number in range(12)) + "```"
TAIL = 3  # rows
HALF = re.compile(r"\x1b[^A-Za-z]*$")  # a sequence that is not whole yet
WIDTHS = pytest.mark.parametrize("columns", [24, 80, 200])


def resized(agls: Agls, terminal: FakeTerminal, columns: int) -> None:
    """Give the terminal this size, whatever the runner of the tests says of its own."""
    agls.environment |= {"COLUMNS": "", "LINES": ""}
    fcntl.ioctl(terminal.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))


@WIDTHS
@pytest.mark.parametrize("block", [LONG, WIDE, CODE], ids=["words", "wide", "code"])
def test_block_that_is_written_slowly_shows_its_end_and_is_replaced_by_itself_rendered(
    agls: Agls, terminal: FakeTerminal, columns: int, block: str
) -> None:
    resized(agls, terminal, columns)
    agls.script({"text": f"First.\n\n{block}\n\nLast."}, delay=0.01, chunk=4)
    process = begin(agls, terminal)
    screens: set[str] = set()
    while process.poll() is None:
        terminal.read(0.02)
        screens.add(HALF.sub("", terminal.screen))
    seen = [rows_of(screen, columns) for screen in screens]
    assert process.returncode == 0
    rows = rows_of(terminal.rest(), columns)
    shown = "".join("".join(rows).split())
    assert shown.count("".join(block.strip("`").removeprefix("python").split())) == 1
    assert (shown.count("First."), shown.count("Last."), "…" in shown) == (1, 1, False)
    behind = (rows[rows.index("First.") + 1 :] for rows in seen if "First." in rows)
    running = {tuple(rows) for rows in behind if "".join(rows[:1])}  # there is no empty row before it
    assert len(running) > 5, "the text grows before its block is complete"
    assert max(map(len, running)) <= TAIL
    assert max(len(row) for rows in seen for row in rows) <= columns


def test_stopped_text_stands_there_once(agls: Agls, terminal: FakeTerminal) -> None:
    resized(agls, terminal, 60)
    agls.script({"text": LONG, "hang": True})
    process = begin(agls, terminal)
    terminal.wait_for("word119")
    terminal.type("\x03")
    process.send_signal(2)
    assert process.wait(PATIENCE) == 130
    rows = rows_of(terminal.rest(), 60)
    assert " ".join(rows).count("word119") == 1
    assert " ".join(rows).split().count("word0") == 1
    assert "Stopping. Ctrl-C once more leaves at once." in rows


def test_running_text_has_no_power_over_the_terminal(agls: Agls, terminal: FakeTerminal) -> None:
    resized(agls, terminal, 60)
    agls.script({"text": "begin \x1b[2J\x1b]0;owned\x07 \r\x9b1A end", "hang": True})
    process = begin(agls, terminal)
    terminal.wait_for("end")
    assert rows_of(terminal.screen, 60)[-1].startswith("begin \\x1b[2J\\x1b]0;owned\\x07 \\r\\x9b1A end")
    process.send_signal(2)
    assert process.wait(PATIENCE) == 130
    rows_of(terminal.rest(), 60)


def test_terminal_that_cannot_change_a_row_gets_each_piece_once(agls: Agls, terminal: FakeTerminal) -> None:
    agls.environment["TERM"] = "dumb"
    agls.script({"text": LONG})
    assert begin(agls, terminal).wait(PATIENCE) == 0
    assert f"{LONG}\r\n" in terminal.rest()
    assert "\x1b" not in terminal.screen


def test_quiet_run_leaves_nothing_but_the_answer(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"text": "Done."}, delay=0.01)
    assert begin(agls, terminal, "--quiet").wait(PATIENCE) == 0
    assert rows_of(terminal.rest(), 80) == ["Done.", ""]
