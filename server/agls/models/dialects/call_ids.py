"""Ids of tool calls within each server's rules: others are replaced, in the call and in its result.

A conversation may hold calls of other models, whose servers use other characters and lengths.
"""

import re
from hashlib import sha256
from string import ascii_letters, digits

from agls.frozen import frozen

LETTERS = ascii_letters + digits
SERVER_IDS = "said_ids"  # the member of a reply's `opaque` that maps our call ids to the server's
USUAL = 24  # characters of an id that replaces one


@frozen
class CallIds:
    """The ids that a server accepts: characters of a class, up to `longest` or exactly so many."""

    characters: str
    longest: int
    exact: bool = False

    def fitting(self, call_id: str) -> str:
        """Return the id, or its replacement, which is the same every time."""
        least = self.longest if self.exact else 1
        if re.fullmatch(f"[{self.characters}]{{{least},{self.longest}}}", call_id):
            return call_id
        digest = sha256(call_id.encode("utf-8", "surrogatepass")).digest()
        return "".join(
            LETTERS[byte % len(LETTERS)] for byte in digest[: self.longest if self.exact else USUAL]
        )


PLAIN = CallIds("a-zA-Z0-9_-", 64)  # Anthropic and OpenAI's Responses
ANY = CallIds(r"!-~", 64)
SHORT = CallIds(r"!-~", 40)  # OpenAI's chat completions
NINE = CallIds("a-zA-Z0-9", 9, exact=True)  # Mistral
