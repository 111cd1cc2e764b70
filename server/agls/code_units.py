"""Lengths of texts and offsets into them, in units of the negotiated encoding (LSP 3.17, Position)."""

from bisect import bisect_left
from collections.abc import Callable, Mapping

UNITS: Mapping[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "utf-32": len,
}


def units(text: str, encoding: str) -> int:
    """The length of a text in units of the encoding."""
    return len(text) if text.isascii() else UNITS[encoding](text)


def index_in(line: str, character: int, encoding: str) -> int:
    """Where a character, counted in units of the encoding, is in a line; a parted one counts as passed."""
    if line.isascii() or encoding == "utf-32":
        return min(character, len(line))
    return bisect_left(range(len(line)), character, key=lambda index: units(line[:index], encoding))
