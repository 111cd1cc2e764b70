"""Lines for others to read: private, without secrets, in files that do not grow for ever."""

import fcntl
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from agls.stores.lines import LineFile, without

PLENTY = 1_000_000


def test_a_line_is_added_for_the_user_only_and_without_secrets(tmp_path: Path) -> None:
    path = tmp_path / "audit" / "audit.jsonl"
    lines = LineFile(path, lambda: ('key"with\\quotes', "sk-12345", "abc"))
    lines.add(json.dumps({"a": 'key"with\\quotes', "b": "xsk-12345x abc"}), PLENTY, 3)
    lines.add("two", PLENTY, 3)
    first, second = path.read_text().splitlines()
    assert json.loads(first) == {"a": "[secret]", "b": "x[secret]x abc"}, "abc is too short to be a secret"
    assert second == "two"
    assert (path.stat().st_mode & 0o777, path.parent.stat().st_mode & 0o777) == (0o600, 0o700)


def test_the_longest_secret_goes_first() -> None:
    assert without(["abcd", "abcdefgh"], "abcdefgh abcd") == "[secret] [secret]"


def test_a_full_file_is_put_aside_and_the_latest_stay(tmp_path: Path) -> None:
    path = tmp_path / "audit" / "audit.jsonl"
    for number in range(9):
        LineFile(path, tuple).add(f"line {number}", 10, 2)  # two lines fill a file
    assert path.read_text() == "line 8\n"
    assert path.with_name("audit.jsonl.1").read_text() == "line 6\nline 7\n"
    assert path.with_name("audit.jsonl.2").read_text() == "line 4\nline 5\n"
    assert len(list(path.parent.iterdir())) == 3


def test_many_writers_lose_no_line_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "audit" / "audit.jsonl"

    def write(writer: int) -> None:
        lines = LineFile(path, tuple)
        for number in range(50):
            lines.add(f"{writer} {number}", 400, 100)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(write, range(4)))
    found = [line for file in path.parent.iterdir() for line in file.read_text().splitlines()]
    assert sorted(found) == sorted(f"{writer} {number}" for writer in range(4) for number in range(50))


def test_line_is_added_although_another_process_holds_the_lock(tmp_path: Path) -> None:
    path = tmp_path / "audit" / "audit.jsonl"
    lines = LineFile(path, tuple)
    lines.add("before", 1, 3)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)  # as another process has it
        lines.add("meanwhile", 1, 3)
    finally:
        os.close(folder)
    assert path.read_text() == "before\nmeanwhile\n"
