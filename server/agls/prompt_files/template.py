"""From the text of a file and the words behind its name to a prompt. Pure.

The text is gone through once: nothing that comes from an argument is looked at again.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from shlex import quote

from agls.frozen import frozen
from agls.prompt_files.command_places import Dialect
from agls.prompt_files.dialects import OF_EDITOR, pairs_in, with_mentions
from agls.regex import regex

UNUSED = "\n\nARGUMENTS: {}"
_USUAL = regex(
    r"(?P<escape>\\)?(?:"
    r"\$ARGUMENTS\[(?P<index>\d{1,3})\]|\$\{(?P<variable>\w+)\}|\$\{input:(?P<input>\w+)[^}\n]*\}"
    r"|\$(?P<number>\d{1,3})(?![\d,.]*\d)|\$(?P<name>[A-Za-z_]\w*))"
)
_GEMINI = regex(r"(?P<escape>\\)?\{\{(?P<name>args)\}\}")
_WORD = regex(r"""(["'])((?:(?!\1)[^\\]|\\.)*)\1(?!\S)|\S+""", re.DOTALL)
_ESCAPED = regex(r"""\\(["'\\])""")
_SHELL = regex(
    r"(?:^|(?<=\s))!`(?P<line>[^`\n]+)`|^ {0,3}(?P<fence>`{3,}|~{3,})!(?P<block>[^`]*?)^ {0,3}(?P=fence) *$",
    re.MULTILINE | re.DOTALL,
)
# The same in a skill, where a block of code shows something.
_SKILL_SHELL = regex(
    r"^ {0,3}(?P<shown>`{3,}|~{3,})(?!!).*?(?:^ {0,3}(?P=shown)[`~]* *$|\Z)|" + _SHELL.pattern,
    re.MULTILINE | re.DOTALL,
)
_UNCLOSED = regex(r"^ {0,3}(?:`{3,}|~{3,})!", re.MULTILINE)
_GEMINI_SHELL = regex(r"!\{(?P<line>(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*)\}")  # braces in it are in pairs
MARKER = "(what `{}` printed is below, as output {})"
_SHELLS: Mapping[Dialect, re.Pattern[str]] = {"gemini": _GEMINI_SHELL, "skill": _SKILL_SHELL}
_GEMINI_FILE = regex(r"@\{([^}\n]+)\}")


@frozen
class Given:
    """What a command was given: its `words` as they were typed, and the values of variables.

    `names` are those of the arguments, in their order.
    """

    words: str = ""
    names: Sequence[str] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])


def arguments_in(words: str) -> list[str]:
    """Return the arguments that these words are: quotes hold one together."""
    return [
        _ESCAPED.sub(r"\1", found[2]) if found[1] else found[0] for found in _WORD.finditer(words.strip())
    ]


@frozen
class ShellLine:
    """A command of the shell that a file wants run before its prompt.

    It `is_fixed` when it has nothing of what the command was given: it is the same each time.
    """

    command: str
    is_fixed: bool = True


@frozen
class FilledTemplate:
    """The prompt that a file makes, and the commands whose output goes with it, in order."""

    text: str
    lines: tuple[ShellLine, ...] = ()


def shell_lines(template: str, dialect: Dialect) -> Sequence[str]:
    """Return the commands of the shell that a file wants run before the prompt (`!` lines), as they stand."""
    return [command for _, command in _pieces(template, dialect) if command]


def has_open_block(template: str, dialect: Dialect) -> bool:
    """Return whether a block of commands is never closed, so that nobody knows where it ends."""
    return dialect != "gemini" and bool(_UNCLOSED.search(_SHELL.sub("", template)))


def expanded(template: str, given: Given, dialect: Dialect = "usual") -> FilledTemplate:
    """Return the prompt. Words that no placeholder takes are put behind it.

    In a command of the shell each value stays text; the words of `$ARGUMENTS` outside of quotes stay several.
    """
    filling = _Placeholders(template, given, dialect)
    placeholder = _GEMINI if dialect == "gemini" else _USUAL
    texts: list[str] = []
    lines: list[ShellLine] = []
    for piece, command in _pieces(template, dialect):
        text = placeholder.sub(filling.value, piece)
        texts.append(_with_mentions(text, dialect))
        if command:
            filled, is_fixed = filling.command(placeholder, command)
            lines.append(ShellLine(filled, is_fixed))
            texts.append(MARKER.format(filled.partition("\n")[0], len(lines)))
    whole, words = "".join(texts), given.words.strip()
    return FilledTemplate(
        whole if filling.used or not words else whole.rstrip() + UNUSED.format(words), tuple(lines)
    )


