"""The table of commands. A new command is a row here, its declaration, and a function in `commands.py`."""

import argparse
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple

from agls import __version__
from agls.doors.headless.options import changes, others, plugins, runs, sessions
from agls.doors.headless.options.declaration import CommandSpec, OneOf, OptionSpec, Titled, command, option
from agls.doors.headless.options.parser import Options, Parser

GROUPS: dict[str, tuple[CommandSpec, ...]] = {
    "Work": (runs.CHAT, runs.RUN, runs.RESUME, sessions.SESSIONS),
    "Review and undo": (changes.CHANGES, changes.UNDO, changes.REWIND),
    "Set up": (
        others.DOCTOR,
        others.MODELS,
        others.KEY,
        others.CONFIG,
        others.EXPLAINING,
        others.MEMORY,
        others.MCP,
        others.IMPORTING,
        plugins.PLUGIN,
        others.TRUSTING,
        others.PERMISSIONS,
        others.HOOKS,
        others.SKILLS,
        others.USAGE,
    ),
    "For programs, and a demo": (others.SERVE, others.SCHEMA, others.COMPLETION, others.DEMO),
}
HELP = option("-h --help  show this help message and exit")
VERSION = option(
    "-V --version  show program's version number and exit", action="version", version=f"agls {__version__}"
)
AGLS = command(
    "agls",
    "a coding agent for every editor, and without one",
    VERSION,
    arguments="COMMAND …",
    examples="""
        agls run "add a test for parse"    works in the current folder
        git diff | agls run "review this"  with piped input
        agls resume "and the changelog"    continues the latest session, like agls -c
        agls doctor                        when something does not work
    """,
    below=[each for group in GROUPS.values() for each in group],
)


class Node(NamedTuple):
    """One command, the words that call it behind `agls`, and how it is used."""

    words: tuple[str, ...]
    command: CommandSpec
    usage: str

    @property
    def options(self) -> Sequence[OptionSpec]:
        """The options, which are given by a name."""
        return [HELP, *(each for each in self.command.each_option if each.is_named)]


def nodes() -> Iterator[Node]:
    """Yield every command, those above before those below: for completion and the reference."""
    yield from _walk(build_parser(), AGLS, ())


def _walk(parser: Parser, command: CommandSpec, words: tuple[str, ...]) -> Iterator[Node]:
    yield Node(words, command, " ".join(parser.format_usage().removeprefix("usage: ").split()))
    for each in command.below:
        yield from _walk(parser.below.choices[each.name], each, (*words, each.name))


@cache
def build_parser() -> Parser:
    """Build the parser of all commands and their options."""
    parser = Parser(
        prog="agls",
        usage=f"agls {AGLS.arguments}",
        description=AGLS.summary,
        epilog=f"{_listed()}\n\n{AGLS.examples}\n\nFor more about a command: agls COMMAND --help",
    )
    _add(parser, AGLS.options)
    parser.set_defaults(command="welcome")
    below = parser.add_subparsers(help=argparse.SUPPRESS)
    for each in AGLS.below:
        _declare(below, each, each.name)
    return parser


def _declare(commands: Any, command: CommandSpec, name: str) -> None:
    """Add a command, which is called by this name, and all below it."""
    parser: Parser = commands.add_parser(
        command.name,
        help=command.what,
        usage=f"agls {name} {command.arguments}" if command.arguments else None,
        description=command.summary,
        epilog=command.examples,
    )
    _add(parser, command.options)
    parser.set_defaults(command=name)
    if command.below:
        below = parser.add_subparsers(title="commands", required=not command.options)
        for each in command.below:
            _declare(below, each, f"{name} {each.name}")


def _add(parser: Parser, options: Sequence[OptionSpec | Titled | OneOf]) -> None:
    for each in options:
        match each:
            case OptionSpec():
                _add_to(parser, [each])
            case Titled():
                _add_to(parser.add_argument_group(each.title, each.text), each.options)
            case OneOf():
                _add_to(parser.add_mutually_exclusive_group(), each.options)


def _add_to(place: Options, options: Sequence[OptionSpec]) -> None:
    for each in options:
        place.add_argument(*each.names, **each.settings)


def _listed() -> str:
    wide = max(len(command.name) for command in AGLS.below)
    return "\n\n".join(
        "\n".join((f"{title}:", *(f"  {each.name:<{wide}}  {each.what}" for each in group)))
        for title, group in GROUPS.items()
    )
