"""The variables of a command that is read: those whose value is known, and those that hold names or texts.

What a program prints is known only when it runs. The variable of a loop over it stands for the names that the
program prints (`printed_names` says whether they are safe); any other one, between quotes, for a text that is
only shown.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agls.features.permissions.syntax_nodes import is_substitution, substitutions_below
from agls.regex import regex
from agls.room.shell_tree import A_NAME, NotUnderstood, Word, is_one_word, short, text_of, unresolved

if TYPE_CHECKING:
    from tree_sitter import Node

_VARIABLE = regex(r"\$(?:(\w+|\?)|\{(\w+)\})")
# Of these the value may be printed: they hold no key. Nothing that is understood can set them.
_PRINTED = frozenset({"HOME", "PWD", "OLDPWD", "USER", "SHELL", "PATH", "LANG", "TERM", "?"})
_SUM = regex(r"\$\(\((?!.*(?:\+\+|--))[\w +*/%()-]+\)\)")  # `++` would change a variable
_WORD_IN_SUM = regex(r"[A-Za-z_]\w*")
# Programs obey many variables in lower case, too, all with `_` or longer; the others here are obeyed by none.
_NAME = regex(
    r"[a-z]{1,8}|COUNT|FILE|FILES|BRANCH|COMMIT|SHA|HASH|RESULT|OUT|[A-Z]|DIR|SRC|NAME|BASE|REV|TAG|FOO"
)
_OPERAND = r'(?:"\$(?:(?:\w+)|\{(?:\w+)\})"|"[\w ./-]*"|[\w./-]+)'
_PRINTED_TEXT = r'"\$\([^"$`()\\\n]+\)"'
_TEXT = rf"(?:{_OPERAND}|{_PRINTED_TEXT})"
_TEST_OF_TEXTS = regex(rf"\[ (?:-[nz] {_TEXT}|-[xfde] {_PRINTED_TEXT}|{_TEXT} (?:=|==|!=) {_TEXT}) \]")
_NUMBER = r'(?:"\$\w+"|"\$\{\w+\}"|-?\d+)'
_TEST_OF_NUMBERS = regex(rf"\[ {_NUMBER} -(?:eq|ne|lt|le|gt|ge) {_NUMBER} \]")
_USED = regex(r"\$\{?(\w+)")
# A format of `printf` that prints what it is given as it is: with `%d` a shell may count.
_PRINTS_TEXTS = regex(r"""'(?:[^%'\\]|%%|%-?\d*s|\\[nt])*'|"(?:[^%"\\$`]|%%|%-?\d*s|\\[nt])*\"""")

PRINTS_FOLDER = frozenset({"$(pwd)"})
# What prints the name of a commit and nothing else. That of a branch may be an option: `.git/HEAD` says it.
_PRINTS_COMMIT = regex(
    r"git (?:rev-parse (?:--verify |--short |-q )*HEAD(?:[~^]\d*)*"
    r"|merge-base [A-Za-z][\w./-]* [A-Za-z][\w./-]*"
    r"|log(?: -(?:n ?)?\d+)? --(?:format|pretty)=(?:format:)?%[hH](?: -(?:n ?)?\d+)?)"
)

Source = tuple[Word, ...]  # the words of a program whose lines a variable holds, () when nothing is known


