"""All commands with their options, as they were given to the parser: for completion and the reference."""

import argparse
from collections.abc import Iterator

from agls.doors.headless.options.parser import Parser
from agls.doors.headless.options.table import build_parser
from agls.doors.headless.options.values import MODES
from agls.frozen import frozen

FOLDERS = frozenset({"cwd", "add_dir", "out", "dir"})
FILES = frozenset({"attach", "output_schema", "files"})


@frozen
class OptionSpec:
    """One option: its names, what stands for its value ("": it takes none), and what it is for."""

    names: tuple[str, ...]
    value: str
    help: str
    choices: tuple[str, ...] = ()
    takes: str = ""  # "folder", "file", or anything


@frozen
class Node:
    """One command: the words that call it, its options, and the names of the commands below it."""

    words: tuple[str, ...]
    usage: str
    summary: str
    examples: str
    options: tuple[OptionSpec, ...]
    positionals: tuple[tuple[str, str], ...]
    below: tuple[tuple[str, str], ...]


def nodes() -> Iterator[Node]:
    """Yield every command, those above before those below."""
    yield from _walk(build_parser(), ())


def _walk(parser: Parser, words: tuple[str, ...], summary: str = "") -> Iterator[Node]:
    summaries = dict(_summaries(parser))
    yield Node(
        words=words,
        usage=" ".join(parser.format_usage().removeprefix("usage: ").split()),
        summary=summary or (parser.description or ""),
        examples=parser.epilog or "" if words else "",
        options=tuple(_option(action) for action in parser.arguments if action.option_strings),
        positionals=tuple(
            (str(action.metavar or action.dest), _help(action))
            for action in parser.arguments
            if not action.option_strings
        ),
        below=tuple(summaries.items()),
    )
    for name, text in summaries.items():
        yield from _walk(parser.below.choices[name], (*words, name), text)


def _summaries(parser: Parser) -> Iterator[tuple[str, str]]:
    """What the commands below are for."""
    if parser.below is None:
        return
    said: dict[str, str] = {action.dest: action.help for action in parser.below._get_subactions()}
    for name, inner in parser.below.choices.items():
        text = said.get(name) or inner.description or ""
        yield name, text if text.endswith(".") else f"{text[:1].upper()}{text[1:]}."


def _option(action: argparse.Action) -> OptionSpec:
    value = "" if action.nargs == 0 else str(action.metavar or action.dest.upper())
    choices = MODES if action.dest == "mode" else tuple(map(str, action.choices or ()))
    takes = "folder" if action.dest in FOLDERS else "file" if action.dest in FILES else ""
    choices = choices if value else ()
    return OptionSpec(tuple(action.option_strings), "|".join(choices) or value, _help(action), choices, takes)


def _help(action: argparse.Action) -> str:
    return " ".join((action.help or "").split())
