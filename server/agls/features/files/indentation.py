"""The indentation of lines that stand in a file with another one than they were given with."""

from collections.abc import Sequence
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
    return actual + rest if shifted or not rest else None
