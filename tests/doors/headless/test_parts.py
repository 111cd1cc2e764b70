"""Parts of the headless door that a whole process cannot show."""

import asyncio
import json
import os
import re
import signal
from pathlib import Path
from typing import Any

import pytest

from agls.doors.headless import run as door
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.forms import Unfit, fields_of
from agls.doors.headless.open_session import RunRequest, folder
from agls.doors.headless.pipe import Pipe
from agls.doors.headless.terminal import subject_lines


@pytest.mark.parametrize(
    ("number", "code", "kind"), [(signal.SIGINT, 130, "cancelled"), (signal.SIGTERM, 1, "cancelled")]
)
async def test_a_signal_before_the_run_begins_ends_it_with_a_fatal_line(
    number: int, code: int, kind: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    begun = asyncio.Event()

    async def never_begin(*arguments: object) -> int:
        begun.set()
        await asyncio.Event().wait()
        return 0

    monkeypatch.setattr(door, "_run", never_begin)
    monkeypatch.setattr(door, "harden", lambda: True)
    running = asyncio.create_task(door.run(RunRequest(cwd=".", prompt="go", output="jsonl")))
    await begun.wait()  # who begins has taken the signals
    os.kill(os.getpid(), number)
    assert await running == code
    first, last = capfd.readouterr().out.splitlines()
    assert '"hello"' in first
    assert f'"kind":"{kind}"' in last


async def test_object_of_a_run_that_was_stopped_before_it_began_says_cancelled(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    async def stop(*arguments: object) -> int:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.Event().wait()
        return 0

    monkeypatch.setattr(door, "_run", stop)
    monkeypatch.setattr(door, "harden", lambda: True)
    assert await door.run(RunRequest(cwd=".", prompt="go", output="json")) == Exit.CANCELLED
    told = json.loads(capfd.readouterr().out)
    assert (told["stopReason"], told["error"]["kind"]) == ("cancelled", "cancelled")


def test_a_second_interrupt_ends_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)

    async def interrupt_twice() -> int:
        task = asyncio.current_task()
        assert task
        shutdown = door.Shutdown(task, lambda: None)
        shutdown.cancel()
        shutdown.cancel()
        return shutdown.code

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(interrupt_twice())
    assert left == [Exit.CANCELLED]


async def test_when_only_output_is_left_every_signal_leaves_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    left: list[int] = []
    monkeypatch.setattr(os, "_exit", left.append)
    task: asyncio.Task[int] = asyncio.create_task(asyncio.sleep(60, 0))
    shutdown = door.Shutdown(task, lambda: None)
    shutdown.over()
    shutdown.lose_reader()
    assert left == []
    shutdown.cancel()
    shutdown.interrupt()
    assert left == [Exit.CANCELLED, Exit.FAILED]
    task.cancel()


async def test_output_after_the_reader_left_is_dropped() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    told: list[bool] = []
    with os.fdopen(writing, "w") as out, Path(os.devnull).open("w") as err:
        pipe = Pipe(out, err)
        pipe.write("")
        pipe.mention("")
        pipe.write("one")
        pipe.write("two")
        pipe.mention("three")
        pipe.close()
        await pipe.pump(lambda: told.append(True))
    assert told == [True]


def test_a_path_that_no_system_takes_is_no_folder() -> None:
    for path in ("x" * 5_000, "a\0b", "~nobody-of-this-name/x"):
        with pytest.raises(CannotBegin, match=r"cannot be reached|there is no folder"):
            folder(path)


@pytest.mark.parametrize(
    ("line", "field", "value"),
    [
        ("yes", {"type": "boolean"}, True),
        ("no", {"type": "boolean"}, False),
        ("-12", {"type": "integer"}, -12),
        ("1.5", {"type": "number"}, 1.5),
        ("a, b,", {"type": "array"}, ["a", "b"]),
        ("2, red", {"type": "array", "items": {"enum": ["red", "blue"]}}, ["blue", "red"]),
        ("2", {"type": "string", "enum": ["red", "blue"]}, "blue"),
        ("BLUE", {"type": "string", "enum": ["red", "blue"]}, "blue"),
        ("words", {"type": "string"}, "words"),
        ("words", {}, "words"),
    ],
)
def test_a_typed_line_becomes_what_the_field_wants(line: str, field: dict[str, Any], value: object) -> None:
    (only,) = fields_of({"properties": {"it": field}}, needed=True)
    assert only.read(line) == {"it": value}


@pytest.mark.parametrize(
    ("line", "content"),
    [
        ("2, red, 2", {"choice": ["blue", "red"]}),
        ("gold, please", {"answer": "gold, please"}),
        (",", {"choice": []}),
    ],
)
def test_several_choices_or_words_of_ones_own_are_typed_in_one_line(
    line: str, content: dict[str, Any]
) -> None:
    choices = {"type": "array", "items": {"type": "string", "enum": ["red", "blue"]}}
    (only,) = fields_of({"properties": {"choice": choices, "answer": {"type": "string"}}}, needed=True)
    assert only.prompt == "Numbers, with commas between them, or your own words: "
    assert only.read(line) == content
    with pytest.raises(Unfit, match="from 1 to 2"):
        only.read("1, 3")


@pytest.mark.parametrize(
    ("line", "field", "said"),
    [
        ("perhaps", {"type": "boolean"}, "Type y or n."),
        ("twelve", {"type": "integer"}, "Type a whole number."),
        ("much", {"type": "number"}, "Type a number."),
        ("3", {"enum": ["red", "blue"]}, "Type a number from 1 to 2."),
        ("green", {"enum": ["red", "blue"]}, "Type a number from 1 to 2."),
        ("", {"type": "string"}, "An answer is needed."),
    ],
)
def test_invalid_line_is_refused_with_the_valid_forms(line: str, field: dict[str, Any], said: str) -> None:
    (only,) = fields_of({"properties": {"it": field}, "required": ["it"]}, needed=True)
    with pytest.raises(Unfit, match=re.escape(said)):
        only.read(line)


def test_a_field_that_is_not_required_may_be_left_out() -> None:
    (only,) = fields_of({"properties": {"it": {"type": "string"}}}, needed=True)
    assert only.read("") == {}


def test_every_kind_of_subject_is_shown_whole() -> None:
    command = {"type": "command", "command": "make\nall", "cwd": ""}
    assert subject_lines(command) == ["  $ make\n    all", "  in ."]
    assert subject_lines({"type": "edit", "changes": [{"patch": "-a\n+b\n"}]}) == ["-a", "+b"]
    given = {"x": 1, "words": ["a", "b\nc"], "more": {"on": True, "none": None, "all": []}, "text": "d\ne"}
    assert subject_lines({"type": "tool", "name": "t", "input": given}) == [
        "  name: t",
        "  input:",
        "    x: 1",
        "    words:",
        "      - a",
        "      - b\n        c",
        "    more:",
        "      on: true",
        "      none: null",
        "      all: []",
        "    text: d\n      e",
    ]
