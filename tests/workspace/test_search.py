"""Searching lines: as a program, with ripgrep and without it, over all kinds of files."""

import asyncio
import json
import os
import random
import re
import shutil
import subprocess
import sys
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.engine.line_search import FoundLines, LineSearch, SearchLine
from agls.engine.not_text import LargeFile
from agls.engine.ports import WorkspaceError
from agls.workspace import quick_search, tree
from agls.workspace.contents import read_text
from agls.workspace.globs import parse_glob, path_matcher
from agls.workspace.handles import opened
from agls.workspace.paths import Ground
from agls.workspace.processes import Processes
from agls.workspace.searched_lines import lines_of
from agls.workspace.searcher import BY_LINE
from agls.workspace.sieve import Sieve
from agls.workspace.walker import Folder
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.patience import become, within
from support.seeds import seeds
from support.walks import found

RIPGREP = (
    shutil.which("rg", path=os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))) or ""
)
BACKENDS = [pytest.param(RIPGREP, id="ripgrep"), pytest.param("", id="alone")]
assert RIPGREP


class Searching(OpenWorkspace):
    """A workspace that finds this ripgrep, or none."""

    def __init__(self, root: Path, ripgrep: str, editor: FakeEditor, *hidden: str) -> None:
        self._ripgrep, self._commands = ripgrep, Processes()
        super().__init__(str(root), (), editor, self._commands, hidden=hidden)

    def running(self) -> bool:
        """Whether a command runs."""
        return bool(self._commands._running)

    def which(self, program: str) -> str:
        return self._ripgrep if program == "rg" else super().which(program)


def needing(expression: str, *texts: str, **options: object) -> LineSearch:
    return replace(LineSearch(expression, needed=texts), **options)


SWIFT = 10_000  # characters of a line
LARGEST = 200  # bytes of a file that is not large, where some are: those are for the program


def shown(result: FoundLines) -> list[tuple[str, int, list[tuple[int, bool, str]]]]:
    return [
        (file.name, file.count, [(line.number, line.matches, line.text) for line in file.lines])
        for file in result.files
    ]


def plant_anything(root: Path, seed: int) -> FakeEditor:
    """A tree of everything that searches have to get right, some of it open in an editor."""
    dice = random.Random(seed)
    editor = FakeEditor()
    words = ["needle", "Needle", "hay", "größer", "\U0001f600", "a\tb", "nee", "dle", "\x1b[0m", ""]
    names = [
        "a.py",
        "b.txt",
        ".hidden",
        ".env",
        "x.log",
        "keep.log",
        "na me",
        "-e",
        "ö.txt",
        "line\nend",
        "build",
    ]
    folders = ["", "src", "src/deep", "build", "docs/build", "vendor/lib", ".dot", "-x"]
    for folder in folders:
        (root / folder).mkdir(parents=True, exist_ok=True)
    for folder in folders:
        for name in dice.sample(names, 6):
            path = root / folder / name
            if path.is_dir():
                continue
            ends = dice.choice(["\n", "\r\n", "\r"])
            text = ends.join(" ".join(dice.choices(words, k=3)) for _ in range(dice.randint(0, 8)))
            encoding = dice.choice(["utf-8", "utf-8", "utf-8", "utf-8-sig", "utf-16", "latin-1"])
            data = text.encode(encoding, "replace") + dice.choice([b"", b"", b"", b"\n", b"\0", b"x" * 300])
            path.write_bytes(data)
            if dice.random() < 0.15:
                editor.open(path.as_uri(), dice.choice(["needle in the editor\n", "hay\n"]))
        if dice.random() < 0.5:
            rules = dice.sample(
                ["*.log", "!keep.log", "build/", "/src", "**/deep", "vendor/*", ".e*", "b.*"], 3
            )
            (root / folder / dice.choice([".gitignore", ".ignore"])).write_text("\n".join(rules))
    (root / "link.txt").symlink_to("src/a.py")
    (root / "away").symlink_to("/etc")
    os.mkfifo(root / "pipe")
    editor.open((root / "src/new.py").as_uri(), "needle that was never saved\n")
    return editor


