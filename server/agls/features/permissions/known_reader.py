"""How the words of a program that only reads are told apart: its options, their values, its operands."""

from collections.abc import Iterator, Sequence
from typing import Literal

from agls.features.permissions.listed_readers import GivenOption, operands_and_options
from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_tree import NotUnderstood

Operands = Literal["paths", "texts", "pattern", "none", "any"]
ENDLESS = 1_000_000
_NUMBER = regex(r"-\d+")


@frozen
class KnownReader:
    """What a program may be given; with `pattern` the first operand is one, unless an option gives it.

    With `any` every word is a text, whatever it looks like.

    `numbers` is whether `-5` is an option, `most` how many operands there may be. With `single` letters
    cannot stand together: `-ps` is no `-p -s`.
    """

    flags: frozenset[str] = frozenset()
    valued: frozenset[str] = frozenset()
    operands: Operands = "paths"
    most: int = ENDLESS
    numbers: bool = False
    single: bool = False


def reader_of(
    options: str,
    operands: Operands = "paths",
    *,
    most: int = ENDLESS,
    numbers: bool = False,
    single: bool = False,
) -> KnownReader:
    """**Returns** a program with these options; one that ends with `=` takes a value."""
    words = options.split()
    valued = frozenset(word[:-1] for word in words if word.endswith("="))
    flags = frozenset(words) - {f"{word}=" for word in valued}
    return KnownReader(flags, valued, operands, most, numbers, single)


def divided(name: str, reader: KnownReader, rest: Sequence[str]) -> tuple[list[str], set[str]]:
    """Return the operands and the options. **Raises** `NotUnderstood` for an option that is not listed."""
    operands, given = parsed_options(name, reader, rest)
    return operands, {option for option, _ in given}


def parsed_options(
    name: str, reader: KnownReader, rest: Sequence[str]
) -> tuple[list[str], list[GivenOption]]:
    """Return the operands, and the options with their values. **Raises** as `divided` does."""

    def options_of(word: str, words: Iterator[str]) -> Sequence[GivenOption]:
        if reader.numbers and _NUMBER.fullmatch(word):
            return ()
        read = _long if word[1] == "-" else _letters
        return read(name, reader, word, words)

    return operands_and_options(rest, options_of)


def _long(name: str, reader: KnownReader, word: str, words: Iterator[str]) -> list[GivenOption]:
    option, has_value, value = word.partition("=")
    if option not in (reader.valued if has_value else reader.valued | reader.flags):
        raise NotUnderstood(f"{name} {option} is not known to only read")
    if not has_value and option not in reader.flags:
        value = next(words, "")
    return [(option, value)]


def _letters(name: str, reader: KnownReader, word: str, words: Iterator[str]) -> list[GivenOption]:
    if reader.single and word in reader.flags:
        return [(word, "")]
    if reader.single and word[:2] in reader.flags:
        raise NotUnderstood(f"{name} {word} is not known to only read")
    found = list[GivenOption]()
    for at, letter in enumerate(word[1:], 2):
        option = f"-{letter}"
        if option in reader.valued:
            return [*found, (option, word[at:] or next(words, ""))]
        if option not in reader.flags:
            raise NotUnderstood(f"{name} {option} is not known to only read")
        found.append((option, ""))
    return found
