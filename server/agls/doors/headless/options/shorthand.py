"""Shorter ways to write commands: those of other agents, which fingers know, and a group of commands alone.

`agls changes` and `agls memory` alone show what there is, and `agls mcp`, `agls config` and the like list it.
"""

import argparse
import shlex
import sys
from collections.abc import Sequence

PROGRAM = "--program"  # of `mcp add`, with its arguments as one line
RUNS = frozenset({"run", "resume"})
PROMPT = frozenset({"-p", "--print", "--prompt"})  # the prompt follows, which is an argument anyway
CONTINUE = frozenset({"-c", "--continue"})
SAME = {"--output-format": "--output"}  # what other agents call an option that takes the same values
ALONE = {  # commands that show something where none of those below them is named
    "changes": frozenset({"show", "list", "keep", "undo", "redo"}),
    "memory": frozenset({"show", "add", "edit", "forget"}),
}
_LISTS = ("config", "hooks", "key", "mcp", "permissions", "plugin", "skills")
LISTED = {**dict.fromkeys(_LISTS, "list"), "explain": "instructions"}  # what each is alone
EXPLAINED = ["config", "explain"]  # of one setting that is `config get`
OWN = frozenset({"-h", "--help", "-V", "--version"})  # options of `agls` itself


def spelled_out(argv: Sequence[str]) -> list[str]:
    """Return the arguments with a command: `-p "…"` is `run "…"`, `-c` is `resume`, in any order.

    `--output-format` is `--output`.

    `help COMMAND` is `COMMAND --help`; `changes` without a word of its own below it is `changes show`, and
    so for `memory`; `mcp` alone, or followed by an option, is `mcp list`, and so for those like it;
    `explain` alone is `explain instructions`; `config explain KEY` is `config get KEY`. The program of
    `mcp add` behind `--` is kept together.
    """
    words = list(argv)
    if words[:2] == ["mcp", "add"] and "--" in words:
        end = words.index("--")
        return [*words[:end], f"{PROGRAM}={shlex.join(words[end + 1 :])}"]
    if words[:1] == ["help"]:
        return [*words[1:], "--help"]
    if words[:2] == EXPLAINED and words[2:] and not words[2].startswith("-"):
        return ["config", "get", *words[2:]]
    if words and words[0] in ALONE and not (ALONE[words[0]] | OWN).intersection(words[1:2]):
        return [words[0], "show", *words[1:]]
    if words and words[0] in LISTED and _name_nothing_below(words[1:]):
        return [words[0], LISTED[words[0]], *words[1:]]
    if not words or words[0] in OWN or not (words[0] in RUNS or words[0].startswith("-")):
        return words
    end = words.index("--") if "--" in words else len(words)
    options, rest = words[:end], words[end:]
    named = options.pop(0) if options and options[0] in RUNS else "run"
    command = "resume" if CONTINUE & {*options} else named
    return [command, *(_renamed(word) for word in options if word not in PROMPT | CONTINUE), *rest]


def _renamed(word: str) -> str:
    name, sign, value = word.partition("=")
    return f"{SAME.get(name, name)}{sign}{value}"


def is_conversation(argv: Sequence[str], arguments: argparse.Namespace) -> bool:
    """**Returns** whether options alone were typed at a terminal: `agls --mode plan`, `agls -c`."""
    if not argv or argv[0] in RUNS or arguments.command not in RUNS or PROMPT & {*argv}:
        return False
    given = arguments.words or arguments.attach or (arguments.input, arguments.output) != ("text", "text")
    return not given and sys.stdin.isatty() and sys.stdout.isatty()


def _name_nothing_below(words: Sequence[str]) -> bool:
    return not OWN.intersection(words) and (not words or words[0].startswith("-"))
