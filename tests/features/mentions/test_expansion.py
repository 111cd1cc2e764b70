"""Mentions become pieces of the prompt, when there is something that they name."""

from functools import partial
from pathlib import Path

import pytest

from agls.engine.vocabulary import Focus, Resource, ResourceLink
from agls.features.mentions.expansion import expand
from agls.features.mentions.named_lines import CUT, MOST_CHARACTERS
from agls.features.mentions.settings import Settings
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "src").mkdir(parents=True)
    (folder / "src" / "app.py").write_text("one\ntwo\nthree\n")
    (folder / "a b.py").write_text("x\n")
    (folder / "odd:7").write_text("x\n")
    (folder / "picture.png").write_bytes(b"\x89PNG\0")
    (folder / "secret.key").write_text("canary")
    (tmp_path / "outside.py").write_text("canary")
    (folder / "link.py").symlink_to(tmp_path / "outside.py")
    (folder / "code.ts").write_text(
        "export async function load(x) {}\nconst limit = 3\n  const inner = 4\nload()\nclass Shape<T> {}\n"
    )
    (folder / "more.go").write_text("func (s *Server) Shape(x int) error {\n")
    (folder / "settings.py").write_text("DEPTH: int = 3\nif DEPTH == 3:\n    pass\n")
    return folder


async def diff() -> str:
    """Stand for git."""
    return "+new\n"


async def pieces(root: Path, text: str, focus: Focus | None = None, **settings: object) -> list[object]:
    hidden = (r"(?:.*/)?secret\.key",)
    editor = FakeEditor()
    editor.focus = focus
    start = {"start": {"line": 2, "character": 0}}
    row = {"range": start, "severity": 1, "message": "x is\nnot defined", "source": "checker"}
    named = {"src/app.py": [row, {"message": 5}], "secret.key": [row], "a b.py": []}
    editor.problems = {(root / name).as_uri(): rows for name, rows in named.items()}
    workspace = OpenWorkspace(str(root), (), editor, Processes(), hidden=hidden)
    chosen = Settings.model_validate(settings)
    found = await expand(
        chosen, text, workspace, workspace.snapshots, diff, partial(workspace.diagnostics, "s")
    )
    return [one.name if isinstance(one, ResourceLink) else one for one in found]


async def test_mentions_of_files_and_folders_become_links_once_each(root: Path) -> None:
    text = 'Compare @src/app.py, @src/app.py with @src/ and @"a b.py". See @picture.png @odd:7 (@a).'
    found = await pieces(root, text)
    assert found == ["src/app.py", "src", "a b.py", "picture.png", "odd:7"]


async def test_pattern_links_the_files_that_fit_up_to_a_bound(root: Path) -> None:
    assert await pieces(root, "Tidy @*.py, then @src/*.{py,pyi}; @**/*.rs.") == [
        "a b.py", "settings.py", "src/app.py"
    ]  # fmt: skip
    assert await pieces(root, '(see @[ac]*.ts and "@*.key", "@*", @**, @../*.py)') == ["code.ts"]
    for number in range(30):
        (root / f"many{number:02}.txt").write_text("x")
    note, *linked = await pieces(root, "@many*.txt?")
    assert isinstance(note, Resource)
    assert "many*.txt fits 30 files. Linked are the first 20" in note.text
    assert linked == [f"many{number:02}.txt" for number in range(20)]


async def test_mention_of_lines_brings_the_lines(root: Path) -> None:
    uri = (root / "src" / "app.py").as_uri()
    assert await pieces(root, "@src/app.py:2-9.") == [Resource(f"{uri}#L2-L3", "two\nthree\n")]
    assert await pieces(root, "@src/app.py:1") == [Resource(f"{uri}#L1-L1", "one\n")]


@pytest.mark.parametrize(
    "text",
    [
        "@dataclass",
        "me@example.com",
        "@../outside.py",
        "@link.py",
        "@/etc/passwd",
        "@secret.key",
        "@secret.key:1",
        "@src/app.py:9",
        "@src/gone.py",
        "@gone/app.py",
        "@picture.png:1",
        "@src/:1",
        "@app.py\0",
        "@" + "x" * 5000,
    ],
)
async def test_word_that_names_nothing_in_the_workspace_stays_a_word(root: Path, text: str) -> None:
    assert await pieces(root, text) == []


async def test_settings_switch_it_off_and_bound_it(root: Path) -> None:
    assert await pieces(root, "@src/app.py", enabled=False) == []
    assert await pieces(root, "@src/app.py @src @picture.png", most=2) == ["src/app.py", "src"]


async def test_long_lines_are_cut(root: Path) -> None:
    (root / "long.txt").write_text("x" * (MOST_CHARACTERS + 10))
    (piece,) = await pieces(root, "@long.txt:1")
    assert isinstance(piece, Resource)
    assert piece.text == "x" * MOST_CHARACTERS + CUT.format(1)


