"""What an edit may lack: the right empty lines around it, indentation, a look at what is there already."""

from agls.diff import common_ends
from agls.engine.ports import WorkspaceError
from agls.regex import regex

_OUTER = regex(r"\n[ \t\n]*\Z")
_CLOSING = regex(r"[)\]}>]|end\b|else\b|elif\b|except\b|finally\b|fi\b|done\b|esac\b|#|//|</")
_OPENS_TEXT = regex(r"\"\"\"|'''|`|<<|\\$")
_WORD = regex(r"\w+")
_COMMON = frozenset(  # words that several places in a row may have
    {"end", "fi", "done", "esac", "else", "pass", "break", "continue", "return", "then", "do"}
)
_OF_NUMBERS = "0123456789."
_DIGITS_BEFORE = regex(r"[\d.]*$")
LONGEST = 40  # characters of a number that are shown before a place
_DIGITS = regex(r"[\d.]*\d")
CUT_NUMBER = (
    "old_text begins or ends within the number {number} of line {line}, of which a part would stay. Nothing "
    "was changed. Give the whole number, or more of the line."
)
REPEATED = (
    "new_text is already there, on line {line}: with this edit a part of it would stand there twice. "
    "Nothing was changed. If that is meant, give old_text with the lines that follow it there, too."
)
UNINDENTED = (
    "old_text is a part of line {line}, which is indented; the next lines of new_text are not. Nothing was "
    "changed. Give both texts as whole lines, with their indentation."
)


def without_outer_blanks(old: str, new: str) -> tuple[str, str]:
    """Return the texts without the empty lines that both have before or behind their own lines."""
    while old[:1] == new[:1] == "\n" and old.strip():
        old, new = old[1:], new[1:]
    ends = [_OUTER.search(text) for text in (old, new)]
    if old.strip() and ends[0] and ends[1] and ends[0][0] == ends[1][0]:
        old, new = old[: ends[0].start() + 1], new[: ends[1].start() + 1]
    return old, new


def line_already(flat: str, start: int, old: str, new: str, *, again: bool = False) -> int:
    """Return the line (from 1) on which `new` stands around the place of `old`; 0 when it does not.

    A part that says little, such as a bracket, may be wanted twice, unless the same edit is made `again`.
    """
    at = new.find(old)
    while at >= 0:
        rest = new[:at] + new[at + len(old) :]
        first = start - at
        is_there = first >= 0 and flat.startswith(new, first)
        if is_there and (again or (is_telling(rest) and _is_whole(flat, first, new))):
            return flat.count("\n", 0, first) + 1
        at = new.find(old, at + 1)
    return 0


def is_telling(text: str) -> bool:
    """Return whether a text has a word that does not stand twice in a row as a matter of course."""
    return not _COMMON.issuperset(_WORD.findall(text))


def check_number(flat: str, start: int, old: str, new: str) -> None:
    """Check that an edit changes no part of a number. **Raises** `WorkspaceError`."""
    head, tail = common_ends(old, new)
    begin, end = old[:head], old[len(old) - tail :]  # what stays; a part of the number may do so, too
    ends = ((start, not begin.strip(_OF_NUMBERS)), (start + len(old), not end.strip(_OF_NUMBERS)))
    for at, is_changed in ends:
        if is_changed and flat[at - 1 : at].isdigit() and flat[at : at + 1].isdigit():
            parts = _DIGITS_BEFORE.search(flat, max(0, at - LONGEST), at), _DIGITS.match(flat, at)
            number = "".join(part[0] for part in parts if part)
            raise WorkspaceError(CUT_NUMBER.format(number=number, line=flat.count("\n", 0, at) + 1))


def check_lines(flat: str, start: int, old: str, new: str) -> None:
    """Check an edit whose old text stands here. **Raises** `WorkspaceError` when it is not what is meant."""
    head, tail = new.partition("\n")[::2]
    indent = flat[flat.rfind("\n", 0, start) + 1 : start]
    if "\n" in old or not indent or indent.strip() or old[:1] in " \t" or not tail:
        return
    if not tail[:1].isspace() and not _CLOSING.match(tail) and not _OPENS_TEXT.search(head):
        raise WorkspaceError(UNINDENTED.format(line=flat.count("\n", 0, start) + 1))


def _is_whole(flat: str, first: int, new: str) -> bool:
    """Return whether a text stands there as lines or words of their own."""
    before, behind = flat[max(0, first - 1) : first], flat[first + len(new) : first + len(new) + 1]
    if "\n" in new and not new.endswith("\n") and behind not in {"", "\n"}:
        return False
    return not (_inside(before, new[0]) or _inside(new[-1], behind))


def _inside(one: str, other: str) -> bool:
    """Return whether two characters belong to one word."""
    return all(each.isalnum() or each == "_" for each in (one, other)) and bool(one and other)
