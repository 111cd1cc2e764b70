"""The text of a patch, in the forms that models write."""

import re
from collections.abc import Sequence
from dataclasses import replace

from agls.regex import regex
from agls.room.home_paths import from_home

from .envelope import FORM, first_mark, read_envelope
from .lines import flatten
from .patch_parts import FilePatch, PatchError
from .unified import first_head, read_unified

OTHER_FORMS = (
    (
        regex(r"^<{5,9} ?SEARCH\b", re.MULTILINE),
        "These are blocks of search and replace, not a patch: give their two texts to edit_file, as "
        "old_text and new_text.",
    ),
    (
        regex(r"^\*{15}$|^\d+(?:,\d+)?[acd]\d+(?:,\d+)?$", re.MULTILINE),
        "This diff is not a unified one, which is the form that is understood: diff -u makes it.",
    ),
    (
        regex(r"^@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|^\+\+\+ ", re.MULTILINE),
        "This diff does not name its file: put `--- a/path` and `+++ b/path` above its first @@.",
    ),
)


def read_patch_text(text: str) -> tuple[FilePatch, ...]:
    """Return what the patch says, with the home folder in the place of a `~` at the beginning of a path.

    **Raises** `PatchError`, which says how to write one.
    """
    return tuple(replace(each, path=from_home(each.path), to=from_home(each.to)) for each in _parts(text))


def _dedented(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without the white space that all of them begin with, from the first one on."""
    margin = lines[0][: len(lines[0]) - len(lines[0].lstrip(" \t"))]
    is_common = margin and all(line.startswith(margin) or not line.strip() for line in lines)
    return [line.removeprefix(margin) for line in lines] if is_common else lines


def _parts(text: str) -> Sequence[FilePatch]:
    lines = flatten(text).strip("\n").split("\n")
    if len(lines) > 1 and lines[0].startswith("```") and lines[-1].startswith("```"):
        lines = lines[1:-1]
    if len(lines) == 1 and "\\n" in text:
        raise PatchError(
            f"The patch is a single line, with \\n where line ends are meant: send these. {FORM}"
        )
    lines = _dedented(lines)
    mark, head = first_mark(lines), first_head(lines)
    if mark is not None and (head is None or mark < head):
        return read_envelope(lines)
    if head is not None:  # the marks of an envelope may stand in the lines of a diff
        return read_unified(lines)
    for form, advice in OTHER_FORMS:
        if form.search("\n".join(lines)):
            raise PatchError(f"{advice} Nothing was changed.")
    raise PatchError(f"This is no patch. {FORM}\nA unified diff with `---` and `+++` will do as well.")