class ShellVariables:
    """What is known of the variables at one place of a command, and in `used` the sources of those used."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._values = dict(values or {})
        self._sources: dict[str, Source] = {}
        self._printed: dict[str, Source] = {}
        self.used: list[Source] = []

    def copy(self) -> "ShellVariables":
        """**Returns** the same variables, for a place from which no assignment comes back."""
        made = ShellVariables(self._values)
        made._sources = dict(self._sources)
        return made

    def check_new(self, name: str) -> None:
        """**Raises** `NotUnderstood` unless a loop may have this variable."""
        if not _NAME.fullmatch(name) or name in self._values:
            raise NotUnderstood(f"`{name}` is not understood as the variable of a loop")

    def assign(self, name: str, value: str) -> None:
        """Remember a value that is known. **Raises** `NotUnderstood`."""
        if not _NAME.fullmatch(name) or "\0" in value:
            raise NotUnderstood(f"what `{name}=` changes is not certain")
        self._values[name] = value
        self._sources.pop(name, None)

    def hold(self, name: str, source: Source) -> None:
        """Remember that a variable holds what a program prints."""
        self.assign(name, "")
        self._values[name], self._sources[name] = A_NAME, source

    def forget_printed(self) -> None:
        """The same substitution in another command runs again, perhaps in another folder."""
        self._printed.clear()

    def hold_printed(self, node: "Node", source: Source) -> None:
        """Remember the words of the program whose lines this substitution becomes, () for none."""
        self._printed[text_of(node).lstrip()] = source

    def forget(self, *names: str) -> None:
        for name in names:
            self._values.pop(name, None)
            self._sources.pop(name, None)

    @property
    def names(self) -> frozenset[str]:
        """Those that are set."""
        return frozenset(self._values)

    def value(self, node: "Node") -> str:
        """**Returns** the value of a variable. **Raises** `NotUnderstood`."""
        name, text = _name_of(node), text_of(node).lstrip()
        if text in PRINTS_FOLDER:
            name = "PWD"
        elif source := self._printed.get(text):
            is_quoted = node.parent is not None and node.parent.type == "string"
            if is_quoted and not prints_commit(source):
                return unresolved(node)  # several lines are one word there: no name
            self.used.append(source)
            return A_NAME
        if name not in self._values:
            return unresolved(node)
        if self._values[name] == A_NAME:
            self.used.append(self._sources[name])
        return self._values[name]

    def printed(self, node: "Node") -> str:
        """**Returns** what stands for a value that is printed: who prints it does nothing with it.

        Without quotes a shell may put names of files in its place.
        """
        text, name = text_of(node).lstrip(), _name_of(node)
        if name in self._values:
            is_quoted = node.parent is not None and node.parent.type == "string"
            is_one = is_quoted or prints_commit(self._sources.get(name, ()))
            value = "0" if is_one else self.value(node)
            return value if is_one_word(value) else unresolved(node)
        is_shown = is_substitution(node) and node.parent is not None and node.parent.type == "string"
        if name in _PRINTED or self._is_sum(text) or is_shown:
            return "0"
        return unresolved(node)

    def _is_sum(self, text: str) -> bool:
        """Return whether this only counts: with numbers, and variables that hold one."""
        numbers = all(self._values.get(name, "").isdecimal() for name in _WORD_IN_SUM.findall(text))
        return numbers and bool(_SUM.fullmatch(text))

    def only_compares(self, node: "Node") -> bool:
        """**Returns** whether `[ … ]` only compares texts, or numbers, that are known or between quotes."""
        text = text_of(node)
        if _TEST_OF_TEXTS.fullmatch(text):
            return len(list(substitutions_below(node))) == text.count("$(")
        known = all(name in self._values for name in _USED.findall(text))
        return known and bool(_TEST_OF_NUMBERS.fullmatch(text))


def prints_commit(source: Sequence[Word]) -> bool:
    """**Returns** whether a program prints the name of a commit and nothing else."""
    return bool(_PRINTS_COMMIT.fullmatch(" ".join(word.text for word in source)))


def prints_texts(name: str, rest: Sequence["Node"]) -> bool:
    """**Returns** whether a program only prints its words, whatever they are."""
    return name == "echo" or (
        name == "printf" and bool(rest) and bool(_PRINTS_TEXTS.fullmatch(text_of(rest[0])))
    )


def assigned(node: "Node") -> tuple[str, "Node"]:
    """**Returns** the name and the value of an assignment. **Raises** `NotUnderstood`."""
    match [child for child in node.children if child.type != "="]:
        case [name, value] if (
            name.type == "variable_name" and text_of(node) == f"{text_of(name)}={text_of(value)}"
        ):
            return text_of(name), value
        case _:
            raise NotUnderstood(f"what `{short(node)}` changes is not certain")


def substituted(value: "Node") -> "Node | None":
    """**Returns** the `$( … )` that a value is as a whole, perhaps between quotes."""
    inner = value
    if value.type == "string" and len(value.named_children) == 1:
        inner = value.named_children[0]
        if text_of(value) != f'"{text_of(inner)}"':
            return None
    return inner if is_substitution(inner) else None


def _name_of(node: "Node") -> str:
    found = _VARIABLE.fullmatch(text_of(node).lstrip())
    return (found[1] or found[2]) if found else ""
