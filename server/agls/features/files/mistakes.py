"""What is wrong with an old text that was not found, where it can be named: another form of the same."""

import html
import re
from collections.abc import Callable

from agls.frozen import frozen

LOOK_ALIKES = str.maketrans(
    {
        **dict.fromkeys("‘’‚‛′", "'"),
        **dict.fromkeys("“”„‟″", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
        **dict.fromkeys("\u00a0\u2002\u2003\u2007\u2009\u202f\u3000", " "),
        **dict.fromkeys("\u200b\ufeff"),
        "…": "...",
    }
)
_NUMBERS = re.compile(r"^[ ]*\d+(?:\t|→|[ ]?[|:][ ]?)", re.MULTILINE)
_FENCES = re.compile(r"^(?:```.*|~~~.*|<{5,}.*|={5,}|>{5,}.*)\n?", re.MULTILINE)
_ESCAPED = re.compile(r"\\([\\\"'`n t])")
_BLANK = re.compile(r"\n\s*\n")
_SPACES = re.compile(r"[ \t]+")
_LEFT_OUT = re.compile(
    r"^\W*(?:\.\.\.|…)\W*$|(?:\.\.\.|…).*\b(?:existing|rest|unchanged|same|remaining)\b", re.MULTILINE
)
_ESCAPES = {"n": "\n", "t": "\t"}
Form = Callable[[str], str]


@frozen
class Mistake:
    """What to tell, and the text as it was most likely meant."""

    told: str
    meant: str


def mistake(flat: str, old: str) -> Mistake | None:
    """Return what is wrong with `old`, which is not in the text `flat`; `None` when it is none of these."""
    for told, ours, theirs in FORMS:
        meant = ours(old)
        if (meant != old or theirs is not _as_is) and meant.strip() and meant.strip("\n") in theirs(flat):
            return Mistake(told, meant if theirs is _as_is else old)
    return Mistake(LEFT_OUT, old) if _LEFT_OUT.search(old) else None


def _as_is(text: str) -> str:
    return text


def _unnumbered(text: str) -> str:
    return _NUMBERS.sub("", text)


def _unfenced(text: str) -> str:
    return _FENCES.sub("", text)


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda found: _ESCAPES.get(found[1], found[1]), text)


def _plain(text: str) -> str:
    return text.translate(LOOK_ALIKES)


def _without_blank_lines(text: str) -> str:
    return _BLANK.sub("\n", _BLANK.sub("\n", text)).strip("\n")


def _with_single_spaces(text: str) -> str:
    return _SPACES.sub(" ", text)


LEFT_OUT = (
    "{old} leaves lines out (… or ...), which nothing stands for. Give every line, or make several "
    "smaller edits."
)
FORMS: tuple[tuple[str, Form, Form], ...] = (
    (
        "{old} has HTML entities (&lt; &gt; &amp; &quot;) where the file has the characters themselves.",
        html.unescape,
        _as_is,
    ),
    (
        "The file has HTML entities (&lt; &gt; &amp; &quot;) where {old} has the characters themselves.",
        _as_is,
        html.unescape,
    ),
    ("{old} has line numbers in front, which are not part of the file.", _unnumbered, _as_is),
    ("{old} has marks around it (``` or <<<<), which are not part of the file.", _unfenced, _as_is),
    ("{old} is escaped once too often: the file has no such backslashes.", _unescaped, _as_is),
    ("The file has an escape (a backslash) where {old} has the character.", _as_is, _unescaped),
    (
        "Some characters only look alike (quotes, dashes, spaces): {old} must have those of the file.",
        _plain,
        _plain,
    ),
    ("Only empty lines differ.", _without_blank_lines, _without_blank_lines),
    ("Only white space inside the lines differs.", _with_single_spaces, _with_single_spaces),
)
