"""A run shows what it does: a line for each call, the diff of an edit; rendered at a terminal."""

import fcntl
import re
import struct
import termios

from doors.headless.conftest import Agls
from doors.headless.test_terminal import FakeTerminal, begin, terminal
from support.patience import PATIENCE
from support.terminal_rows import rows_of

__all__ = ["terminal"]

WRITE = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\ntwo\n"}}
EDIT = {"name": "edit_file", "arguments": {"path": "a.txt", "old_text": "two", "new_text": "three"}}
BACK = {"name": "edit_file", "arguments": {"path": "a.txt", "old_text": "three", "new_text": "two"}}
MISSING = {"name": "read_file", "arguments": {"path": "absent"}}
FAIL = {"name": "shell", "arguments": {"command": "exit 3"}}
COLOUR = re.compile(r"\x1b\[[0-9;]*[34][0-9]")

ANSWER = """# Found

The **discount** in `prices.py` is taken off as an amount, although it is meant to be a percentage of the sum.

<b>kept</b>

```python
total = 1
```
"""


def test_run_in_a_pipe_prints_calls_on_standard_error_and_only_the_answer_on_output(
    agls: Agls,
) -> None:
    agls.script(
        {"text": "I look.", "calls": [MISSING]}, {"calls": [WRITE]}, {"calls": [FAIL]}, {"text": "Done."}
    )
    done = agls.run("run", "go", "--yolo")
    assert (done.code, done.out) == (0, "Done.\n")
    assert re.sub(r"\d\.\d s", "0.1 s", done.err).splitlines() == [
        "I look.",
        "failed: read_file absent  (absent does not exist.)",
        "→ write_file a.txt  [+2 -0]",
        "    @@ -0,0 +1,2 @@",
        "    +one",
        "    +two",
        "→ shell exit 3  [exit code 3, 0.1 s]",
    ]


def test_wrong_arguments_are_shown_one_fault_in_a_line(agls: Agls) -> None:
    wrong = {"name": "read_file", "arguments": {"limit": "many", "from": 1}}
    agls.script({"calls": [wrong]}, {"text": "Done."})
    assert agls.run("run", "go").err.splitlines()[1:] == [
        "    read_file was not run, its arguments are wrong:",
        "    - path: is required (string)",
        '    - limit: expected a valid integer, got "many"',
        "    - from: there is no such argument (there are: path, offset, limit, pages)",
    ]


def test_quiet_run_writes_only_the_answer(agls: Agls) -> None:
    agls.script({"text": "I look.", "calls": [MISSING]}, {"calls": [WRITE]}, {"text": "Done."})
    done = agls.run("run", "go", "--yolo", "--quiet")
    assert (done.code, done.out, done.err) == (0, "Done.\n", "")


def test_counts_of_a_run_are_what_became_of_the_files(agls: Agls) -> None:
    agls.script({"calls": [WRITE]}, {"calls": [EDIT]}, {"text": "Done."})
    (added,) = agls.run("run", "go", "--yolo", "--output", "json").whole["filesChanged"]
    assert (added["insertions"], added["deletions"]) == (2, 0)
    agls.script({"calls": [BACK]}, {"calls": [EDIT]}, {"text": "Done."})
    assert agls.run("run", "go", "--yolo", "--output", "json").whole["filesChanged"] == []


def test_long_diff_is_cut_with_a_word(agls: Agls) -> None:
    long = {"name": "write_file", "arguments": {"path": "b.txt", "content": "x\n" * 500}}
    agls.script({"calls": [long]}, {"text": "Done."})
    assert agls.run("run", "go", "--yolo").err.splitlines()[-1] == "    … 421 more lines"


def test_very_long_lines_of_a_diff_are_shown_around_what_differs(agls: Agls) -> None:
    """Of a line whose patch is cut no number is claimed; the sum of the run has it."""
    for name, half in (("long.json", 30_000), ("longer.json", 300_000)):
        (agls.workspace / name).write_text(f"[{'1,' * (half // 2)}[2],{'3,' * (half // 2)}4]\n")
    turns = [
        {"calls": [{"name": tool, "arguments": {"path": name, **given}}]}
        for name in ("long.json", "longer.json")
        for tool, given in (("read_file", {}), ("edit_file", {"old_text": "[2]", "new_text": "[5]"}))
    ]
    agls.script(*turns, {"text": "Done."})
    said = agls.run("run", "go", "--yolo").err
    _, short, long = said.split("→ edit_file ")
    assert short.startswith("long.json  [+1 -1]\n") and ",[2],3" in short and ",[5],3" in short
    assert long.startswith("longer.json  [more than can be shown]\n")
    assert max(map(len, said.splitlines())) < 500


def narrow(terminal: FakeTerminal) -> None:
    """Make the terminal 80 columns wide."""
    fcntl.ioctl(terminal.ours, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))


def test_answer_at_a_terminal_is_rendered_and_wrapped(agls: Agls, terminal: FakeTerminal) -> None:
    narrow(terminal)
    agls.script({"calls": [WRITE]}, {"text": ANSWER})
    assert begin(agls, terminal, "--yolo").wait(PATIENCE) == 0
    screen = terminal.rest()
    assert COLOUR.search(screen)
    plain = "\n".join(rows_of(screen, 80))
    assert "→ write_file a.txt  [+2 -0]\n" in plain
    assert "Found\n\nThe discount in prices.py is taken off" in plain
    assert "<b>kept</b>" in plain, "what is no Markdown is not lost"
    assert "total = 1" in plain
    assert "```" not in plain
    assert max(map(len, plain.splitlines())) <= 80


def test_no_color_takes_the_colours_away(agls: Agls, terminal: FakeTerminal) -> None:
    agls.environment["NO_COLOR"] = "1"
    agls.script({"calls": [WRITE]}, {"text": ANSWER})
    assert begin(agls, terminal, "--yolo").wait(PATIENCE) == 0
    assert not COLOUR.search(terminal.rest())


def test_diff_that_was_shown_in_a_question_is_not_repeated(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"calls": [WRITE]}, {"text": "Done."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("y\n")
    assert process.wait(PATIENCE) == 0
    assert terminal.rest().count("+one") == 1


def test_paragraphs_are_shown_before_the_answer_is_complete(agls: Agls, terminal: FakeTerminal) -> None:
    agls.script({"text": "First part.\n\nSecond part begins", "hang": True})
    process = begin(agls, terminal)
    terminal.wait_for("First part.")
    process.send_signal(2)
    assert process.wait(PATIENCE) == 130
    assert "Second part begins" in terminal.rest()
