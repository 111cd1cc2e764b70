"""The parser of the command line: an error names the mistake first, and the word that was probably meant."""

import argparse
import difflib
from collections.abc import Iterable, Sequence
from typing import Any, NoReturn, Protocol

from agls.doors.headless.streams import write_stderr
from agls.views.escape import escape_controls

WORDS = "words"  # positional arguments that may stand anywhere between the options

COMMAND = "COMMAND"  # the placeholder of a command's name in the help
OTHER_AGENTS = {  # what other programs call it, by the command that it stands behind
    "agls": {
        "exec": "agls run",
        "login": "agls key",
        "auth": "agls key",
        "continue": "agls resume",
        "fork": "agls sessions fork",
        "export": "agls sessions export",
        "delete": "agls sessions delete",
        "list": "agls sessions",
        "ls": "agls sessions",
        "diff": "agls changes",
        "plan": 'agls run --mode plan "…"',
    },
    "agls mcp": {
        "add-json": "agls mcp add NAME JSON",
        "delete": "agls mcp remove",
        "get": "agls mcp list",
        "rm": "agls mcp remove",
    },
    "agls plugin": {
        "install": "agls plugin add",
        "uninstall": "agls plugin remove",
        "update": "agls plugin add SOURCE, which updates as well",
        "upgrade": "agls plugin add SOURCE, which updates as well",
    },
}
NO_COMMAND = f"the following arguments are required: {COMMAND}"  # the words of argparse


class Options(Protocol):
    """Something options can be added to: a parser, or a group of one."""

    def add_argument(self, *names: str, **settings: Any) -> Any: ...


OTHER_OPTIONS = {  # what other programs call an option of `agls run`, `agls resume` and `agls chat`
    "--allow": "--mode, or a rule: [permissions] allow",
    "--allowed-tools": "a rule: [permissions] allow",
    "--allowedTools": "a rule: [permissions] allow",
    "--ask-for-approval": "--mode",
    "--dangerously-skip-permissions": "--yolo",
    "--file": "--attach",
    "--full-auto": "--mode acceptEdits",
    "--image": "--attach",
    "--json": "--output json",
    "--json-schema": "--output-schema",
    "--last": 'agls resume "…", which continues the latest session',
    "--jsonl": "--output jsonl",
    "--max-tokens": "--max-total-tokens",
    "--permission-mode": "--mode",
    "--resume": "agls resume SESSION",
    "--session": "agls resume SESSION",
    "--session-id": "agls resume SESSION",
    "--silent": "--quiet",
    "--stream-json": "--output jsonl",
    "--timeout": "--max-seconds",
}


class Misused(Exception):
    """The arguments make no sense; standard error has the message already."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class Parser(argparse.ArgumentParser):
    """Take no shortened options: a script that uses one would break with the next option."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("formatter_class", argparse.RawDescriptionHelpFormatter)
        super().__init__(**settings, allow_abbrev=False)
        self.below: Any = None  # the commands below this one

    def add_subparsers(self, **settings: Any) -> Any:
        """Make place for commands, named behind this one."""
        self.below = super().add_subparsers(prog=self.prog, metavar=COMMAND, **settings)
        return self.below

    def parse_known_args(self, *given: Any, **named: Any) -> Any:
        """Parse, and refuse unknown arguments here, where the known options can be compared with them."""
        known, extras = super().parse_known_args(*given, **named)
        unknown = [word for word in extras if word.startswith("-") and word != "-"]
        if unknown:
            self.error(self._no_option(unknown[0]))
        if extras and not hasattr(known, WORDS):
            self.error(f"{extras[0]!r} is one argument too many")
        if extras:
            setattr(known, WORDS, [*getattr(known, WORDS), *extras])
        return known, []

    def error(self, message: str) -> NoReturn:
        """Write the mistake, then the usage. **Raises** `Misused`."""
        if self.below and message == NO_COMMAND:
            message = f"{self.prog} needs a command; choose one of {', '.join(self.below.choices)}"
        write_stderr(f"agls: {escape_controls(message)}\n{self.format_usage()}See: {self.prog} --help\n")
        raise Misused(message)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        choices = list(map(str, action.choices or ()))
        if not choices or value in choices:
            return
        if action.metavar == COMMAND:
            self.error(self._no_command(str(value), choices))
        raise argparse.ArgumentError(action, no_such("value", str(value), choices))

    def _no_option(self, word: str) -> str:
        name = word.partition("=")[0]
        known = self._option_string_actions
        if name in OTHER_OPTIONS and {"--mode", "--output"} & known.keys():
            return f"there is no option {name!r}; did you mean {OTHER_OPTIONS[name]}?"
        return no_such("option", name, known, listed=False)

    def _no_command(self, value: str, choices: Iterable[str]) -> str:
        if " " in value.strip():
            return f'there is no command {value[:60]!r}. To give a prompt: agls run "…"'
        from agls.doors.headless.session_commands import shell_line  # noqa: PLC0415 - only for a mistake

        if meant := OTHER_AGENTS.get(self.prog, {}).get(value) or shell_line(value):
            return f"there is no command {value!r}; did you mean {meant}?"
        return no_such("command", value, choices)


def no_such(kind: str, value: str, known: Iterable[str], *, listed: bool = True) -> str:
    """Return that there is no such thing, and which one was probably meant, or else which there are."""
    known = list(known)
    bare = {word.lstrip("-"): word for word in known}  # dashes that all options have make nothing alike
    near = [bare[word] for word in difflib.get_close_matches(value.lstrip("-"), bare)]
    close = sorted(near, key=lambda word: sorted(word) != sorted(value))
    close = close or _beginning_with(value, known)  # two letters changed places before any other mistake
    text = f"there is no {kind} {value[:100]!r}"
    if close:
        return f"{text}; did you mean {close[0]}?"
    return f"{text}; choose one of {', '.join(known)}" if listed else text


def _beginning_with(value: str, known: Sequence[str]) -> Sequence[str]:
    found = [word for word in known if len(value.strip("-")) > 1 and word.startswith(value)]
    return found if len(found) == 1 else ()
