"""Faults below the tools, through the real program: calls are answered, in bounded memory, nothing is left.

`docs/tool-faults.md` names the test of each fault; here are those of the whole product.
"""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from doors.headless.conftest import Agls, Done
from support.leftovers import processes_with
from support.patience import wait_until
from support.rich_run import call

MOST_MEMORY = 150_000  # kilobytes that the program, or one of its helpers, may take
MANY = 100_000  # files in one folder
Calls = Sequence[tuple[str, dict[str, Any], str]]  # a tool, its arguments, and what its answer says


class Measured(NamedTuple):
    """How a run ended, and the most memory that a process of it took, in kilobytes."""

    done: Done
    memory: int


# Linux counts the memory of whoever starts a program as the program's own, until it is larger itself.
# A worker of the tests may be large: a small process starts the program, and reports what it took.
SMALL_PARENT = """\
import os, resource, subprocess, sys
code = subprocess.call(sys.argv[2:])
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
with open(sys.argv[1], "w") as file:
    file.write(str(most))
sys.exit(code)
"""


def measured(agls: Agls, *arguments: str) -> Measured:
    """Run to the end; what the processes took is known then."""
    report = agls.home / "most"
    done = subprocess.run(
        [sys.executable, "-c", SMALL_PARENT, str(report), *agls.argv(arguments)],
        cwd=agls.workspace,
        env=agls.variables,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    return Measured(Done(done.returncode, done.stdout, done.stderr), int(report.read_text()))


def outputs(done: Done) -> list[str]:
    """What the model read of its calls, in the order in which it made them; some ran side by side."""
    items = [event["data"]["item"] for event in done.events if event.get("type") == "itemCompleted"]
    ended = {item["itemId"]: item["output"] for item in items if item["kind"] == "toolCall"}
    begun = [event["itemId"] for event in done.events if event.get("type") == "itemStarted"]
    return [ended[item] for item in begun if item in ended]


def check(agls: Agls, *turns: Calls) -> None:
    """Make the calls of each turn in one run, and look at every answer and at the memory."""
    agls.script(
        *({"calls": [call(name, **given) for name, given, _ in turn]} for turn in turns), {"text": "done"}
    )
    calls = [each for turn in turns for each in turn]
    run = measured(agls, "run", "--mode", "allowAll", "--max-turns", "100", "--output", "jsonl", "go")
    assert run.done.code == 0, run.done.err
    answers = outputs(run.done)
    assert len(answers) == len(calls)
    wrong = {
        f"{name} {str(given)[:80]}": answer[:300]
        for (name, given, wanted), answer in zip(calls, answers, strict=True)
        if wanted not in answer
    }
    assert wrong == {}
    assert run.memory < MOST_MEMORY
    assert list(agls.workspace.rglob(".agls-write-*")) == []


@pytest.fixture
def odd(agls: Agls) -> Iterator[Path]:
    """A workspace with what no editor would ever open."""
    root = agls.workspace
    os.mkfifo(root / "pipe")
    (root / "loop").symlink_to("loop")
    (root / "zeros").symlink_to("/dev/zero")
    (root / "binary").write_bytes(bytes(range(256)) * 40)
    (root / "nul.txt").write_bytes(b"a\0b\n")
    (root / "line.txt").write_text("x" * 9_999_000 + "needle")
    for name, size in (("large", 1 << 30), ("sparse", 1 << 40)):
        (root / name).touch()
        os.truncate(root / name, size)
    (root / "locked.txt").write_text("locked\n")
    (root / "locked.txt").chmod(0o444)
    (root / "two\nlines\x1b[2J.txt").write_text("odd name\n")
    Path(os.fsdecode(os.fsencode(root) + b"/bad-\xff.txt")).write_text("bad name\n")
    server = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(root)  # the path of a socket is short
    server.bind("socket")
    os.chdir(here)
    yield root
    server.close()


def test_odd_files_are_refused_with_the_reason_and_none_is_waited_for(agls: Agls, odd: Path) -> None:
    began = time.monotonic()
    small = [(name, "not a regular file") for name in ("pipe", "socket", "zeros")]
    texts = [("loop", "loop of links"), ("binary", "not a text file"), ("nul.txt", "not a text file")]
    huge = [("large", "1,073,741,824 bytes"), ("sparse", "1,099,511,627,776 bytes")]
    reads: Calls = [("read_file", {"path": name}, told) for name, told in (*small, *texts, *huge)]
    writes: Calls = [
        ("write_file", {"path": name, "content": "x"}, told)
        for name, told in (*small[:2], ("loop", "loop of links"), ("binary", "not a text file"))
    ]
    others: Calls = [
        ("read_file", {"path": "/proc/self/status"}, "Name:"),
        ("read_file", {"path": "/proc/kmsg"}, ""),
        ("grep", {"pattern": "needle", "output": "files"}, ""),
        ("list_dir", {}, "bad-"),
        ("read_file", {"path": "locked.txt"}, "locked"),
        ("edit_file", {"path": "locked.txt", "old_text": "locked", "new_text": "open"}, "is read-only"),
        ("read_file", {"path": "two\nlines\x1b[2J.txt"}, "odd name"),
        ("edit_file", {"path": "two\nlines\x1b[2J.txt", "old_text": "odd", "new_text": "even"}, "Edited"),
        ("read_file", {"path": "line.txt"}, "more characters]"),
    ]
    check(agls, reads, writes, *([other] for other in others))
    assert time.monotonic() - began < 120, "nothing waited for a pipe, a socket or a device"
    assert (odd / "two\nlines\x1b[2J.txt").read_text() == "even name\n"
    assert (odd / "locked.txt").read_text() == "locked\n"
    assert (odd / "binary").read_bytes() == bytes(range(256)) * 40


ENCODED: Mapping[str, bytes] = {
    "utf-8": "one é\ntwo\nthree\n".encode(),
    "utf-8 with a mark": b"\xef\xbb\xbf" + "one é\ntwo\nthree\n".encode(),
    "utf-16 le": b"\xff\xfe" + "one é\r\ntwo\r\nthree".encode("utf-16-le"),
    "utf-16 be": b"\xfe\xff" + "one é\ntwo\nthree\n".encode("utf-16-be"),
    "latin-1": "one é\ntwo\nthree\n".encode("latin-1"),
    "crlf": b"one\r\ntwo\r\nthree\r\n",
    "cr": b"one\rtwo\rthree\r",
    "mixed ends": b"one\r\ntwo\nthree\rfour\n",
    "no final end": b"one\ntwo\nthree",
    "invalid utf-8": b"one \xff\xfe\x80 \xc3\ntwo\nthree\n",
    "odd spaces": "one\u00a0\u2028 \ttwo".encode() + b"\n two\t\nthree\f\n",
}


@pytest.mark.row(32)
def test_bytes_outside_an_edit_are_the_same_in_every_encoding(agls: Agls) -> None:
    """Also mode, and line ends, of each file; an edit of a word changes that word."""
    calls: list[tuple[str, dict[str, Any], str]] = []
    for number, data in enumerate(ENCODED.values()):
        (agls.workspace / f"{number}.txt").write_bytes(data)
        (agls.workspace / f"{number}.txt").chmod(0o640)
        calls.append(("read_file", {"path": f"{number}.txt"}, "three"))
        edit = {"path": f"{number}.txt", "old_text": "three", "new_text": "drei\nvier"}
        calls.append(("edit_file", edit, "Edited"))
    check(agls, *([each] for each in calls))
    for number, (name, data) in enumerate(ENCODED.items()):
        coded = {"utf-16 le": "utf-16-le", "utf-16 be": "utf-16-be"}.get(name, "latin-1")
        text = data.decode(coded)
        end = "\r\n" if text.count("\r\n") > text.count("\n") / 2 else "\r" if name == "cr" else "\n"
        wanted = text.replace("three", f"drei{end}vier").encode(coded)
        assert (agls.workspace / f"{number}.txt").read_bytes() == wanted, name
        assert (agls.workspace / f"{number}.txt").stat().st_mode & 0o777 == 0o640


def test_folder_of_a_hundred_thousand_files_and_a_deep_path_are_no_matter(agls: Agls) -> None:
    folder = agls.workspace / "many"
    folder.mkdir()
    for number in range(MANY):
        os.close(os.open(folder / f"{number:06}.txt", os.O_CREAT))
    deep = "/".join(["d"] * 500)
    calls: Calls = [
        ("list_dir", {"path": "many"}, f"[{MANY - 200} more entries are left out."),
        ("glob", {"pattern": "*.txt"}, f"[{MANY - 200} more files."),
        ("grep", {"pattern": "nothing", "path": "many"}, f"No match in {MANY} files."),
        ("write_file", {"path": f"{deep}/a.txt", "content": "deep\n"}, "Created"),
        ("read_file", {"path": f"{deep}/a.txt"}, "deep"),
        ("grep", {"pattern": "deep", "path": "d", "output": "files"}, "a.txt"),
    ]
    check(agls, *([each] for each in calls))


@pytest.mark.row(42)
def test_output_that_is_no_text_is_described_and_odd_bytes_harm_nothing(agls: Agls) -> None:
    """A picture on the screen tells a model nothing, and fills its context."""
    calls: Calls = [
        ("shell", {"command": "head -c 300000 /dev/urandom"}, "[300,000 bytes that are not text in UTF-8"),
        ("shell", {"command": "head -c 10M /dev/zero"}, "begin with 00 00 00"),
        ("shell", {"command": "printf 'caf\\351 \\377 ok'"}, "caf\ufffd \ufffd ok"),
        ("shell", {"command": "touch 'a b' c; find . -name '[ac]*' -print0 | sort -z"}, "./a b\\0./c\\0"),
        (
            "shell",
            {"command": "printf 'one\\rtwo\\033[31m\\n\\033]0;t\\007\\303\\251'"},
            "two\n\u00e9\n[exit",
        ),
        ("shell", {"command": "echo still here"}, "still here"),
    ]
    check(agls, *([each] for each in calls))


def test_commands_that_misbehave_are_answered_and_leave_nothing(agls: Agls) -> None:
    mark = f"agls-fault-{os.getpid()}"
    sleep = f"exec -a {mark} sleep 600"
    stubborn = f"trap '' TERM; bash -c \"{sleep}\""
    detached = f"(setsid bash -c '(setsid bash -c \"{sleep}\" &)' &); echo gone"
    calls: Calls = [
        ("shell", {"command": stubborn, "timeout_s": 1}, "ran longer than"),
        ("shell", {"command": detached}, "gone"),
        ("shell", {"command": f"bash -c '{sleep}' & echo held"}, "held"),
        ("shell", {"command": "cat; echo read"}, "read"),
        (
            "shell",
            {"command": "test -t 0 || test -t 1 || echo none; (: </dev/tty) 2>&1 || echo no tty"},
            "no tty",
        ),
        ("shell", {"command": "head -c 1G /dev/zero | tr '\\0' x", "timeout_s": 300}, "xxx"),
        ("shell", {"command": "yes 0123456789 | head -c 1G", "timeout_s": 300}, "0123456789"),
    ]
    check(agls, *([each] for each in calls))
    wait_until(lambda: processes_with(mark) == [])


@pytest.mark.row(40)
@pytest.mark.parametrize("command", ["sleep 600", "trap '' TERM INT HUP; sleep 600 & wait; sleep 600"])
def test_waiting_for_a_command_can_be_cancelled_within_a_second(agls: Agls, command: str) -> None:
    """Whatever it ignores, it and all that it began are gone, and the session can go on."""
    agls.script({"calls": [call("shell", command=f": agls-cancel-{os.getpid()}; touch begun; {command}")]})
    process = agls.start("run", "--mode", "allowAll", "wait")
    wait_until((agls.workspace / "begun").exists)
    process.terminate()
    began = time.monotonic()
    process.communicate(timeout=30)
    took = time.monotonic() - began
    wait_until(lambda: processes_with(f"agls-cancel-{os.getpid()}") == [])
    assert took < 10, "a second on a calm machine; this one may be busy"
    assert process.returncode not in (0, None)
    agls.script({"text": "Gone on."})
    assert agls.run("resume", "go on").out == "Gone on.\n"
