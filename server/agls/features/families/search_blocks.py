"""Edits between `SEARCH` and `REPLACE`, in the form that several products teach their models."""

from collections.abc import Sequence

from agls.engine.vocabulary import JsonObject
from agls.regex import regex

_BEGIN = regex(r"(?:-{3,}|<{3,}) ?SEARCH>?$")
_MIDDLE = regex(r"={7,}$")
_END = regex(r"(?:\+{3,}|>{3,}) ?REPLACE>?$")
_PLACE = regex(r":(?:start|end)_line: ?\d+$|-{7}$")  # above the lines: they are found without it


def read_search_blocks(text: str) -> Sequence[JsonObject]:
    """Return the edits of the text, as `multi_edit` takes them; none where it is not of this form."""
    edits: list[JsonObject] = []
    sides: list[list[str]] = []
    for line in text.splitlines(keepends=True):
        bare = line.rstrip()
        if not sides:
            if _BEGIN.match(bare):
                sides = [[]]
            elif bare:
                return ()
        elif len(sides) == 1 and _MIDDLE.match(bare):
            sides.append([])
        elif len(sides) == 2 and _END.match(bare):
            edits.append(_edit(*sides))
            sides = []
        elif len(sides) > 1 or sides[0] or not _PLACE.match(bare):
            sides[-1].append(line)
    return () if sides else edits


def _edit(old: Sequence[str], new: Sequence[str]) -> JsonObject:
    """Return one edit; the line end before a mark belongs to the mark, unless a side has no lines."""
    texts = "".join(old), "".join(new)
    if old and new:
        texts = texts[0].removesuffix("\n"), texts[1].removesuffix("\n")
    return {"old_text": texts[0], "new_text": texts[1]}
