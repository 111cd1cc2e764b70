"""Entries in a file of Markdown that a person also writes: found, added, changed and taken out. Pure.

A list item or a paragraph is an entry; headings, comments and blank lines are not. Where an entry came from
stands in a comment behind it: `- Use tabs. <!-- 2026-11-23, model, ses_1f2e -->`.
"""

import re
from collections.abc import Sequence
from textwrap import dedent

from agls.frozen import frozen
from agls.regex import regex

_ITEM = regex(r"\A(?:[-*+]|\d{1,9}[.)])[ \t]+")
_FENCE = regex(r"\s*(?:```|~~~)")
_COMMENT = regex(r"[ \t]*<!--(.*?)-->", re.DOTALL)
_ORIGIN = regex(r"\s*(\d{4}-\d\d-\d\d), (user|model)(?:, (\S+))?\s*")


@frozen
class EntryOrigin:
    """When an entry was written, `by` the user or the model, and in which session ("": not known)."""

    date: str = ""
    by: str = ""
    session_id: str = ""

    def __str__(self) -> str:
        return ", ".join(part for part in (self.date, self.by, self.session_id) if part)


@frozen
class MemoryEntry:
    """An entry: its text without list mark and comments, and its lines, from `first` up to `end`."""

    text: str
    first: int
    end: int
    origin: EntryOrigin = EntryOrigin()


def entries_in(text: str) -> tuple[MemoryEntry, ...]:
    """**Returns** the entries of a file, in their order."""
    if not text:
        return ()
    found: list[MemoryEntry] = []
    lines = text.split("\n")
    start: int | None = None
    in_fence = False
    for place, line in enumerate([*lines, "#"]):
        begins = not in_fence and bool(line.strip()) and not line.startswith((" ", "\t"))
        ends = begins and (bool(_ITEM.match(line)) or line.startswith("#") or not lines[place - 1].strip())
        if start is not None and (ends or place == len(lines)):
            found.append(_entry(lines, start, place))
            start = None
        if begins and start is None and not line.startswith("#"):
            start = place
        if _FENCE.match(line):
            in_fence = not in_fence
    return tuple(entry for entry in found if entry.text)


def with_entry(text: str, heading: str, entry: str, origin: EntryOrigin) -> str:
    """**Returns** the file with one entry more, at its end; a new file begins with the heading."""
    before = text.rstrip("\n") or f"# {heading}\n"
    return f"{before}\n{_line(entry, origin)}\n"


def with_change(text: str, old: MemoryEntry, entry: str, origin: EntryOrigin) -> str:
    """**Returns** the file with another text in the place of an entry."""
    lines = text.split("\n")
    return "\n".join([*lines[: old.first], _line(entry, origin), *lines[old.end :]])


def without_entries(text: str, gone: Sequence[MemoryEntry]) -> str:
    """**Returns** the file without these entries."""
    lines = text.split("\n")
    taken = {place for entry in gone for place in range(entry.first, entry.end)}
    return "\n".join(line for place, line in enumerate(lines) if place not in taken)


def _line(entry: str, origin: EntryOrigin) -> str:
    return f"- {entry} <!-- {origin} -->"


def _entry(lines: Sequence[str], start: int, end: int) -> MemoryEntry:
    while not lines[end - 1].strip():
        end -= 1
    first, *others = lines[start:end]
    behind = [dedent("\n".join(others))] if others else []
    whole = "\n".join([_ITEM.sub("", first, count=1), *behind])
    origins = [found for each in _COMMENT.finditer(whole) if (found := _ORIGIN.fullmatch(each[1]))]
    origin = EntryOrigin(*(part or "" for part in origins[-1].groups())) if origins else EntryOrigin()
    return MemoryEntry(_COMMENT.sub("", whole).strip(), start, end, origin)