def only_quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches for swift expressions never turn to the program, and ripgrep is asked early."""
    monkeypatch.setattr(tree, "_SEARCHER", (sys.executable, "-c", "import sys; sys.exit('the program')"))
    for name, value in (("ALONE", 60.0), ("SIEVED", 60.0), ("_SIZES", (1, 1, 7))):
        monkeypatch.setattr(quick_search, name, value)


NO_LINE = SearchLine(-1, matches=True, text="")


SEARCHES = (
    needing("needle", "needle"),
    needing("NEEDLE|größer", ignore_case=True),
    needing("needle", "needle", ignore_case=True, by_line=False, glob="src/**"),
    needing(r"^\W*needle", "needle", context=1, glob="*.{py,txt}"),
    needing("nee", "nee", by_line=False, first_only=True, under="src"),
    needing(".", limit=500, max_bytes=LARGEST),
)
EXPRESSIONS = (
    ("needle", "needle"),
    ("nee|größer", ""),
    (r"^\W*needle", "needle"),
    (r"hay$", "hay"),
    (r"needle\W+nee", "needle"),
    ("e.*?n", ""),
    (r"\s\s*h", ""),
    ("x*", ""),
)


def any_search(dice: random.Random) -> LineSearch:
    """A search with options as they come."""
    expression, text = dice.choice(EXPRESSIONS)
    by_line = dice.random() < 0.7
    return LineSearch(
        expression,
        needed=(text,) if text else (),
        under=dice.choice(["", "", "src", "build", "src/deep"]),
        glob=dice.choice(["", "", "*.{py,txt}", "deep/*", "*build*"]),
        only=dice.choice([(), (), ("*.py",), ("*.txt", "x.*")]),
        left_out=dice.choice([(), (".env*",)]),
        ignore_case=dice.random() < 0.4,
        multiline=dice.random() < 0.4,
        by_line=by_line,
        first_only=not by_line and dice.random() < 0.5,
        context=dice.choice([0, 0, 2]),
        offset=dice.choice([0, 0, 1, 7]),
        limit=dice.choice([1, 5, 100]),
        max_bytes=dice.choice([5_000_000, LARGEST]),
    )


def matching_lines(wanted: LineSearch, text: str) -> list[int]:
    """The lines that match, found out as simply as can be."""
    lines = lines_of(text)
    flags = re.IGNORECASE if wanted.ignore_case else 0
    if not wanted.multiline:
        return [number for number, line in enumerate(lines) if re.search(wanted.expression, line, flags)]
    plain = re.sub("\r\n?", "\n", text)
    touched: set[int] = set()
    for match in re.finditer(wanted.expression, plain, flags | re.MULTILINE | re.DOTALL):
        end = max(match.start(), match.end() - 1)
        touched.update(range(plain.count("\n", 0, match.start()), plain.count("\n", 0, end) + 1))
    return sorted(touched.intersection(range(len(lines))))


def large_text(file: Path, wanted: LineSearch) -> str:
    """The text of a file that is too large to be held, if it is searched; "" if it is not."""
    data = file.read_bytes()
    is_odd = data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)) or b"\0" in data[: wanted.max_bytes + 1]
    if wanted.multiline or is_odd or len(data) > BY_LINE * wanted.max_bytes:
        return ""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


async def expected(root: Path, editor: FakeEditor, wanted: LineSearch) -> list[tuple[str, int]]:
    """Each file with its number of matching lines, in the order of the search, by a look into every file."""
    workspace = Searching(root, "", editor, "docs(/.*)?")

    def place(name: str) -> tuple[bool, list[str], str]:
        *folders, last = name.split("/")
        return (root / name).exists(), folders, last

    fitting = path_matcher([pattern for glob in wanted.only or ["*"] for pattern in parse_glob(glob)])
    out = path_matcher([pattern for glob in wanted.left_out for pattern in parse_glob(glob)])
    rows: list[tuple[str, int]] = []
    for name in sorted(await found(workspace, wanted.under, wanted.glob), key=place):
        if not fitting(name) or out(name):
            continue
        try:
            text = (await workspace.read(name, max_bytes=wanted.max_bytes)).text
        except LargeFile:
            text = large_text(root / name, wanted)
        except WorkspaceError:
            continue
        if numbers := matching_lines(wanted, text):
            rows.append((name, len(numbers)))
    return rows


def page_of(rows: list[tuple[str, int]], wanted: LineSearch) -> tuple[list[tuple[str, int]], bool]:
    """The files of one page, and whether there are more."""
    units = [row for row in rows for _ in range(row[1] if wanted.by_line else 1)]
    page = dict.fromkeys(units[wanted.offset : wanted.offset + wanted.limit])
    shown = [(name, 1 if wanted.first_only else count) for name, count in page]
    return shown, len(units) > wanted.offset + wanted.limit


@pytest.mark.parametrize("seed", seeds(12, usual=2))
async def test_ripgrep_changes_no_result(tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The program and the thread, each with ripgrep and without it, and a plain look into each file agree."""
    editor = plant_anything(tmp_path, seed)
    dice = random.Random(seed)
    for wanted in (*SEARCHES, *(any_search(dice) for _ in range(7))):
        results = [await Searching(tmp_path, rg, editor, "docs(/.*)?").search(wanted) for rg in (RIPGREP, "")]
        with monkeypatch.context() as quick:
            if not wanted.multiline and wanted.max_bytes > LARGEST:
                only_quickly(quick)
            swift = replace(wanted, swift_width=SWIFT)
            for ripgrep in (RIPGREP, ""):
                results.append(await Searching(tmp_path, ripgrep, editor, "docs(/.*)?").search(swift))
        for result in results[1:]:
            assert shown(result) == shown(results[0])
        page, more = page_of(await expected(tmp_path, editor, wanted), wanted)
        assert ([(file.name, file.count) for file in results[0].files], results[0].more) == (page, more), (
            wanted
        )
        if not more:
            assert len({result.searched for result in results}) == 1


