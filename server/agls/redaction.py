"""The one redactor: texts without the user's keys, however those are spelled.

A key is found as it is, as JSON, URLs and HTML write it, in hexadecimal and in Base64, wrapped or not.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote, quote_plus

from agls.regex import regex
from agls.terminal_codes import KEY_MARK

SHORTEST = 4  # characters; shorter secrets would make everything unreadable and are none
SHORTEST_KEY = 12  # characters: a shorter key is a word like "ollama", which stands in many texts
HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})
_SECRET = regex(
    r"KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH|COOKIE|SESSION|PRIVATE|DSN", re.IGNORECASE
)


def is_secret(variable: str) -> bool:
    """Return whether an environment variable of this name looks like it holds a secret."""
    return bool(_SECRET.search(variable))


def without(secrets: Iterable[str], text: str) -> str:
    """Return the text with a mark in the place of every secret."""
    known = frozenset(secret for secret in secrets if len(secret) >= SHORTEST)
    return _expression(known).sub(KEY_MARK, text) if known else text


def without_keys(keys: Iterable[str], text: str) -> str:
    """Return a text of files or programs, where a short word is no key, with a mark for every key."""
    return without((key for key in keys if len(key) >= SHORTEST_KEY), text)


@lru_cache(maxsize=8)
def _expression(secrets: frozenset[str]) -> re.Pattern[str]:
    spelled = {form for secret in secrets for form in _spellings(secret)}
    return re.compile("|".join(sorted(spelled, key=len, reverse=True)))


def _spellings(secret: str) -> Iterator[str]:
    """Yield regular expressions for the ways in which programs write a secret.

    None of them backtracks far.
    """
    data = secret.encode("utf-8", "surrogatepass")
    plain = {
        secret,
        json.dumps(secret)[1:-1],
        json.dumps(secret, ensure_ascii=False)[1:-1],
        secret.translate(HTML),
    }
    plain |= {quote(data, safe=""), quote(data), quote_plus(data)}
    yield from map(re.escape, plain)
    yield "".join(f"(?:%{byte:02X}|%{byte:02x}|{re.escape(chr(byte))})" for byte in data)
    yield "".join(rf"&#(?:0*{ord(char)}|[xX]0*(?:{ord(char):x}|{ord(char):X}));" for char in secret)
    yield r"(?:\\x|[\s:,-]|0x){0,3}".join(f"(?:{byte:02x}|{byte:02X})" for byte in data)
    for shift in range(3):  # where in a group of three bytes the secret begins
        written = b64encode(bytes(shift) + data).decode()
        whole = written[(0, 2, 3)[shift] : len(written) - (0, 3, 2)[(shift + len(data)) % 3]]
        yield r"\s{0,2}".join(_in_base64(char) for char in whole)


def _in_base64(character: str) -> str:
    return {"+": "[+-]", "/": "[/_]"}.get(character, character)
