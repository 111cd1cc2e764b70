"""Records for others to read: private, without secrets, chained, in files that do not grow for ever."""

import fcntl
import json
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.stores import record_file
from agls.stores.record_check import BESIDE, CHANGED, UNCHAINED, check
from agls.stores.record_file import RecordFile, without

PLENTY = 1_000_000


def texts(path: Path) -> list[Any]:
    """What the records say."""
    return [json.loads(line)["a"] for line in path.read_text().splitlines()]


def faults(path: Path) -> list[tuple[str, int, str]]:
    return [(fault.file.name, fault.line, fault.what) for fault in check(path).faults]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "audit" / "audit.jsonl"


def test_a_record_is_added_for_the_user_only_and_without_secrets(path: Path) -> None:
    records = RecordFile(path, lambda: ('key"with\\quotes', "sk-12345", "abc"))
    records.add({"a": 'key"with\\quotes', "b": "xsk-12345x abc"}, PLENTY, 3)
    records.add({}, PLENTY, 3)
    first, second = map(json.loads, path.read_text().splitlines())
    assert first == {"previous": "", "a": "[secret]", "b": "x[secret]x abc"}, (
        "abc is too short to be a secret"
    )
    assert second.keys() == {"previous"}
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_the_longest_secret_goes_first() -> None:
    assert without(["abcd", "abcdefgh"], "abcdefgh abcd") == "[secret] [secret]"


def test_a_full_file_is_put_aside_the_latest_stay_and_the_chain_goes_on(path: Path) -> None:
    for number in range(9):
        RecordFile(path, tuple).add({"a": number}, 100, 2)  # two lines fill a file
    assert texts(path) == [8]
    assert texts(path.with_name("audit.jsonl.1")) == [6, 7]
    assert texts(path.with_name("audit.jsonl.2")) == [4, 5]
    assert len(list(path.parent.iterdir())) == 3
    found = check(path)
    assert (found.lines, found.faults, found.is_cut) == (5, [], True)
    path.with_name("audit.jsonl.1").write_text("")
    assert faults(path) == [("audit.jsonl", 1, CHANGED)]


def test_many_writers_lose_no_record_of_each_other_and_make_one_chain(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_file, "PATIENCE", 60)

    def write(writer: int) -> None:
        records = RecordFile(path, tuple)
        for number in range(50):
            records.add({"a": f"{writer} {number}"}, 4000, 100)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    found = [text for file in path.parent.iterdir() for text in texts(file)]
    assert sorted(found) == sorted(f"{writer} {number}" for writer in range(4) for number in range(50))
    assert (check(path).lines, check(path).faults, check(path).is_cut) == (200, [], False)


def test_record_is_added_although_a_stopped_process_holds_the_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_file, "PATIENCE", 0.01)
    records = RecordFile(path, tuple)
    records.add({"a": "before"}, 1, 3)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # as another process has it
        records.add({"a": "meanwhile"}, 1, 3)
    finally:
        os.close(folder)
    assert texts(path) == ["before", "meanwhile"]
    assert faults(path) == []


@pytest.mark.parametrize("longest", [10, record_file._BLOCK + 5, 3 * record_file._BLOCK])  # pyright: ignore[reportPrivateUsage]
def test_long_records_are_chained_too_and_an_unfinished_one_counts_for_nothing(
    path: Path, longest: int
) -> None:
    records = RecordFile(path, tuple)
    for number in range(3):
        records.add({"a": "x" * (longest + number)}, 10 * PLENTY, 3)
    assert (check(path).lines, check(path).faults) == (3, [])
    path.write_bytes(path.read_bytes()[:-3])  # as after a power cut
    records.add({"a": "next"}, 10 * PLENTY, 3)
    assert [what for *_, what in faults(path)] == [UNCHAINED]


def test_records_of_an_older_agls_are_told_apart(path: Path) -> None:
    path.parent.mkdir()
    path.write_text('{"v": 1}\n{"v": 1}\n')
    RecordFile(path, tuple).add({"a": 1}, PLENTY, 3)
    found = check(path)
    assert (found.lines, found.older, found.faults) == (3, 2, [])


CHANGES = st.sampled_from(("change", "take out", "repeat", "add", "swap"))


@given(CHANGES, st.integers(0, 6), st.binary(min_size=1, max_size=30))
def test_no_line_but_the_last_is_changed_unnoticed(
    tmp_path_factory: pytest.TempPathFactory, change: str, place: int, noise: bytes
) -> None:
    path = tmp_path_factory.mktemp("records") / "audit.jsonl"
    records = RecordFile(path, tuple)
    for number in range(8):
        records.add({"a": number}, PLENTY, 3)
    lines = path.read_bytes().splitlines(keepends=True)
    changed = _changed(lines, change, place, noise.hex().encode())
    path.write_bytes(b"".join(changed))
    kept = check(path, record_file.digest_of(lines[-1][:-1]))
    assert kept.faults or kept.is_cut or not kept.is_after


def _changed(lines: Sequence[bytes], change: str, place: int, noise: bytes) -> Sequence[bytes]:
    before, line, behind = list(lines[:place]), lines[place], list(lines[place + 1 :])
    match change:
        case "change":
            return [*before, line.replace(b'"a": ', b'"a": "%s", "b": ' % noise), *behind]
        case "take out":
            return [*before, *behind]
        case "repeat":
            return [*before, line, line, *behind]
        case "add":
            return [*before, line, line.replace(b'"a": ', b'"a": "%s", "b": ' % noise), *behind]
        case _:
            return [*before, behind[0], line, *behind[1:]]


def test_line_that_somebody_added_is_named(path: Path) -> None:
    records = RecordFile(path, tuple)
    for number in range(3):
        records.add({"a": number}, PLENTY, 3)
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:2], lines[1].replace("1}", "7}"), lines[2]]))
    assert faults(path) == [("audit.jsonl", 3, BESIDE)]