@pytest.mark.parametrize("seed", seeds(6, usual=1))
async def test_pages_of_a_search_are_together_the_whole(tmp_path: Path, seed: int) -> None:
    editor = plant_anything(tmp_path, seed)
    workspace = Searching(tmp_path, RIPGREP, editor)
    for wanted in (needing("nee|hay", limit=500), needing("nee", limit=500, multiline=True, by_line=False)):
        whole = await workspace.search(wanted)
        rows = [(file.name, line.number) for file in whole.files for line in file.lines or (NO_LINE,)]
        paged: list[tuple[str, int]] = []
        more = True
        while more:
            page = await workspace.search(replace(wanted, offset=len(paged), limit=3))
            paged += [(file.name, line.number) for file in page.files for line in file.lines or (NO_LINE,)]
            more = page.more
        assert (paged, whole.more, len(rows) > 3) == (rows, False, True)


@pytest.mark.parametrize("ripgrep", BACKENDS)
async def test_matches_over_several_lines_are_found_among_many_files(tmp_path: Path, ripgrep: str) -> None:
    plant_many(tmp_path, endless=False)
    (tmp_path / "12/1250.txt").write_text("first\r\nneedle\r\nin hay\r\nlast\r\n")
    wanted = needing("needle\\s+in", "needle", multiline=True, under="")
    result = await Searching(tmp_path, ripgrep, FakeEditor()).search(wanted)
    assert shown(result) == [("12/1250.txt", 2, [(1, True, "needle"), (2, True, "in hay")])]
    assert result.searched == 1_300


@pytest.mark.parametrize("swift_width", [0, SWIFT])
@pytest.mark.parametrize("ripgrep", BACKENDS)
async def test_a_limit_is_kept_and_the_rest_is_not_searched(
    tmp_path: Path, ripgrep: str, swift_width: int
) -> None:
    for number in range(3_000):
        (tmp_path / f"{number % 30}").mkdir(exist_ok=True)
        (tmp_path / f"{number % 30}" / f"{number}.txt").write_text("needle\n")
    workspace = Searching(tmp_path, ripgrep, FakeEditor())
    result = await workspace.search(needing("needle", "needle", limit=5, swift_width=swift_width))
    assert (len(result.files), result.more) == (5, True)
    assert result.searched < 2_500
    wanted = needing("needle", "needle", limit=3_000, swift_width=swift_width)
    everything = await workspace.search(wanted)
    assert (len(everything.files), everything.more, everything.searched) == (3_000, False, 3_000)


@pytest.mark.parametrize("ripgrep", [*BACKENDS, pytest.param("/no/such/program", id="gone")])
async def test_files_that_ripgrep_cannot_read_are_searched(tmp_path: Path, ripgrep: str) -> None:
    (tmp_path / "plain.txt").write_text("needle")
    (tmp_path / "wide.txt").write_text("needle", encoding="utf-16")
    for number in range(60):
        (tmp_path / f"{number}.log").write_text("needle")
    (tmp_path / ".gitignore").write_text("*.log")
    os.mkfifo(tmp_path / "pipe")
    result = await Searching(tmp_path, ripgrep, FakeEditor()).search(needing("needle", "needle"))
    assert [file.name for file in result.files] == ["plain.txt", "wide.txt"]


