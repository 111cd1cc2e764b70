"""What an edit may lack: the right empty lines around it, indentation, a look at what is there already."""

from agls.engine.ports import WorkspaceError
from agls.regex import regex

from .already import is_substantial

_OUTER = regex(r"\n[ \t\n]*\Z")
_CLOSING = regex(r"[)\]}>]|end\b|else\b|elif\b|except\b|finally\b|fi\b|done\b|esac\b|#|//|</")
_OPENS_TEXT = regex(r"\"\"\"|'''|`|<<|\\$")
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


def check_once(flat: str, start: int, old: str, new: str) -> None:
    """Check an edit whose old text stands here. **Raises** `WorkspaceError` when it is not what is meant."""
    line = flat.count("\n", 0, start) + 1
    at = new.find(old)
    while at >= 0:
        rest = new[:at] + new[at + len(old) :]
        first = start - at
        if (
            first >= 0
            and is_substantial(rest)
            and flat.startswith(new, first)
            and _is_whole(flat, first, new)
        ):
            raise WorkspaceError(REPEATED.format(line=flat.count("\n", 0, first) + 1))
        at = new.find(old, at + 1)
    head, tail = new.partition("\n")[::2]
    indent = flat[flat.rfind("\n", 0, start) + 1 : start]
    if "\n" in old or not indent or indent.strip() or old[:1] in " \t" or not tail:
        return
    if not tail[:1].isspace() and not _CLOSING.match(tail) and not _OPENS_TEXT.search(head):
        raise WorkspaceError(UNINDENTED.format(line=line))


def _is_whole(flat: str, first: int, new: str) -> bool:
    """Return whether a text stands there as lines or words of their own."""
    before, behind = flat[max(0, first - 1) : first], flat[first + len(new) : first + len(new) + 1]
    if "\n" in new and not new.endswith("\n") and behind not in {"", "\n"}:
        return False
    return not (_inside(before, new[0]) or _inside(new[-1], behind))


def _inside(one: str, other: str) -> bool:
    """Return whether two characters belong to one word."""
    return all(each.isalnum() or each == "_" for each in (one, other)) and bool(one and other)
