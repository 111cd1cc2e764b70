"""Known mistakes in an old text that was not found: it stands in the file in another form."""

import re
import unicodedata
from collections.abc import Callable, Container, Mapping

from agls.frozen import frozen
from agls.regex import regex

from .look_alikes import LETTERS, LOOK_ALIKES
from .wrapped import wrapped_lines

_NUMBERS = regex(r"^[ ]*(?:L?\d+(?:\t|→|[ ]?[|:][ ]?)|\[L?\d+\](?:[ \t]|$))", re.MULTILINE)
_TIGHT_NUMBERS = regex(r"^[ ]*\d+[|:]", re.MULTILINE)
_SIGNS = regex(r"^[-+ ]", re.MULTILINE)
_TAGGED = regex(r"\s*<([\w-]+)>(.*)</\1>\s*", re.DOTALL)
_EXPRESSION = regex(r"\.[*+]|\\[.()\[\]{}dws]")
_FENCES = regex(r"^(?:```.*|~~~.*|<{5,}.*|={5,}|>{5,}.*)\n?", re.MULTILINE)
_ESCAPED = regex(r"\\([\\\"'`n t])")
_BLANK = regex(r"\n\s*\n")
_BLANK_ENDS = regex(r"[ \t]+$", re.MULTILINE)
_SPACES = regex(r"[ \t]+")
_INDENTS = regex(r"^[ \t]+", re.MULTILINE)
_BLOCK = regex(r"^<{5,9} ?SEARCH\b[^\n]*\n(.*?)^={5,9}\s*$", re.MULTILINE | re.DOTALL)
_LEFT_OUT = regex(
    r"^\W*(?:\.\.\.|…)\W*$|(?:\.\.\.|…).*\b(?:existing|rest|unchanged|same|remaining)\b", re.MULTILINE
)
NAMED = 4  # characters that only look like others
_ESCAPES = {"n": "\n", "t": "\t"}
Form = Callable[[str], str]


@frozen
class Mistake:
    """The mistake in words for the model, and the text that was likely meant.

    `line` (from 0) is where that stands, if it is known, on `height` lines (0: on as many as it has).
    """

    problem: str
    meant: str
    line: int | None = None
    height: int = 0


def mistake(flat: str, old: str) -> Mistake | None:
    """Return what is wrong with `old`, which is not in the text `flat`; `None` when it is none of these."""
    for problem, ours, theirs in FORMS:
        meant = ours(old)
        if not meant.strip() or (meant == old and theirs is _as_is):
            continue
        there = theirs(flat)
        if (meant != old or there != flat) and meant.strip("\n") in there:
            unseen = _unseen(flat, meant, ours) if ours in UNSEEN else ""
            line = there.count("\n", 0, there.index(meant.strip("\n")))
            is_same = there.count("\n") == flat.count("\n")
            return Mistake(
                f"{problem}{unseen}", meant if theirs is _as_is else old, line if is_same else None
            )
    if block := _BLOCK.search(old):
        return Mistake(BLOCK, block[1])
    if wrapped := wrapped_lines(flat, old):
        return Mistake(WRAPPED, old, *wrapped)
    if _LEFT_OUT.search(old):
        return Mistake(LEFT_OUT, old)
    if (found := _EXPRESSION.search(old)) and found[0] not in flat:
        return Mistake(EXPRESSION, old)
    return None


def _as_is(text: str) -> str:
    return text


def _unnumbered(text: str) -> str:
    return _NUMBERS.sub("", text)


def _tightly_unnumbered(text: str) -> str:
    return _TIGHT_NUMBERS.sub("", text)


def _unsigned(text: str) -> str:
    """Return the text without the signs of a patch, where every line that is not empty has one."""
    lines = [line for line in text.split("\n") if line]
    is_patch = all(line[0] in "-+ " for line in lines) and any(line[0] in "-+" for line in lines)
    return _SIGNS.sub("", text) if is_patch else text


def _unfenced(text: str) -> str:
    tagged = _TAGGED.fullmatch(text)
    return _FENCES.sub("", tagged[2] if tagged else text)


def _unquoted(text: str) -> str:
    bare = text.strip()
    return bare[1:-1] if len(bare) > 2 and bare[0] == bare[-1] and bare[0] in "\"'`" else text


def _without_ends(text: str) -> str:
    return _BLANK_ENDS.sub("", text)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]), text)


def _unescaped_quotes(text: str) -> str:
    return re.sub(r"\\([\"'`])", r"\1", text)


