"""The one that decides what matches: its parts, and as a program."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.features.search import matcher
from agls.features.search.matcher import lines_of, matching_files, matching_lines, sieved
from agls.workspace.contents import read_text
from agls.workspace.paths import Ground

Hits = tuple[int, list[int]]
RIPGREP = (
    shutil.which("rg", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))) or ""
)


def hits(pattern: str, *texts: str, cap: int = 100, first_only: bool = False) -> list[Hits]:
    return list(matching_lines(re.compile(pattern).search, list(texts), cap, first_only=first_only))


def test_each_line_is_matched_by_itself() -> None:
    assert hits("^b$", "a\nb\r\nb\rc", "x") == [(2, [1, 2]), (0, [])]


def test_the_cap_limits_what_is_listed_and_not_what_is_counted() -> None:
    assert hits("a", "a\na\na", "a", cap=2) == [(3, [0, 1]), (1, [])]


def test_one_match_per_text_can_be_enough() -> None:
    assert hits("a", "x\na\na", "a", first_only=True) == [(1, [1]), (1, [0])]


def test_an_empty_text_has_no_line() -> None:
    assert hits("", "", "\n") == [(0, []), (1, [0])]
    assert lines_of("a\n\n") == ["a", ""]


@given(st.text(alphabet="ab\r\n\x0b\x85\u2028"))
def test_lines_end_where_lsp_says(text: str) -> None:
    lines = re.split(r"\r\n|\r|\n", text)
    assert lines_of(text) == (lines if lines[-1] else lines[:-1])


FILES = {
    "plain": "find größer\n".encode(),
    "marked": b"\xef\xbb\xbffind gr\xc3\xb6\xc3\x9fer",
    "wide": "x\r\nfind größer\r\n".encode("utf-16"),
    "wide, big-endian": b"\xfe\xff" + "find größer".encode("utf-16-be"),
    "Latin-1": "find größer".encode("latin-1"),
    "broken": b"\xff\xfe\x00",
    "binary": b"find gr\xc3\xb6\xc3\x9fer\0",
    "large": "find größer".encode() + b" " * 100,
    "empty": b"",
}


@pytest.mark.parametrize("name", FILES)
def test_no_file_is_missed_that_the_workspace_reads(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    readable = name not in {"broken", "binary", "large", "empty"}
    if readable:
        assert "find größer" in read_text(Ground(str(tmp_path)).enter(name), 100).text
    search = re.compile("^FIND größer *$", re.IGNORECASE).search
    for needed in ([], [b"find gr"]):
        assert list(matching_files(search, needed, [str(tmp_path / name)], 100)) == [0] * readable


def test_a_file_without_the_text_that_is_needed_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("Find\n")
    for needed, found in (([b"find"], [0]), ([b"x", b"in"], [0]), ([b"x"], [])):
        assert list(matching_files(re.compile("").search, needed, [str(tmp_path / "file")], 100)) == found


def test_a_path_that_is_too_long_is_left_to_the_workspace(tmp_path: Path) -> None:
    assert list(matching_files(re.compile("x").search, [], ["d/" * 3_000 + "file"], 100)) == [0]


def test_links_pipes_and_folders_are_not_looked_into(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("find")
    (tmp_path / "link").symlink_to("file")
    os.mkfifo(tmp_path / "pipe")
    names = [str(tmp_path / name) for name in ("pipe", "link")]
    assert list(matching_files(re.compile("find").search, [], names, 100)) == [1], (
        "the workspace says what it is"
    )


@pytest.mark.parametrize("name", FILES)
def test_ripgrep_spares_reading_and_misses_nothing(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(FILES[name])
    search = re.compile("find gr").search
    held = bool(list(matching_files(search, [b"find gr"], [str(tmp_path / name)], 100)))
    left = sieved(RIPGREP, [b"find gr", b"other"], [str(tmp_path / name)], 100)
    assert left == [0] if held else left in ([], [0])
    assert sieved(RIPGREP, [b"nowhere"], [str(tmp_path / name)], 100) == ([0] if name == "large" else [])


def test_what_ripgrep_cannot_tell_stays_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(matcher, "ARGUMENTS", 30)
    odd = ["-n", "line\nend", os.fsdecode(b"\xff\xfe"), "FIND.txt"]
    for name in odd:
        Path(name).write_text("Find it")
    Path("plain").write_text("nothing")
    Path("link").symlink_to("plain")
    os.mkfifo("pipe")
    names = [*odd, "plain", "link", "pipe", "gone", "d/" * 3_000 + "file"]
    for ripgrep in (RIPGREP, "", "/no/such/program"):
        left = sieved(ripgrep, [b"find"], names, 100)
        assert [names[place] for place in left if names[place] != "plain"] == [
            n for n in names if n != "plain"
        ]
    assert 4 not in sieved(RIPGREP, [b"find"], names, 100)
    assert sieved(RIPGREP, [], names, 100) == list(range(len(names)))


def test_it_is_a_program_that_needs_only_the_standard_library(tmp_path: Path) -> None:
    (tmp_path / "yes").write_text("B")
    questions = (
        {"texts": ["a\nb", "c"], "cap": 5, "first_only": False},
        {"names": ["no", "yes"], "needed": ["b"], "max_bytes": 100, "ripgrep": ""},
        {"names": ["no", "yes"], "needed": ["b"], "max_bytes": 100, "ripgrep": RIPGREP},
    )
    (tmp_path / "no").write_text("c")
    answers = [
        subprocess.run(
            (sys.executable, "-I", "-S", str(matcher.__file__)), cwd=tmp_path, check=True, text=True,
            input=json.dumps({"pattern": "b", "flags": re.IGNORECASE, **question}), capture_output=True,
        )
        for question in questions
    ]  # fmt: skip
    assert [(done.stdout, done.stderr) for done in answers] == [
        ("[[1, [1]], [0, []]]", ""),
        ("[1]", ""),
        ("[1]", ""),
    ]
