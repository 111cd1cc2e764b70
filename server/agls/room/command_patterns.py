"""Patterns for commands in which `*` stands anywhere, as rules and hooks of other products have them.

They err on the side of whoever looks out for a command: what may be it fits.
"""

import re
import shlex
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import takewhile
from posixpath import basename
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agls.room.shell_programs import RunProgram

ANY = "*"  # as a word of a pattern: any words, or none


@lru_cache(maxsize=128)
def words_wanted(pattern: str) -> tuple[str, ...]:
    """**Returns** the words of a pattern.

    A last `*` stands for any words, also behind a part of a word or `:`.
    """
    pattern = f"{pattern.removesuffix(':*')}*" if pattern.endswith(":*") else pattern
    try:
        words = shlex.split(pattern)
    except ValueError:
        words = pattern.split()
    return (*words, ANY) if words[-1:] and words[-1].endswith("*") and words[-1] != ANY else tuple(words)


def may_fit(wanted: Sequence[str], program: "RunProgram") -> bool:
    """**Returns** whether the words of a program are, or may be, those that are wanted.

    Behind the first one may stand options that the pattern does not name, each with a value: `git -C . push`.
    A place is how many of the wanted words were found, and whether the last word was such an option.
    """
    begin = frozenset({(0, False)})
    places = begin
    for word in program.words:
        if word is None:
            return True
        after = {
            place
            for at, is_value in _reached(places, wanted)
            for place in _next(at, is_value, word, wanted, stays=program.carries)
        }
        places = begin | after if program.carries else frozenset(after)
        if not places:
            return False
    found = {at for at, _ in _reached(places, wanted)}
    return len(wanted) in found or (program.is_fed and bool(found - {0}))


def _reached(places: frozenset[tuple[int, bool]], wanted: Sequence[str]) -> Iterator[tuple[int, bool]]:
    """Yield the places, and those behind an `ANY` that stands for nothing."""
    for at, is_value in places:
        yield at, is_value
        for more, _ in enumerate(takewhile(ANY.__eq__, wanted[at:]), 1):
            yield at + more, False


def _next(
    at: int, is_value: bool, word: str, wanted: Sequence[str], *, stays: bool
) -> Iterator[tuple[int, bool]]:
    """Yield the places that this word leads to; one that `stays` at the end is not led away by more words."""
    if at == len(wanted):
        yield from [(at, False)] * stays
        return
    if wanted[at] == ANY:
        yield at, False
    elif any_text(wanted[at]).fullmatch((basename(word) if at == 0 else word).casefold()):
        yield at + 1, False
    if at and word.startswith("-"):
        yield at, True
    elif is_value:
        yield at, False


@lru_cache(maxsize=256)
def any_text(pattern: str) -> re.Pattern[str]:
    """**Returns** the expression of a pattern whose `*` is any text, case apart.

    What stands between two `*` is looked for once, at its first place, so no text takes long.
    """
    first, *rest = map(re.escape, pattern.casefold().split("*"))
    middle = "".join(f"(?>.*?{chunk})" for chunk in rest[:-1])
    return re.compile(first + middle + (f".*{rest[-1]}" if rest else ""), re.DOTALL)
