"""Text from files the user may never have looked at, with nothing left in it that cannot be seen."""

import unicodedata
from typing import Any

from agls.front_matter import FrontMatter, split
from agls.json_values import is_list, is_object

HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
KEPT = frozenset("\n\t\u200c\u200d")  # joiners: scripts and emoji need them


def plain(text: str) -> str:
    """The text with hidden characters spelled out (`\\u{202e}`) and every line end as `\\n`."""
    text = text.replace("\r\n", "\n")
    if text.replace("\n", "").replace("\t", "").isprintable():  # nearly every text, at once
        return text
    return "".join(map(_spelled, text))


def plain_value(value: Any) -> Any:
    """The value of a file with the hidden characters in its texts spelled out: escapes wrote them."""
    if isinstance(value, str):
        return plain(value)
    if is_list(value):
        return [plain_value(each) for each in value]
    return {plain(str(key)): plain_value(each) for key, each in value.items()} if is_object(value) else value


def plain_front(text: str) -> FrontMatter:
    """Return the front matter of a text and what follows, both plain."""
    front = split(plain(text))
    if "\\" not in text.removesuffix(front.body):  # no escapes
        return front
    return front._replace(values=plain_value(front.values))


def _spelled(character: str) -> str:
    if character in KEPT or unicodedata.category(character) not in HIDDEN:
        return character
    return f"\\u{{{ord(character):x}}}"
