"""The Markdown of instruction files: comments are dropped, and imports found, both outside code."""

import re
from collections.abc import Iterator

from agls.regex import regex

LONGEST_SPAN = 1_000  # characters of a span of code
_TOKEN = regex(r"(?m)^ {0,3}(?P<fence>`{3,}|~{3,})|(?P<ticks>`+)|(?P<comment><!--)")
_IMPORT = regex(r"(?<![\w`@/.])@(?P<path>(?:[^\s\\`@<>\"'()\[\],;]|\\ )+)")
_ENDS = ".:!?*_"


def without_comments(text: str) -> str:
    """Return the text without comments. One that is never closed is no comment."""
    return "".join(part for kind, part in _parts(text) if kind != "comment")


def without_code(text: str) -> str:
    """Return the text without code and comments, a blank in the place of each."""
    return " ".join(part for kind, part in _parts(text) if kind == "text")


def imports_in(text: str) -> tuple[str, ...]:
    """Return the paths behind `@` outside code and comments, each once."""
    found = (
        match["path"].replace("\\ ", " ").rstrip(_ENDS)
        for kind, part in _parts(text)
        if kind == "text"
        for match in _IMPORT.finditer(part)
    )
    return tuple(dict.fromkeys(path for path in found if path))


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the text in pieces, each with its kind: text, code or comment."""
    start = at = 0
    closes = "<!--" in text and "-->" in text
    while token := _TOKEN.search(text, at):
        end = _end(text, token, closes=closes)
        if end is None:
            at = token.end()
            closes = closes and token["comment"] is None
            continue
        yield "text", text[start : token.start()]
        yield "comment" if token["comment"] else "code", text[token.start() : end]
        start = at = end
    yield "text", text[start:]


def _end(text: str, token: re.Match[str], *, closes: bool) -> int | None:
    """Return where what begins with a token ends, `None` where it only looks like a beginning."""
    if token["comment"]:
        close = text.find("-->", token.end()) if closes else -1
        return close + 3 if close >= 0 else None
    if fence := token["fence"]:
        close = re.compile(rf"(?m)^ {{0,3}}{re.escape(fence)}[^\n]*$").search(text, token.end())
        return close.end() if close else len(text)
    ticks = token["ticks"]
    span = re.compile(rf"(?<!`){ticks}(?!`)").search(text, token.end(), token.end() + LONGEST_SPAN)
    return span.end() if span else None
