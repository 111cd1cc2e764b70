"""Ignore files: `.gitignore`, `.ignore`, `.aglsignore` in every folder, `.git/info/exclude` of the root.

This module is used in isolated programs: it imports nothing but the standard library.
"""

import os
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import lru_cache
from itertools import groupby, islice
from threading import Lock

from agls.regex import regex
from agls.workspace.globs import Pattern, beneath, names_here, names_matcher, parse_parts
from agls.workspace.handles import check_regular, open_beneath, opened

_NAMES = (
    (".git", "info", "exclude"),
    (".gitignore",),
    (".ignore",),
    (".aglsignore",),
)  # the later, the stronger
FILES = tuple(path[0] for path in _NAMES)
_LONGEST = 200_000  # bytes of an ignore file; the rest is skipped
_DEEPEST = 50  # parts of a rule; one with more says nothing
_MOST = 5_000  # rules of one file that hold in a folder, the strongest
_ONE_AT_A_TIME = Lock()  # or threads that meet the same file each compile it, and starve the event loop
_BLANKS = regex(r"(?<![\\ ]) +\Z")

Rule = tuple[Pattern, bool, bool]  # its pattern, whether it is negated, whether it matches only folders
Source = tuple[Rule, ...]  # the rules of one ignore file, the later the stronger
Choice = Callable[[Collection[str]], set[str]]


class Rules:
    """The rules for one folder: the rest of each ignore file that applies there, weakest first."""

    def __init__(self, sources: tuple[Source, ...] = ()) -> None:
        self._sources = sources

    def within(self, folder: int, names: Collection[str], *, top: bool) -> "Rules":
        """Return these rules with those of the ignore files in the open `folder`, which contains `names`.

        `top` is whether it is the root of the workspace.
        """
        paths = [path for path in _NAMES if path[0] in names and (top or len(path) == 1)]
        texts = [_text(folder, path) for path in paths]
        with _ONE_AT_A_TIME:
            added = [source for text in texts if (source := _parsed(text))]
        return Rules((*self._sources, *added)) if added else self

    def beneath(self, folder: str) -> "Rules":
        """Return what is left of these rules inside this folder."""
        left = (_source_beneath(source, folder) for source in self._sources)
        return Rules(tuple(source for source in left if source))

    def ignored(self, names: Collection[str], *, folders: bool) -> set[str]:
        """Return the ignored ones of these files (or folders): the last rule that matches a name decides."""
        ignored: set[str] = set()
        undecided = set(names) if self._sources else ignored
        for source in reversed(self._sources):
            with _ONE_AT_A_TIME:
                runs = _runs(source, folders)
            for matching, verdict in runs:
                mentioned = matching(undecided)
                undecided -= mentioned
                if verdict:
                    ignored |= mentioned
        return ignored


@lru_cache(maxsize=64)
def _parsed(text: str) -> Source:
    return tuple(filter(None, map(_rule, text.split("\n"))))[-_MOST:]


def _rule(line: str) -> Rule | None:
    text = _BLANKS.sub("", line.removesuffix("\r"))
    taken_back = text.startswith("!")
    text = text.removeprefix("!") if taken_back else text
    if not text.strip("/") or line.startswith("#"):
        return None
    pattern = parse_parts(text, anywhere="/" not in text.rstrip("/"))
    return (pattern, taken_back, text.endswith("/")) if len(pattern) <= _DEEPEST else None


def _source_beneath(source: Source, folder: str) -> Source:
    if all(_is_anywhere(pattern) for pattern, _, _ in source):
        return source
    left = reversed(tuple(_rules_beneath(source, folder)))  # of two that are the same the later counts
    return tuple(islice(dict.fromkeys(left), _MOST))[::-1]


def _is_anywhere(pattern: Pattern) -> bool:
    """Return whether the pattern is one name in any folder; most are, and stay the same in every folder."""
    return len(pattern) == 2 and pattern[0] == "**"


def _rules_beneath(source: Source, folder: str) -> Iterator[Rule]:
    for pattern, taken_back, only_folders in source:
        for left in (pattern,) if _is_anywhere(pattern) else beneath((pattern,), folder):
            yield left, taken_back, only_folders


@lru_cache(maxsize=256)
def _runs(source: Source, folders: bool) -> list[tuple[Choice, bool]]:
    """Return the rules of one ignore file for this folder, strongest first, each with its verdict."""
    rules = (
        (name, taken_back)
        for pattern, taken_back, only_folders in reversed(source)
        if folders or not only_folders
        for name in names_here((pattern,))
    )
    return [
        (names_matcher(tuple(name for name, _ in run)), not taken_back)
        for taken_back, run in groupby(rules, key=lambda rule: rule[1])
    ]


def _text(folder: int, name: tuple[str, ...]) -> str:
    with suppress(OSError), opened(open_beneath(folder, name, os.O_RDONLY)) as handle:
        check_regular(handle)
        return os.read(handle, _LONGEST).decode("utf-8", "replace")
    return ""
