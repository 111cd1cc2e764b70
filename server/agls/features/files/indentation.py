"""The indentation of lines that stand in a file with another one than they were given with."""

from collections.abc import Mapping, Sequence
from itertools import takewhile


def indent_like(old: Sequence[str], found: Sequence[str], new: Sequence[str]) -> list[str] | None:
    """Return `new` with the indentation of the file, where `old` stands as `found`; `None` when in doubt."""
    known: dict[str, str] = {}
    for line, actual in zip(old, found, strict=True):
        if line.strip() and known.setdefault(_indent(line), _indent(actual)) != _indent(actual):
            return None
    result: list[str] = []
    for line in new:
        indent = _translated(_indent(line), known) if line.strip() else ""
        if indent is None:
            return None
        result.append(indent + line.lstrip(" \t"))
    return result


def _indent(line: str) -> str:
    return "".join(takewhile(" \t".__contains__, line))


def _translated(indent: str, known: dict[str, str]) -> str | None:
    base = max((old for old in known if indent.startswith(old)), key=len, default=None)
    if base is None:
        return None
    actual, rest = known[base], indent[len(base) :]
    shifted = actual.endswith(base) or base.endswith(actual)  # else tabs stand for spaces, or the reverse
    is_mixed = bool(actual and rest) and {*actual} != {*rest}
    return actual + rest if (shifted and not is_mixed) or not rest else _exchanged(indent, known)


def _exchanged(indent: str, known: Mapping[str, str]) -> str | None:
    """Return an indentation in the file's tabs for spaces, or the reverse; `None` in doubt of how many."""
    ours, theirs = {*"".join(known), *indent}, {*"".join(known.values())}
    if len(ours) != 1 or len(theirs) != 1:
        return None
    sizes = sorted((len(old), len(actual)) for old, actual in known.items())
    if len(sizes) == 1 and (4 * min(sizes[0]) == max(sizes[0]) or sizes[0] in {(1, 2), (2, 1)}):
        sizes = [(0, 0), *sizes]  # as usual, four for one or two for one
    given, there = sizes[0]
    factors = {(size - there) / (width - given) for width, size in sizes[1:]}
    if len(factors) != 1:
        return None
    size = there + (len(indent) - given) * factors.pop()
    return theirs.pop() * int(size) if size == int(size) and size >= 0 else None
