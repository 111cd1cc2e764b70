"""What a glob means."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.workspace.globs import parse_glob, path_matcher
from support.patience import within


def matcher(glob: str) -> Callable[[str], bool]:
    return path_matcher(parse_glob(glob))


@pytest.mark.parametrize(
    ("glob", "yes", "no"),
    [
        ("*.py", "a.py src/deep/b.py .hidden.py", "a.pyc a.py/x"),
        ("src/*.py", "src/a.py", "src/b/a.py a.py lib/src/a.py"),
        ("/a.py", "a.py", "src/a.py"),
        ("./src/*.py", "src/a.py", "src/x/a.py"),
        ("src/**/*.py", "src/a.py src/b/c/a.py", "lib/a.py src/a.js"),
        ("**/test_*.py", "test_a.py tests/test_a.py x/y/test_b.py", "a_test.py"),
        ("src/**", "src/a src/b/c", "lib/a"),
        ("a/**/**/b", "a/b a/x/b a/x/y/b", "a/c"),
        ("**", "a a/b/c", ""),
        ("*.{ts,tsx}", "a.ts x/b.tsx", "a.js"),
        ("{a,b/{c,d}}.txt", "a.txt b/c.txt b/d.txt", "b.txt c.txt"),
        ("file?.[ch]", "file1.c file2.h", "file.c file12.c"),
        ("[!a]*.md", "b.md", "a.md"),
        ("a{b}", "a{b}", "ab"),
    ],
)
def test_a_glob_means_these_paths(glob: str, yes: str, no: str) -> None:
    matches = matcher(glob)
    assert [path for path in yes.split() if not matches(path)] == []
    assert [path for path in no.split() if matches(path)] == []


def test_braces_that_stand_for_too_much_are_refused() -> None:
    with pytest.raises(ValueError, match="more than 256 patterns"):
        matcher("{a,b}" * 9)


@pytest.mark.parametrize("glob", ["*a" * 50 + "b", "**/a/" * 50 + "b", "?*" * 50 + "b"])
def test_hostile_glob_is_fast(glob: str) -> None:
    matches = matcher(glob)
    for watch in within(1.0):
        with watch:
            assert not matches("/".join(["a"] * 200))
            assert not matches("a" * 250)


@given(st.text("ab/.", min_size=1, max_size=12).filter(lambda path: path.strip("/.") and "//" not in path))
def test_a_path_without_special_characters_matches_itself(path: str) -> None:
    path = "/".join(name for name in path.split("/") if name not in ("", "."))
    assert matcher("/" + path)(path)
