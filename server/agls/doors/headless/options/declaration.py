"""How commands and their options are declared: as the help writes them, one option on a line.

The parser, the help, the completion and the reference follow from it.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from inspect import cleandoc
from typing import Any, NamedTuple

from agls.doors.headless.options.values import count, folder_name, mode, number_of
from agls.modes import MODES
from agls.regex import regex

LINE = regex(r"(-\S+(?: -\S+)*|\w+)(?: ([A-Z]\S*?|\{\S+\}))?(\.\.\.)?  +(\S.*)")
READ: Mapping[str, Callable[[str], object]] = {  # how a value is read that has one of these names
    "DIR": folder_name,
    "MODE": mode,
    "N": count,
    "SEQ": count,
    "SECONDS": number_of("seconds"),
    "USD": number_of("US dollars"),
}
TAKES = {"DIR": "folder", "FILE": "file"}  # a shell completes these there


class OptionSpec(NamedTuple):
    """One option, or an argument that has its place instead of a name.

    `value` stands for its value ("": it takes none), which is one of `choices` where there are some, and
    names a "folder" or a "file" where it `takes` one. `settings` are those of `argparse`.
    """

    names: tuple[str, ...]
    value: str
    help: str
    choices: tuple[str, ...]
    takes: str
    settings: Mapping[str, Any]

    @property
    def is_named(self) -> bool:
        """Whether it is an option rather than an argument."""
        return self.names[0].startswith("-")


class Titled(NamedTuple):
    """Options with a title of their own in the help."""

    title: str
    options: Sequence[OptionSpec]
    text: str | None = None


class OneOf(NamedTuple):
    """Options of which one at most can be given."""

    options: Sequence[OptionSpec]


class CommandSpec(NamedTuple):
    """One command: its name, what it is for, how its arguments are written, its options, and examples.

    Where there are commands `below` it, it is called alone only if it has options of its own.
    """

    name: str
    what: str
    arguments: str
    options: Sequence[OptionSpec | Titled | OneOf]
    examples: str
    below: "Sequence[CommandSpec]"

    @property
    def summary(self) -> str:
        """What it is for, as a sentence."""
        return f"{self.what[0].upper()}{self.what[1:]}."

    @property
    def each_option(self) -> Iterator[OptionSpec]:
        """All of its options and arguments."""
        for part in self.options:
            yield from (part,) if isinstance(part, OptionSpec) else part.options


def command(
    name: str,
    what: str,
    *options: str | OptionSpec | Titled | OneOf,
    arguments: str = "",
    examples: str = "",
    below: Sequence[CommandSpec] = (),
) -> CommandSpec:
    """Declare a command. Without `arguments` the help writes what its options say."""
    declared = [lines(part) if isinstance(part, str) else (part,) for part in options]
    shown = "\n  ".join(("examples:", *cleandoc(examples).splitlines())) if examples else ""
    return CommandSpec(name, what, arguments, [part for parts in declared for part in parts], shown, below)


def lines(text: str) -> tuple[OptionSpec, ...]:
    """Declare options by lines such as `-C --cwd DIR  the folder`; one goes on where a line is set in."""
    return tuple(map(option, re.sub(r"\n\s+", " ", cleandoc(text)).splitlines()))


def option(line: str, **settings: Any) -> OptionSpec:
    """Declare one option by its line, with `settings` of `argparse` besides.

    An argument that has a place is written without a stroke. The name of a value says how it is read; values
    in braces are those to choose from, the first without being said. Three dots mean that it may be repeated.
    """
    written = LINE.fullmatch(line)
    assert written, line
    name, value, repeated, what = written.groups()
    names, choices = tuple(name.split()), tuple(value[1:-1].split(",")) if value and value[0] == "{" else ()
    said: dict[str, Any] = {"help": what}
    if choices:
        said |= {"choices": choices, "default": choices[0]}
    elif value:
        said |= (
            {"metavar": value, "type": READ[value]} if value in READ else {"metavar": value, "default": ""}
        )
    elif name.startswith("-"):
        said["action"] = "store_true"
    if repeated:
        said |= {"action": "append", "default": []}
    said |= settings
    known = MODES if said.get("type") is mode else choices
    return OptionSpec(names, "|".join(known) or value or "", what, known, TAKES.get(value or "", ""), said)
