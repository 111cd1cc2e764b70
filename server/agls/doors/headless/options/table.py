"""The table of commands. A new command is a row here, its options, and a function in `commands.py`."""

import argparse
from collections.abc import Callable

from agls import __version__
from agls.doors.headless.options.others import (
    add_completion,
    add_config,
    add_demo,
    add_key,
    add_look,
    add_schema,
    add_serve,
    add_usage,
)
from agls.doors.headless.options.parser import Parser
from agls.doors.headless.options.permitting import add_permissions, add_trust
from agls.doors.headless.options.rewinds import add_changes, add_rewind, add_undo
from agls.doors.headless.options.runs import add_resume, add_run
from agls.doors.headless.options.sessions import add_sessions
from agls.frozen import frozen


@frozen
class CommandSpec:
    """One command: its name, what it is for, its options, and examples. Its arguments are its usage."""

    name: str
    help: str
    add: Callable[[argparse.ArgumentParser], None]
    arguments: str = ""
    examples: tuple[tuple[str, str], ...] = ()


GROUPS: dict[str, tuple[CommandSpec, ...]] = {
    "Work": (
        CommandSpec(
            "run",
            "run one prompt",
            add_run,
            "[OPTIONS] [PROMPT] [-]",
            (
                ('agls run "why does test_parse fail?"', "asks before it changes anything"),
                ('agls run --mode acceptEdits "fix it"', "edits without asking"),
                ('git diff | agls run "review this"', "the prompt, and what is piped"),
                ("agls run - < prompt.txt", "the prompt from a file"),
                ('agls run "find the leak" --output json', "for a program"),
            ),
        ),
        CommandSpec(
            "resume",
            "go on with a session",
            add_resume,
            "[OPTIONS] [SESSION] [PROMPT] [-]",
            (
                ("agls resume", "goes on with what broke off"),
                ('agls resume "and now the changelog"', "in this folder's latest session"),
                ('agls resume ses_0123 "and the docs"', "in another one"),
            ),
        ),
        CommandSpec(
            "sessions",
            "list, search, tag, export … the sessions",
            add_sessions,
            "[OPTIONS] [COMMAND] …",
            (
                ("agls sessions --cwd .", "those of this folder"),
                ("agls sessions search parser", "those in which this was said"),
                ("agls sessions export ses_0123 --format md", "one as a document"),
            ),
        ),
    ),
    "Look at what was done, and take it back": (
        CommandSpec(
            "changes",
            "show what the last run changed; keep or undo single changes",
            add_changes,
            "[COMMAND] …",
            (
                ("agls changes", "the diff of the last run"),
                ("agls changes list", "each change, with its FILE:NUMBER"),
                ("agls changes keep src/app.py", "all changes of this file"),
                ("agls changes undo src/app.py:2", "what stood there before"),
                ("agls changes redo src/app.py:2", "the change once more"),
            ),
        ),
        CommandSpec(
            "undo",
            "go back to before the last prompt, files and conversation",
            add_undo,
            "[OPTIONS] [SESSION]",
            (
                ("agls undo", "in this folder's latest session; again for the prompt before"),
                ("agls undo --files", "the files alone"),
            ),
        ),
        CommandSpec(
            "rewind",
            "go back to before any prompt, or forth again",
            add_rewind,
            "[OPTIONS] [SESSION]",
            (
                ("agls rewind", "lists the prompts"),
                ("agls rewind --before item_0123", "files and conversation"),
                ("agls rewind --undo rewind_0123", "as it was before that"),
            ),
        ),
    ),
    "Set up": (
        CommandSpec("doctor", "find out what keeps the agent from working", add_look, "[OPTIONS]"),
        CommandSpec("models", "what models there are, and what is known of them", add_look, "[OPTIONS]"),
        CommandSpec(
            "key",
            "keep API keys, each for one host",
            add_key,
            "COMMAND …",
            (("agls key set anthropic", "asks for it"), ("agls key list", "for which hosts one is kept")),
        ),
        CommandSpec("config", "look at the configuration", add_config, "COMMAND …"),
        CommandSpec(
            "trust",
            "trust a folder's own instructions and settings",
            add_trust,
            "[OPTIONS] [DIR]",
            (("agls trust", "this folder"), ("agls trust --list", "all"), ("agls trust --revoke", "not now")),
        ),
        CommandSpec(
            "permissions",
            "what runs unasked; take back what you allowed",
            add_permissions,
            "COMMAND …",
            (
                ("agls permissions list", "the rules, and what you saved"),
                ('agls permissions explain "npm test"', "whether it would run unasked"),
                ('agls permissions revoke "shell(npm test)"', "ask for it again"),
            ),
        ),
        CommandSpec("usage", "what was spent on each day", add_usage, "[OPTIONS]"),
    ),
    "For programs, and to look at": (
        CommandSpec("serve", "serve an editor", add_serve, "--stdio [OPTIONS]"),
        CommandSpec("schema", "the protocol, for whoever writes a client", add_schema, "[OPTIONS]"),
        CommandSpec(
            "completion",
            "complete commands and options in a shell",
            add_completion,
            "bash|zsh|fish",
            (
                ('eval "$(agls completion bash)"', "in ~/.bashrc; with zsh in ~/.zshrc"),
                ("agls completion fish > ~/.config/fish/completions/agls.fish", ""),
            ),
        ),
        CommandSpec("demo", "watch a whole session, with a scripted model", add_demo, "[OPTIONS]"),
    ),
}

TOP = (
    ('agls run "add a test for parse"', "works in the current folder"),
    ('git diff | agls run "review this"', "reads what is piped, too"),
    ('agls resume "and the changelog"', "goes on, as agls -c does"),
    ("agls doctor", "when something does not work"),
)


def build_parser() -> Parser:
    """Build the parser of all commands and their options."""
    parser = Parser(
        prog="agls",
        usage="agls COMMAND …",
        description="A coding agent for every editor, and without one.",
        epilog=f"{_listed()}\n\n{shown(TOP)}\n\nagls COMMAND --help says more.",
    )
    parser.add_argument("--version", action="version", version=f"agls {__version__}")
    parser.set_defaults(command="welcome")
    commands = parser.add_subparsers(help=argparse.SUPPRESS)
    for group in GROUPS.values():
        for command in group:
            below = commands.add_parser(
                command.name,
                usage=f"agls {command.name} {command.arguments}",
                description=f"{command.help[0].upper()}{command.help[1:]}.",
                epilog=shown(command.examples),
            )
            below.set_defaults(command=command.name)
            command.add(below)
    return parser


def shown(examples: tuple[tuple[str, str], ...]) -> str:
    """Give the examples as text, each with what it does."""
    wide = max((len(line) for line, _ in examples), default=0)
    lines = (f"  {line:<{wide}}  {what}" for line, what in examples)
    return "\n".join(("examples:", *lines)) if examples else ""


def _listed() -> str:
    wide = max(len(command.name) for group in GROUPS.values() for command in group)
    return "\n\n".join(
        "\n".join((f"{title}:", *(f"  {each.name:<{wide}}  {each.help}" for each in group)))
        for title, group in GROUPS.items()
    )