async def test_sources_bring_what_is_uncommitted_and_what_the_editor_shows_as_wrong(root: Path) -> None:
    shown = Resource(
        f"{(root / 'src/app.py').as_uri()}#diagnostics", "line 3: error: x is not defined (checker)\n5\n"
    )
    found = await pieces(root, "Fix @diagnostics, then look at @diff.")
    assert found == [shown, Resource("agls:diff", "+new\n")]
    (root / "diff").write_text("x\n")
    assert await pieces(root, "@./diff") == ["diff"], "a file of that name is meant by its path"


async def test_addresses_become_links(root: Path) -> None:
    assert await pieces(root, "read @https://example.org/a?b=c. And @http:// or @ftp://x.org") == [
        "https://example.org/a?b=c"
    ]


@pytest.mark.parametrize(
    ("name", "places"),
    [
        ("load", ["load in code.ts:1"]),
        ("limit", ["limit in code.ts:2"]),
        ("Shape", ["Shape in code.ts:5", "Shape in more.go:1"]),
        ("DEPTH", ["DEPTH in settings.py:1"]),
        ("inner", []),
        ("Sha", []),
        ("shape", []),
        ("x", []),
    ],
)
async def test_name_that_is_defined_becomes_links_to_its_definitions(
    root: Path, name: str, places: list[str]
) -> None:
    assert await pieces(root, f"what is @{name}?") == places


async def test_decorator_in_code_that_was_pasted_stays_a_word(root: Path) -> None:
    assert await pieces(root, "why does this fail?\n@load\ndef f(): ...") == []


async def test_selection_is_what_is_selected_else_where_the_cursor_is_else_nothing(root: Path) -> None:
    app = (root / "src" / "app.py").as_uri()
    selected = Focus(app, (2, 3), selected=True)
    assert await pieces(root, "explain #selection", selected) == [Resource(f"{app}#L2-L3", "two\nthree\n")]
    assert await pieces(root, "explain @selection", Focus(app, (2, 2))) == [
        "src/app.py:2, where the cursor is"
    ]
    assert await pieces(root, "explain #editor", selected) == ["src/app.py"]
    assert await pieces(root, "explain #selection and #file") == []
    hidden = Focus((root / "secret.key").as_uri(), (1, 1), selected=True)
    assert await pieces(root, "explain #selection", hidden) == []


async def test_file_of_other_products_is_found_by_its_name_alone(root: Path) -> None:
    (root / "more").mkdir()
    (root / "more" / "app.py").write_text("x\n")
    assert sorted(map(str, await pieces(root, "#file:app.py"))) == ["more/app.py", "src/app.py"]
    assert await pieces(root, "#file:src/app.py") == ["src/app.py"]
    assert await pieces(root, "#file:secret.key #file:outside.py #file:pp.py and @app.py") == []


async def test_workspace_is_the_folder_and_problems_are_diagnostics(root: Path) -> None:
    assert await pieces(root, "@workspace, #codebase and @codebase") == ["the whole workspace"]
    assert await pieces(root, "#problems #changes") == await pieces(root, "@diagnostics @diff")


async def test_named_lines_are_those_that_editors_count(root: Path) -> None:
    """A form feed, a line separator and the like stand inside a line; CR, LF and CR LF end one."""
    file = root / "pages.py"
    file.write_bytes("one\n\x0c\ntwo\u2028\x85x\r\nthree\rfour\n".encode())
    assert await pieces(root, "@pages.py:4") == [Resource(f"{file.as_uri()}#L4-L4", "three\r")]
    selected = Focus(file.as_uri(), (3, 4), selected=True)
    assert await pieces(root, "@selection", selected) == [
        Resource(f"{file.as_uri()}#L3-L4", "two\u2028\x85x\r\nthree\r")
    ]


@pytest.mark.parametrize(("span", "lines"), [("0-2", "L1-L2"), ("2-1", "L1-L2"), ("0", "L1-L1")])
async def test_span_that_begins_at_nothing_or_backwards_is_understood(
    root: Path, span: str, lines: str
) -> None:
    (piece,) = await pieces(root, f"@src/app.py:{span}")
    assert isinstance(piece, Resource)
    assert piece.uri.endswith(f"/src/app.py#{lines}")
    assert piece.text == ("one\n" if span == "0" else "one\ntwo\n")


async def test_cut_of_named_lines_says_where_it_is(root: Path) -> None:
    (root / "long.txt").write_text(f"{'x' * 99}\n" * 1_000)
    (piece,) = await pieces(root, "@long.txt:101-1000")
    assert isinstance(piece, Resource)
    assert piece.uri.endswith("/long.txt#L101-L700")
    assert piece.text[MOST_CHARACTERS:] == CUT.format(700)


async def test_lines_of_a_file_too_large_to_be_read_whole_are_named_as_well(root: Path) -> None:
    (root / "huge.log").write_text("".join(f"line {number:06}\n" for number in range(1, 900_001)))
    (piece,) = await pieces(root, "@huge.log:899999-900007")
    assert isinstance(piece, Resource)
    assert piece.uri.endswith("/huge.log#L899999-L900000")
    assert piece.text == "line 899999\nline 900000\n"


async def test_selection_in_a_file_that_cannot_be_read_is_a_link_to_it(root: Path) -> None:
    selected = Focus((root / "picture.png").as_uri(), (1, 2), selected=True)
    assert await pieces(root, "@selection", selected) == ["picture.png"]
