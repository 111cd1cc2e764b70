"""Letters that are taken for others: `саt` with two Cyrillic letters is another program than `cat`."""

import unicodedata
from collections.abc import Iterator

from agls.engine.vocabulary import JsonObject
from agls.regex import regex

# Cyrillic, Greek and Armenian letters that are drawn like Latin ones.
LIKE_LATIN = frozenset("асеорхуіјѕԁԛԝһӏАВЕКМНОРСТХІЈЅҮαοριυνκΑΒΕΖΗΙΚΜΝΟΡΤΥΧοսցհ")
# Signs that are drawn like those that a shell, a path or an address knows.
LIKE_SIGNS = frozenset("／∕⁄⧸․‥；＆｜＞＜＄｀−‐‑﹣－ː꞉：＼∖")
MOST_NAMED = 5
NAMED = ("command", "cwd", "path", "url", "host", "name")  # members of a question that name something
_WORD = regex(r"[^\W_]*[^\W_\x00-\x7f][^\W_]*")
_OTHERS = "Some letters look like others, but are not: {}."


def warning(title: str, subject: JsonObject) -> str:
    """**Returns** the sentence about such letters in what a question names, "" when there are none."""
    texts = [title, *(str(subject[name]) for name in NAMED if name in subject)]
    found = list(dict.fromkeys(each for text in texts for each in look_alikes(text)))
    if not found:
        return ""
    named = [f"{each} is U+{ord(each):04X}" for each in found[:MOST_NAMED]]
    more = [f"and {len(found) - MOST_NAMED} more"] if len(found) > MOST_NAMED else []
    return _OTHERS.format(", ".join([*named, *more]))


def look_alikes(text: str) -> Iterator[str]:
    """Yield the characters of a text that a reader takes for Latin letters, or for signs of a shell.

    Those of a word in another alphabet are none, unless nothing in the whole text tells that it is one.
    """
    if text.isascii():
        return
    yield from (each for each in text if each in LIKE_SIGNS)
    letters = [each for each in text if not each.isascii() and each.isalpha()]
    tells = any(each not in LIKE_LATIN for each in letters)
    for found in _WORD.finditer(text):
        word = found[0]
        is_mixed = any(each.isascii() and each.isalpha() for each in word)
        for each in word:
            if _is_wide(each) or (each in LIKE_LATIN and (is_mixed or not tells)):
                yield each


def _is_wide(character: str) -> bool:
    """Return whether this is a Latin letter or a digit in another form, as in `ｒｍ`."""
    plain = unicodedata.normalize("NFKC", character)
    is_form = unicodedata.category(character) in {"Ll", "Lu", "Nd"}
    return not character.isascii() and is_form and len(plain) == 1 and plain.isascii()
