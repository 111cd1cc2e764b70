"""Text files of a gigabyte through the real program: read by lines, edited in place, in bounded memory."""

import hashlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_tool_faults import check, outputs
from support.patience import PATIENCE
from support.processes import run
from support.rich_run import call

pytestmark = [pytest.mark.row(31), pytest.mark.row(32), pytest.mark.timeout(300)]
LINE = b"%09d the quick brown fox jumps over the lazy dog, again and again and again.\n"
WIDTH = len(LINE % 0)
GIGABYTE = 1 << 30


def plant(path: Path, size: int, line: bytes = LINE) -> int:
    """Write a file of numbered lines; gives their count."""
    count, block = size // len(line % 0), 100_000
    with path.open("wb") as file:
        for start in range(0, count, block):
            file.write(b"".join(line % number for number in range(start, min(count, start + block))))
    return count


def read(path: str, said: str, **page: int) -> tuple[str, dict[str, Any], str]:
    return "read_file", {"path": path, **page}, said


def edit(path: str, old: str, new: str, said: str, **more: Any) -> tuple[str, dict[str, Any], str]:
    return "edit_file", {"path": path, "old_text": old, "new_text": new, **more}, said


@pytest.fixture(params=[GIGABYTE // 16, pytest.param(GIGABYTE, marks=pytest.mark.slow)])
def large(request: pytest.FixtureRequest, agls: Agls) -> Iterator[Path]:
    path = agls.workspace / "large.log"
    plant(path, request.param)
    yield path
    path.unlink()


def test_large_text_is_read_and_edited_in_little_memory(agls: Agls, large: Path) -> None:
    count = large.stat().st_size // WIDTH
    middle = count // 2
    old, new = f"{middle:09} the quick brown fox", f"{middle:09} the slow red fox\nand a new line"
    check(
        agls,
        [read("large.log", "These are lines 1 to ")],
        [read("large.log", f"{middle}\t{middle - 1:09} the quick", offset=middle, limit=2)],
        [read("large.log", f"{count}\t{count - 1:09} the quick", offset=count, limit=9)],
        [read("large.log", f"large.log ends with line {count}.", offset=count + 1)],
        [edit("large.log", "the quick", "x", "occurs more than once")],
        [edit("large.log", "no such", "x", "does not stand in it")],
        [edit("large.log", old, new, f"Edited large.log, line {middle + 1}.")],
    )
    with large.open("rb") as file:
        file.seek((middle - 1) * WIDTH)
        around = file.read(4 * WIDTH).split(b"\n")
    assert around[0] == (LINE % (middle - 1)).rstrip()
    jumps = LINE.rstrip().partition(b"jumps")
    assert around[1:3] == [b"%09d the slow red fox" % middle, b"and a new line " + b"".join(jumps[1:])]
    assert large.stat().st_size == count * WIDTH + len(new) - len(old)
    kept = agls.run("changes").err
    assert "No file was changed" not in kept
    assert "eft out: large.log: Its former content is unknown: large.log has" in kept and "limit" in kept


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_every_other_byte_mode_and_line_ends_stay(agls: Agls, end: bytes) -> None:
    path = agls.workspace / "data.txt"
    line = LINE.replace(b"\n", end)
    plant(path, 12_000_000, line)
    with path.open("ab") as file:
        file.write(b"caf\xe9 \xff no end")
    path.chmod(0o640)
    before = path.read_bytes()
    old = f"{7:09} the quick brown fox jumps over the lazy dog, again and again and again.\n{8:09} the"
    check(
        agls,
        [edit("data.txt", old, "x", "was not read in this session")],
        [read("data.txt", "go on with offset 4.", limit=3)],
        [edit("data.txt", old, "one\ntwo\n8 the", "line 8.\n")],
    )
    wanted = before.replace(old.replace("\n", end.decode()).encode(), b"one" + end + b"two" + end + b"8 the")
    assert hashlib.sha256(path.read_bytes()).digest() == hashlib.sha256(wanted).digest()
    assert path.stat().st_mode & 0o777 == 0o640


def test_what_cannot_be_read_or_edited_so_says_why(agls: Agls) -> None:
    root = agls.workspace
    (root / "zeros.bin").touch()
    os.truncate(root / "zeros.bin", GIGABYTE)
    (root / "report.pdf").write_bytes(b"%PDF-1.7\n" + b"0" * 20_000_000)
    (root / "line.json").write_bytes(b"[" + b"1," * 8_000_000 + b"needle]")
    plant(root / "read-only.txt", 11_000_000)
    (root / "read-only.txt").chmod(0o444)
    five = f"{5:09} the"
    check(
        agls,
        [read("zeros.bin", "zeros.bin is not a text file (1,073,741,824 bytes)")],
        [read("report.pdf", "report.pdf: The PDF cannot be read (")],
        [read("line.json", "line.json is not a PDF", pages="2")],
        [read("line.json", "a line of 16,000,008 bytes]")],
        [edit("line.json", "needle", "thread", "Edited line.json, line 1.")],
        [read("read-only.txt", "go on with offset 2", limit=1)],
        [edit("read-only.txt", five, "5 the", "is read-only")],
        [edit("read-only.txt", five, "5 the", "too large for replace_all", replace_all=True)],
    )
    assert (root / "line.json").read_bytes().endswith(b"1,thread]")


def test_tools_that_need_the_whole_file_say_what_can_be_done(agls: Agls) -> None:
    """None of them asks to read it again, which would lead nowhere."""
    path = agls.workspace / "data.txt"
    count = plant(path, 11_000_000)
    before = path.read_bytes()
    said, one = "too large to be held whole; nothing was changed. edit_file changes", f"{count - 1:09} the"
    update = f"*** Begin Patch\n*** Update File: data.txt\n@@\n-{one}\n+x\n*** End Patch"
    check(
        agls,
        [read("data.txt", "again.", offset=count)],
        [("write_file", {"path": "data.txt", "content": "x\n"}, said)],
        [("multi_edit", {"path": "data.txt", "edits": [{"old_text": one, "new_text": "x"}]}, said)],
        [("apply_patch", {"patch": update}, said)],
        [("move_file", {"path": "data.txt", "to": "other.txt"}, said)],
        [("delete_file", {"path": "data.txt"}, said)],
    )
    assert path.read_bytes() == before


def test_question_about_a_large_edit_shows_its_place(agls: Agls) -> None:
    path = agls.workspace / "data.txt"
    plant(path, 11_000_000)
    change = call("edit_file", path="data.txt", old_text=f"{9:09} the", new_text="9 the")
    agls.script(
        {"calls": [call("read_file", path="data.txt", limit=1)]}, {"calls": [change]}, {"text": "done"}
    )
    done = agls.run("run", "--output", "jsonl", "go")
    assert done.code == 3, "nobody was there to allow it"
    assert "needs the user's permission" in outputs(done)[1]
    assert path.stat().st_size == 11_000_000 // WIDTH * WIDTH


MEASURE = """\
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:])
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(done.returncode)
"""


@pytest.mark.skipif("COVERAGE_PROCESS_START" in os.environ, reason="coverage takes memory of its own")
def test_line_of_ten_megabytes_is_edited_in_little_memory(agls: Agls) -> None:
    path, half = agls.workspace / "line.json", b"1," * 2_474_000
    path.write_bytes(b"[" + half + b"needle," + half + b"1]")
    change = call("edit_file", path="line.json", old_text="needle", new_text="thread")
    agls.script({"calls": [call("read_file", path="line.json")]}, {"calls": [change]}, {"text": "done"})
    argv = [sys.executable, "-c", MEASURE, *agls.argv(["run", "--mode", "acceptEdits", "go"])]
    done = run(argv, timeout=PATIENCE, cwd=agls.workspace, env=agls.variables)
    assert path.read_bytes() == b"[" + half + b"thread," + half + b"1]", done.stderr
    assert int(done.stderr.split()[-1]) < 180 * 1024, (
        "kilobytes; 129,000 to 161,000, as the allocator keeps what is freed"
    )