def _with_mentions(text: str, dialect: Dialect) -> str:
    """Return a text with `@path` in the place of what points at a file in other words."""
    if dialect == "gemini":
        return _GEMINI_FILE.sub(r'@"\1"', text)
    return with_mentions(text) if dialect == "github" else text


def _pieces(template: str, dialect: Dialect) -> Iterator[tuple[str, str]]:
    """Yield the texts, each with the command of the shell behind it ("": none)."""
    at = 0
    for found in _SHELLS.get(dialect, _SHELL).finditer(template):
        if found.groupdict().get("shown"):
            continue
        command = next(filter(None, (found.groupdict().get(name) for name in ("line", "block"))), "")
        yield template[at : found.start()], command.strip()
        at = found.end()
    yield template[at:], ""


class _Placeholders:
    """The values of the placeholders of one file; `used` is whether any of them took arguments."""

    def __init__(self, template: str, given: Given, dialect: Dialect) -> None:
        self._given, self._dialect = given, dialect
        self._arguments = arguments_in(given.words)
        numbers = [int(found["number"]) for found in _USUAL.finditer(template) if found["number"]]
        self._of_skill = dialect == "skill"
        self._first = 0 if 0 in numbers or self._of_skill else 1
        self._last = max(numbers, default=0) if dialect == "opencode" else -1
        inputs = [found["input"] for found in _USUAL.finditer(template) if found["input"]]
        self._inputs = list(dict.fromkeys(inputs))
        self._pairs: Mapping[str, str] = pairs_in(given.words) if dialect == "codex" else {}
        of_editor: Mapping[str, str] = OF_EDITOR if dialect == "github" else {}
        self._variables = {**of_editor, **given.variables}
        self.used = False

    def value(self, found: re.Match[str]) -> str:
        """Return what takes the place of a placeholder; itself where it is none."""
        if found["escape"]:
            return found[0][1:]
        kinds: Mapping[str, Callable[[str], str | None]] = {
            "index": lambda text: self._at(int(text)),
            "number": lambda text: self._numbered(int(text)),
            "input": self._input,
            "variable": self._variables.get,
            "name": self._named,
        }
        for kind, text in found.groupdict().items():
            if text and kind in kinds:
                value = kinds[kind](text)
                return found[0] if value is None else value
        return found[0]

    def command(self, placeholder: re.Pattern[str], text: str) -> tuple[str, bool]:
        """Return a command of the shell with its values, some of them in variables that it begins with.

        And whether it has nothing of what the command was given.
        """
        variables: list[str] = []
        given: list[str] = []
        filled = placeholder.sub(lambda found: self._in_shell(found, variables, given), text)
        folders = [
            f"export {name}={quote(value)}"  # for the shell's own forms, such as `${NAME%/*}`
            for name, value in self._variables.items()
            if f"${{{name}" in filled or f"${name}" in filled
        ]
        return "; ".join([*folders, *variables, filled]), not given

    def _in_shell(self, found: re.Match[str], variables: list[str], given: list[str]) -> str:
        value = self.value(found)
        if value == found[0]:
            return value
        if not (found.groupdict().get("variable") or found.groupdict().get("escape")):
            given.append(value)
        from agls.prompt_files.shell_values import written  # noqa: PLC0415 - few files have such a line

        words = self._arguments if found["name"] == "ARGUMENTS" else [value]
        text = written(found.string[: found.start()], value, words)
        if text is None:
            variables.append(f"VALUE_{len(variables)}={quote(value)}")
            return f"${{VALUE_{len(variables) - 1}}}"
        return text

    def _at(self, place: int) -> str | None:
        if self._of_skill and not self._arguments:
            return None  # a skill that was given nothing may well show a script
        self.used = True
        return self._arguments[place] if place < len(self._arguments) else ""

    def _numbered(self, number: int) -> str | None:
        if number == self._last:
            self.used = True
            return " ".join(self._arguments[number - self._first :])
        return self._at(number - self._first)

    def _input(self, name: str) -> str | None:
        if len(self._inputs) == 1:
            self.used = True
            return self._given.words.strip()
        return self._at(self._inputs.index(name))

    def _named(self, name: str) -> str | None:
        if name in {"ARGUMENTS", "args"}:
            self.used = True
            return self._given.words.strip()
        if name in self._pairs:
            self.used = True
            return self._pairs[name]
        return self._at(self._given.names.index(name)) if name in self._given.names else None
