"""Values in a command of the shell: written so that each stays text where it stands, quoted or not. Pure."""

import re
from collections.abc import Sequence
from shlex import join

from agls.regex import regex

# Quotes mean something else behind a substitution (not `${NAME}`), a here-document, a comment or `$'…'`.
_TOKEN = regex(r"""\\.|\$(?!\{\w+\})[({'"]|`|<<|(?:^|(?<=[\s;&|()]))\#|['"]""", re.DOTALL)
_IN_DOUBLE = regex(r"""[\\"$`]""")


def written(before: str, value: str, words: Sequence[str]) -> str | None:
    """Return how a value is written behind this text of a command; outside of quotes it is these `words`.

    `None` where it is not certain which quotes are open: there only a variable is safe.
    """
    match _open_quote(before):
        case "'":
            return value.replace("'", r"'\''")
        case '"':
            return _IN_DOUBLE.sub(r"\\\g<0>", value)
        case "":
            return join(words)
        case _:
            return None


def _open_quote(text: str) -> str:
    """Return the quote that is open at the end of a text, "" for none, "?" where that is not certain."""
    is_open = ""
    for found in _TOKEN.finditer(text):
        token = found[0]
        if is_open == "'":
            is_open = "" if token.endswith("'") else "'"
        elif token in {"'", '"'}:
            is_open = _after(token, is_open)
        elif not token.startswith("\\"):
            return "?"
    return is_open


def _after(token: str, is_open: str) -> str:
    if token == is_open:
        return ""
    return is_open or token
