"""Patterns of paths, matched name by name on the way down a tree.

A pattern is a tuple with one part for each folder and the name at the end: `*`, `?` and `[…]` within a name,
`**` for any folders, a backslash before a character that means itself. However hostile a pattern or a name,
matching costs no more than the product of their lengths. This module is used in isolated programs: it imports
nothing but the standard library.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from fnmatch import translate
from functools import lru_cache
from unicodedata import normalize

from agls.regex import regex

Pattern = tuple[str, ...]

ALTERNATIVES = 256  # patterns that braces may stand for
LONGEST = 1_000  # characters of a pattern's part: file names are shorter
TOGETHER = 4_000  # characters of the patterns that are one regular expression

_BRACES = regex(r"\{([^{}]*,[^{}]*)\}")
_SPECIAL = regex(r"\\(.)|\[\^", re.DOTALL)
_WILD = regex(r"[*?\[\\]")


def parse_glob(glob: str) -> tuple[Pattern, ...]:
    """Read a glob of a user or a model: `{a,b}` for either, without a slash a name in any folder.

    **Raises** `ValueError` for braces that stand for too much.
    """
    return tuple(_pattern(alternative) for alternative in _alternatives(glob))


def parse_parts(glob: str, *, anywhere: bool) -> Pattern:
    """Split a pattern at its slashes; what may be `anywhere` is looked for in every folder."""
    parts = ["**"] if anywhere else []
    for name in glob.split("/"):
        if name not in ("", ".") and not (name == "**" and parts[-1:] == ["**"]):
            parts.append(name)
    return (*parts, "*") if parts[-1:] == ["**"] else tuple(parts)


def beneath(patterns: Iterable[Pattern], folder: str) -> tuple[Pattern, ...]:
    """Return what is left of the patterns inside this folder."""
    left: dict[Pattern, None] = {}
    for pattern in patterns:
        rest = pattern
        if pattern[0] == "**":
            left[pattern] = None
            rest = pattern[1:]
        if len(rest) > 1 and names_matcher((rest[0],))((folder,)):
            left[rest[1:]] = None
    return tuple(left)


def names_here(patterns: Iterable[Pattern]) -> tuple[str, ...]:
    """Return the last parts of the patterns that can match a name in this folder."""
    return tuple(pattern[-1] for pattern in patterns if len(pattern) == 1 + (pattern[0] == "**"))


@lru_cache(maxsize=1_024)
def names_matcher(patterns: tuple[str, ...]) -> Callable[[Collection[str]], set[str]]:
    """Return a function that chooses the names that fit one of these parts, in any Unicode form."""
    if "".join(patterns).isascii():
        return _matcher(patterns)
    fitting = _matcher(tuple(normalize("NFC", pattern) for pattern in patterns))

    def fitting_composed(names: Collection[str]) -> set[str]:
        composed = {name: normalize("NFC", name) for name in names}
        found = fitting(composed.values())
        return {name for name, form in composed.items() if form in found}

    return fitting_composed


def _matcher(patterns: tuple[str, ...]) -> Callable[[Collection[str]], set[str]]:
    plain = frozenset(pattern for pattern in patterns if not _WILD.search(pattern))
    wild = [pattern for pattern in patterns if pattern not in plain and len(pattern) <= LONGEST]
    if "*" in wild:
        return set
    any_with_end = [pattern for pattern in wild if pattern[0] == "*" and not _WILD.search(pattern[1:])]
    ends = tuple(pattern[1:] for pattern in any_with_end)
    others = [pattern for pattern in wild if pattern not in any_with_end]
    beginnings = tuple({_beginning(pattern) for pattern in others})
    tests = [_expression(some) for some in _portions(others)]

    def fitting(names: Collection[str]) -> set[str]:
        found = set(plain.intersection(names))
        if ends:
            found.update([name for name in names if name.endswith(ends)])
        if tests:  # an expression takes five times as long as a look at how a name begins
            candidates = [name for name in names if name.startswith(beginnings)]
            found.update(name for test in tests for name in candidates if test(name))
        return found

    return fitting


def path_matcher(patterns: Sequence[Pattern]) -> Callable[[str], bool]:
    """Return a test for whole paths, with `/` between their names."""

    def matches(path: str) -> bool:
        *folders, name = path.split("/")
        left = tuple(patterns)
        for folder in folders:
            left = beneath(left, folder)
        return bool(names_matcher(names_here(left))((name,)))

    return matches


def _pattern(glob: str) -> Pattern:
    return parse_parts(glob, anywhere="/" not in glob.strip("/") and not glob.startswith("/"))


def _alternatives(glob: str) -> list[str]:
    done: list[str] = []
    todo = [glob]
    while todo:
        pattern = todo.pop()
        if found := _BRACES.search(pattern):
            before, after = pattern[: found.start()], pattern[found.end() :]
            todo += (before + choice + after for choice in found[1].split(","))
        else:
            done.append(pattern)
        if len(done) + len(todo) > ALTERNATIVES:
            raise ValueError(f"the braces of {glob!r} stand for more than {ALTERNATIVES} patterns")
    return done


def _beginning(pattern: str) -> str:
    """Return the text with which every name begins that fits this part of a pattern."""
    return _WILD.split(pattern, maxsplit=1)[0]


def _portions(patterns: Iterable[str]) -> Iterable[list[str]]:
    """Yield the patterns in portions, so that no single match can take long."""
    portion: list[str] = []
    size = 0
    for pattern in patterns:
        if portion and size + len(pattern) > TOGETHER:
            yield portion
            portion, size = [], 0
        portion.append(pattern)
        size += len(pattern)
    if portion:
        yield portion


def _expression(patterns: Iterable[str]) -> Callable[[str], object]:
    return re.compile("|".join(translate(_plain_glob(pattern)) for pattern in patterns)).match


def _plain_glob(pattern: str) -> str:
    """Return the pattern as `fnmatch` writes it: no backslashes, `!` for a negated choice."""
    return _SPECIAL.sub(lambda found: _escaped(found[1]) if found[1] else "[!", pattern)


def _escaped(character: str) -> str:
    return f"[{character}]" if character in "*?[" else character
