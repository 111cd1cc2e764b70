"""Lines of a new text that stand for code which its author did not write down."""

import re
from collections.abc import Iterator, Sequence

from agls.regex import regex

_COMMENT = r"^\s*(?:#|//|/\*|<!--|--|\{/\*|\{#|%|;)"
_DOTS = r"(?:\.\.\.|…)"
_KEPT = r"(?:existing|unchanged|unmodified|rest|remaining|same|previous|omitted|other)"
_PARTS = r"(?:code|file|functions?|methods?|class(?:es)?|implementation|contents?|imports?|body|lines?)"
_AS_IS = r"(?:unchanged|unmodified|same|as (?:was|is|before))"
_LEFT_OUT = regex(
    rf"{_COMMENT}\W*{_DOTS}.*\b{_KEPT}\b"
    rf"|{_COMMENT}\W*(?:the |keep |all )*{_KEPT}\b.*\b{_PARTS}\b.*{_DOTS}\W*$"
    rf"|{_COMMENT}\W*(?:the )?(?:rest|remainder|remaining)\b.*\b{_AS_IS}\b"
    rf"|{_COMMENT}\W*unchanged\W*$"
    rf"|^\s*\[?{_DOTS}\W*(?:rest of|existing code|remaining code|code unchanged)",
    re.IGNORECASE,
)
_IS_COMMENT = regex(_COMMENT)
_BARE_ELLIPSIS = regex(rf"{_COMMENT}\s*(?:\.\.\.|…)\W*$")
_STANDS_FOR_CODE = regex(  # a word that says it, and no others but what it may be said of
    rf"(?={_COMMENT}.*\b(?:existing|unchanged|unmodified|rest|remaining|remainder|same|previous|continues)\b)"
    rf"{_COMMENT}(?:[\W_]*\b(?:existing|unchanged|unmodified|rest|remaining|remainder|same|previous|continues|code"
    r"|file|functions?|methods?|class(?:es)?|implementation|contents?|imports|body|lines?|logic|styles?|page"
    r"|component|above|before|the|of|all|keep|and|as|is|are|was|stays?|remains?|here|your|this)\b){2,}[\W_]*$",
    re.IGNORECASE,
)
_ELLIPSES = frozenset({"...", "…"})
_BEGINS_OTHERS = ("def ", "class ", "async def ", "@", "#", ")", "]", "}")
_ENDS_OTHERS = (",", '"', "'", ":", "(", "[", "{")


def lines_left_out(old: Sequence[str], new: Sequence[str], *, is_code: bool) -> Iterator[str]:
    """Yield the lines of `new` that stand for something else.

    A line that says less clearly so is one only where code of `old` is gone, and no more lines have come.
    """
    stays = {line.strip() for line in new}
    gone = [line for line in old if line.strip() and line.strip() not in stays]
    is_less = len(new) <= len(old) and not all(map(_IS_COMMENT.match, gone))
    for at, line in enumerate(new):
        if (
            _LEFT_OUT.search(line)
            or (is_less and (_BARE_ELLIPSIS.search(line) or _STANDS_FOR_CODE.match(line)))
            or (is_less and is_code and _is_among_others(new, at))
        ):
            yield line


def _is_among_others(lines: Sequence[str], at: int) -> bool:
    """Return whether a line is three dots beside another statement of its block; alone they may be it."""
    if lines[at].strip() not in _ELLIPSES:
        return False
    indent = _indent(lines[at])
    above = next((line for line in reversed(lines[:at]) if line.strip()), "")
    below = next((line for line in lines[at + 1 :] if line.strip()), "")
    is_behind = bool(above) and _indent(above) == indent and not above.rstrip().endswith(_ENDS_OTHERS)
    is_before = bool(below) and _indent(below) == indent and not below.strip().startswith(_BEGINS_OTHERS)
    return is_behind or is_before


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]