def _unescaped_ends(text: str) -> str:
    return re.sub(r"(?<!\\)(?:\\r)?\\n", "\n", text).replace("\\t", "\t")


def _without_outer_lines(text: str) -> str:
    return re.sub(r"\A(?:[ \t]*\n)+|(?<=\n)[ \t\n]+\Z", "", text)


def _plain(text: str) -> str:
    return text.translate(LOOK_ALIKES)


def _latin(text: str) -> str:
    return text if text.isascii() else text.translate(LETTERS)


def _without_entities(text: str) -> str:
    from html import unescape  # noqa: PLC0415 - its table of names is large, and only edits that miss need it

    return unescape(text)


def _without_blank_lines(text: str) -> str:
    return _BLANK.sub("\n", _BLANK.sub("\n", text)).strip("\n")


def _with_single_spaces(text: str) -> str:
    return _SPACES.sub(" ", text)


def _without_indentation(text: str) -> str:
    return _INDENTS.sub("", text)


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _unseen(flat: str, meant: str, form: Form) -> str:
    """Return which characters of these lines of the file look like others, or like nothing; "" for none."""
    plain, table = form(flat), UNSEEN[form]
    first = plain.count("\n", 0, plain.index(meant.strip("\n")))
    found: dict[str, int] = {}
    for at, line in enumerate(flat.split("\n")[first : first + meant.count("\n") + 1], first + 1):
        for character in line:
            if ord(character) in table:
                found.setdefault(character, at)
    names = [
        f"U+{ord(each):04X} ({unicodedata.name(each, 'no name')}) in line {at}" for each, at in found.items()
    ]
    return f" The file has {', '.join(names[:NAMED])}." if names else ""


UNSEEN: Mapping[Form, Container[int]] = {_plain: LOOK_ALIKES, _latin: LETTERS}
BLOCK = (
    "{old} is a whole block of search and replace: give its upper part as old_text and its lower part as "
    "new_text."
)
WRAPPED = "Only white space and the places of the line breaks differ."
LEFT_OUT = (
    "{old} leaves lines out (… or ...), which nothing stands for. Give every line, or make several "
    "smaller edits."
)
EXPRESSION = "{old} is looked for as it stands; it is not a regular expression."
FORMS: tuple[tuple[str, Form, Form], ...] = (
    (
        "{old} begins or ends with empty lines that the file does not have there.",
        _without_outer_lines,
        _as_is,
    ),
    (
        "{old} has HTML entities (&lt; &gt; &amp; &quot;) where the file has the characters themselves.",
        _without_entities,
        _as_is,
    ),
    (
        "The file has HTML entities (&lt; &gt; &amp; &quot;) where {old} has the characters themselves.",
        _as_is,
        _without_entities,
    ),
    ("{old} has line numbers in front, which are not part of the file.", _unnumbered, _as_is),
    ("{old} has line numbers in front, which are not part of the file.", _tightly_unnumbered, _as_is),
    ("{old} has the signs of a patch (- or +) in front, which are not part of the file.", _unsigned, _as_is),
    ("{old} has marks around it (```, <<<< or tags), which are not part of the file.", _unfenced, _as_is),
    ("{old} is escaped once too often: the file has no such backslashes.", _unescaped, _as_is),
    ("{old} is escaped once too often: the file has no such backslashes.", _unescaped_quotes, _as_is),
    ("{old} has \\n where a line end is meant: give the lines as they are.", _unescaped_ends, _as_is),
    ("The file has an escape (a backslash) where {old} has the character.", _as_is, _unescaped),
    (
        "Some characters only look alike (quotes, dashes, spaces): {old} must have those of the file.",
        _plain,
        _plain,
    ),
    (
        "Some letters only look alike, and are of different alphabets: {old} must have those of the file.",
        _latin,
        _latin,
    ),
    ("{old} has quotes around it, which are not part of the file.", _unquoted, _as_is),
    (
        "Letters with accents are in another Unicode form in the file: give whole lines, which are found in "
        "either form.",
        _composed,
        _composed,
    ),
    ("Only white space at the ends of lines differs.", _without_ends, _without_ends),
    ("Only empty lines differ.", _without_blank_lines, _without_blank_lines),
    (
        "Only the indentation differs, and not in the same way in every line: {old} needs that of the file.",
        _without_indentation,
        _without_indentation,
    ),
    ("Only white space inside the lines differs.", _with_single_spaces, _with_single_spaces),
)
