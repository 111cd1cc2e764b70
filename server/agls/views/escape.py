"""Text that strangers wrote, made fit for a terminal."""

import re

_HARMFUL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def escape_controls(text: str) -> str:
    """The text without power over a terminal: controls and changes of direction are written out."""
    return _HARMFUL.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