def test_a_sieve_without_a_program_or_without_a_text_lets_everything_through() -> None:
    folders = [Folder(("a",), ["b"], whole=True)]
    for sieve in (Sieve("", ["needle"], 10), Sieve(RIPGREP, [], 10)):
        assert list(sieve.sieved(-1, folders)) == folders


@pytest.mark.skipif(not RIPGREP, reason="ripgrep is not installed")
def test_large_files_that_ripgrep_is_not_given_are_let_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {"large": "hay " * 50, "small": "hay", "found": "needle"}.items():
        (tmp_path / name).write_text(text)
    batch = Folder((), ["large", "small", "found"], whole=False)
    with opened(os.open(tmp_path, os.O_RDONLY)) as root:
        folders = list(Sieve(RIPGREP, ["needle"], 100, sizes=(1, 0)).sieved(root, [batch]))
    assert [sorted(folder.files) for folder in folders] == [["found", "large"]]


def plant_many(root: Path, endless: bool) -> None:
    for number in range(1_300):
        (root / f"{number // 100}").mkdir(parents=True, exist_ok=True)
        (root / f"{number // 100}/{number}.txt").write_text("needle" if number == 1_250 else "hay")
    if endless:
        with (root / "12/endless").open("wb") as sparse:
            sparse.truncate(1 << 40)


@pytest.mark.parametrize("swift_width", [0, SWIFT])
async def test_endless_file_among_many_does_not_hold_up_a_search(
    tmp_path: Path, swift_width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quick_search, "_STALL", 1.0)
    plant_many(tmp_path, endless=True)
    wanted = needing("needle", "needle", swift_width=swift_width)
    result = await Searching(tmp_path, RIPGREP, FakeEditor()).search(wanted)
    assert ([file.name for file in result.files], result.stopped) == (["12/1250.txt"], False)


def sleeping_ripgrep(folder: Path) -> str:
    program = folder / "rg"
    program.write_text("#!/bin/sh\nsleep 1000\n")
    program.chmod(0o755)
    return str(program)


async def test_time_limit_covers_ripgrep_and_keeps_what_was_found(tmp_path: Path) -> None:
    plant_many(tmp_path / "tree", endless=False)
    (tmp_path / "tree/0/0.txt").write_text("needle")
    workspace = Searching(tmp_path / "tree", sleeping_ripgrep(tmp_path), FakeEditor())
    result = await workspace.search(needing("needle", "needle", swift_width=SWIFT, seconds=4.0))
    assert ([file.name for file in result.files], result.stopped) == (["0/0.txt"], True)
    assert not workspace.running()


async def test_ripgrep_asked_for_at_the_end_of_a_search_is_not_started() -> None:
    started: list[Sequence[str]] = []

    async def run(arguments: Sequence[str]) -> Sequence[bytes]:
        started.append(arguments)
        return [b"late"]

    ripgrep = quick_search._Ripgrep(run)
    batch = ripgrep.start(["rg"])
    await ripgrep.aclose()
    assert await asyncio.to_thread(batch.found, None) == ()
    assert not started


async def test_cancelled_search_leaves_no_ripgrep_behind(tmp_path: Path) -> None:
    plant_many(tmp_path / "tree", endless=False)
    workspace = Searching(tmp_path / "tree", sleeping_ripgrep(tmp_path), FakeEditor())
    searching = asyncio.create_task(workspace.search(needing("needle", "needle", swift_width=SWIFT)))
    await become(workspace.running)
    searching.cancel()
    with pytest.raises(asyncio.CancelledError):
        await searching
    assert not workspace.running()


async def test_quick_search_misses_nothing_when_ripgrep_fails(tmp_path: Path) -> None:
    plant_many(tmp_path, endless=False)
    (tmp_path / "rg").write_text("#!/bin/sh\nexit 2\n")
    (tmp_path / "rg").chmod(0o755)
    for ripgrep in (str(tmp_path / "rg"), "/no/such/program"):
        wanted = needing("needle", "needle", swift_width=SWIFT)
        result = await Searching(tmp_path, ripgrep, FakeEditor()).search(wanted)
        assert [file.name for file in result.files] == ["12/1250.txt"]


@pytest.mark.parametrize("text", ["x" * 300_000 + "\nneedle", "needle" + "x" * SWIFT])
async def test_text_that_is_too_much_for_a_thread_is_searched_by_the_program(
    tmp_path: Path, text: str
) -> None:
    (tmp_path / "a.txt").write_text(text)
    wanted = needing("needle", "needle", swift_width=SWIFT)
    result = await Searching(tmp_path, RIPGREP, FakeEditor()).search(wanted)
    assert [file.name for file in result.files] == ["a.txt"]


@pytest.mark.parametrize("ripgrep", BACKENDS)
async def test_a_folder_that_becomes_a_link_is_not_searched(tmp_path: Path, ripgrep: str) -> None:
    """What is outside is never read, however the tree changes under the search."""
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/a.txt").write_text("needle outside\n")
    root = tmp_path / "root"
    (root / "here").mkdir(parents=True)
    (root / "here/a.txt").write_text("hay\n")
    workspace = Searching(root, ripgrep, FakeEditor())

    async def swap() -> None:
        while True:
            (root / "here").rename(root / "aside")
            (root / "here").symlink_to(tmp_path / "outside")
            await asyncio.sleep(0.001)
            (root / "here").unlink()
            (root / "aside").rename(root / "here")
            await asyncio.sleep(0.001)

    swapping = asyncio.create_task(swap())
    try:
        searches = [needing("needle", "needle", swift_width=width) for width in (0, SWIFT)]
        results = [await workspace.search(wanted) for _ in range(10) for wanted in searches]
    finally:
        swapping.cancel()
    assert not any(result.files for result in results)


FILES = {
    "plain": "find größer\n".encode(),
    "marked": b"\xef\xbb\xbffind gr\xc3\xb6\xc3\x9fer",
    "wide": "x\r\nfind größer\r\n".encode("utf-16"),
    "wide, big-endian": b"\xfe\xff" + "find größer".encode("utf-16-be"),
    "Latin-1": "find größer".encode("latin-1"),
    "broken": b"\xff\xfe\x00",
    "binary": b"find gr\xc3\xb6\xc3\x9fer\0",
    "large": "find größer".encode() + b" " * 100,
    "very large": "find größer".encode() + b" " * 2_000,
    "empty": b"",
}


@pytest.mark.parametrize("ripgrep", BACKENDS)
async def test_no_file_is_missed_that_the_workspace_reads(tmp_path: Path, ripgrep: str) -> None:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    searched = sorted(FILES.keys() - {"broken", "binary", "very large", "empty"})
    readable = [name for name in searched if name != "large"]
    assert all("find größer" in read_text(Ground(str(tmp_path)).enter(name), 100).text for name in readable)
    workspace = Searching(tmp_path, ripgrep, FakeEditor())
    for texts in ((), ("find gr",)):
        wanted = needing("^FIND größer *$", *texts, ignore_case=True, max_bytes=100)
        found = await workspace.search(wanted)
        assert [file.name for file in found.files] == searched
        assert found.large == ["very large"]


@given(st.text(alphabet="ab\r\n\x0b\x85\u2028"))
def test_lines_end_where_lsp_says(text: str) -> None:
    lines = re.split(r"\r\n|\r|\n", text)
    assert lines_of(text) == (lines if lines[-1] else lines[:-1])


async def test_abandoned_search_ends(tmp_path: Path) -> None:
    (tmp_path / "trap.txt").write_text("a" * 40 + "!\n")
    for watch in within(2.0):
        with watch, pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await Searching(tmp_path, "", FakeEditor()).search(needing("(a+)+$"))


def test_the_program_needs_only_the_standard_library(tmp_path: Path) -> None:
    (tmp_path / "yes").write_text("B")
    (tmp_path / "no").write_text("c")
    question = {
        "start": (), "real": str(tmp_path), "patterns": [["**", "*"]], "left_out": [], "only": [],
        "excluded": [],
        "hidden": [], "roots": [], "closed": [],
        "texts": {}, "large": [], "new": [], "multiline": False, "offset": 0,
        "expression": "b", "ignore_case": True, "needed": ["b"], "ripgrep": "",
        "max_bytes": 100, "limit": 5, "by_line": True, "first_only": False, "context": 0, "width": 80,
        "seconds": 5,
    }  # fmt: skip
    done = subprocess.run(
        tree._SEARCHER, cwd=tmp_path, check=True, text=True, input=json.dumps(question), capture_output=True
    )
    assert [json.loads(line) for line in done.stdout.splitlines()] == [
        ["yes", 1, [[0, True, "B"]]],
        {"searched": 2, "more": False, "stopped": False, "problem": 0, "binary": [], "large": []},
    ]
    assert done.stderr == ""
