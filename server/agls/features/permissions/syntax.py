"""The programs that a shell command runs, read from its syntax tree.

Only commands are understood whose meaning does not depend on when they run: programs with plain words,
joined by `|`, `&&`, `||`, `;`, new lines, `if`, `!`, `( … )` and `{ …; }`, or repeated by `for` over words
that are known, in a folder that `cd FOLDER &&` names, with input from a file and output to `/dev/null` or
another descriptor. Of everything else nothing is known.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from posixpath import join
from typing import TYPE_CHECKING

from agls.features.permissions.syntax_nodes import (
    COMPOUND,
    input_of,
    is_quiet,
    is_redirected_compound,
    is_substitution,
    parts_of_for,
    passes_on,
    steps_of,
    substitutions_printed,
    without_redirections,
)
from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_tree import (
    NotUnderstood,
    Word,
    children_of,
    parsed,
    short,
    text_of,
    unresolved,
    word_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_PARTS = 64
MOST_RUNS = 400  # of programs, those that a loop repeats counted each time
_PROGRAM = regex(r"[A-Za-z0-9_./+-]+")

IF = {"if", "then", "elif", "else", "fi", ";", "\n"}  # what stands between the commands of an `if`
MOST_NESTED = 20  # statements in one another
_GROUPS = {"(", ")", "{", "}", "do", "done", ";", "\n"}
_VARIABLE = regex(r"\$(?:(\w+|\?)|\{(\w+)\})")
# Of these the value may be printed: they hold no key. Nothing that is understood can set them.
_PRINTED = frozenset({"HOME", "PWD", "OLDPWD", "USER", "SHELL", "PATH", "LANG", "TERM", "?"})
_SUM = regex(r"\$\(\([\d +*/%()-]+\)\)")
# Programs obey many variables in lower case, too, all with `_` or longer.
_LOOP_NAME = regex(r"[a-z]{1,8}")
_LOCALE = regex(r"(?:LC_ALL|LC_COLLATE|LC_CTYPE|LANG)=(?:C|POSIX|C\.UTF-8|en_US\.UTF-8)")
_NUMBERS = regex(r"\{(\d{1,3})\.\.(\d{1,3})\}")
_TEST = regex(r"\[ (.*) \]", re.DOTALL)
_TEST_OF_FILE = regex(r"\[\[ (-[fdesrwxhL] [\w./${}\"-]+) \]\]")
UNCERTAIN = "whether `cd` succeeds is known only when it runs: write `cd FOLDER && …`"


@frozen
class Program:
    """One program of a command: its words, `text` as it is written, and the files it gets as input.

    It runs in `folder` as seen from where the command begins ("" is that place itself); `piped` is whether it
    gets the output of another, or runs in a way that only readers may. `source` are the words of the program
    whose lines it gets, unchanged. With `again` a loop repeats it, with other words.
    """

    text: str
    words: tuple[Word, ...]
    inputs: tuple[str, ...] = ()
    folder: str = ""
    piped: bool = False
    source: tuple[Word, ...] = ()
    again: bool = False


Names = Callable[[str, str], Sequence[str]]


def _no_names(pattern: str, folder: str) -> Sequence[str]:
    raise NotUnderstood(f"what `{pattern}` becomes in {folder or 'the folder'} is known only when it runs")


def programs(command: str, names: Names = _no_names) -> tuple[Program, ...]:
    """Return the programs that a command runs, in order; `names` gives those that a pattern of a loop is for.

    **Raises** `NotUnderstood` when one cannot be known from the text.
    """
    root = parsed(command)
    found: list[Program] = []
    reader = _CommandReader(names)
    for program in reader.statements(root):
        found.append(program)
        if len(found) > MOST_RUNS or sum(not each.again for each in found) > MOST_PARTS:
            raise NotUnderstood(f"it has more than {MOST_PARTS} programs")
    return tuple(found)


class _CommandReader:
    """Reads one tree, and remembers the folder that `cd` leads to and the variables of loops."""

    def __init__(self, names: Names, values: Mapping[str, str] | None = None) -> None:
        self._names = names
        self._values = dict(values or {})
        self._folder = ""
        self._is_uncertain = False  # a `cd` may have failed
        self._nested = 0
        self._is_again = False
        self._only_readers = 0

    def statements(self, node: "Node") -> Iterator[Program]:
        yield from self._each(children_of(node, {";", "\n"}))

    def _each(self, nodes: Iterable["Node"]) -> Iterator[Program]:
        for child in nodes:
            if child.type != "comment":
                yield from self._statement(child)
                self._is_uncertain = bool(self._folder)

    def _statement(self, node: "Node") -> Iterator[Program]:
        self._nested += 1
        if self._nested > MOST_NESTED:
            raise NotUnderstood("too much of it stands in one another")
        yield from self._programs(node)
        self._nested -= 1

    def _programs(self, node: "Node") -> Iterator[Program]:
        match node.type:
            case "list":
                yield from self._list(node)
            case "pipeline":
                yield from self._pipeline(*children_of(node, {"|"}))
            case "redirected_statement" if is_redirected_compound(node):
                inner, *redirections = children_of(node, set())  # they belong to the last program in it
                if any(input_of(each) for each in redirections):
                    raise NotUnderstood(f"what `{short(redirections[0])}` feeds is not certain")
                yield from self._statement(inner)
            case "if_statement" | "elif_clause" | "else_clause":
                yield from self._staying(children_of(node, IF))
            case "negated_command":
                yield from self._staying(children_of(node, {"!"}))
            case "subshell":
                yield from self._apart(children_of(node, _GROUPS))
            case "compound_statement":
                yield from self._each(children_of(node, _GROUPS))
            case "for_statement":
                yield from self._for(node)
            case _:
                yield from self._simple(node)

    def _staying(self, nodes: Iterable["Node"]) -> Iterator[Program]:
        """Any of the commands may run, and each counts; none may lead into another folder."""
        folder = self._folder
        for child in nodes:
            if child.type != "comment":
                yield from self._statement(child)
        if self._folder != folder:
            raise NotUnderstood("where a `cd` in it leads is known only when it runs")

    def _apart(self, nodes: Iterable["Node"]) -> Iterator[Program]:
        """They run in a shell of their own: what they do to it ends with it."""
        before = self._folder, self._is_uncertain
        self._only_readers += 1
        yield from self._each(nodes)
        self._only_readers -= 1
        self._folder, self._is_uncertain = before

    def _for(self, node: "Node") -> Iterator[Program]:
        """Its body counts once for each value of its variable."""
        variable, words, body = parts_of_for(node)
        if not _LOOP_NAME.fullmatch(variable) or variable in self._values:
            raise NotUnderstood(f"`{variable}` is not understood as the variable of a loop")
        values = [value for word in words for value in self._values_of(word)]
        was_again = self._is_again
        self._only_readers += 1
        for value in values:
            self._values[variable] = value
            yield from self._staying(children_of(body, _GROUPS))
            self._is_again = True
        self._only_readers -= 1
        self._is_again = was_again
        del self._values[variable]

    def _values_of(self, node: "Node") -> Sequence[str]:
        if numbers := _NUMBERS.fullmatch(text_of(node)):
            first, last = sorted(map(int, numbers.groups()))
            return [str(number) for number in range(first, last + 1)]
        word = word_of(node, self._value)
        return self._names(word.text, self._folder) if word.is_pattern else (word.text,)

    def _value(self, node: "Node") -> str:
        """Return the value of a variable. **Raises** `NotUnderstood`."""
        found = _VARIABLE.fullmatch(text_of(node).lstrip())
        name = (found[1] or found[2]) if found else ""
        return self._values[name] if name in self._values else unresolved(node)

    def _printed(self, node: "Node") -> str:
        """Return what stands for a value that is printed: who prints it does nothing with it."""
        text = text_of(node).lstrip()
        found = _VARIABLE.fullmatch(text)
        name = (found[1] or found[2]) if found else ""
        if name in _PRINTED or name in self._values or _SUM.fullmatch(text) or is_substitution(node):
            return "0"
        return unresolved(node)

    def _simple(
        self, node: "Node", source: tuple[Word, ...] = (), *, piped: bool = False
    ) -> Iterator[Program]:
        for inner in substitutions_printed(node):
            yield from self._apart(children_of(inner, {"$(", ")", ";", "\n"}))
        program = self._read(node)
        if piped or self._only_readers:
            program = replace(program, piped=True, source=source)
        yield self._placed(replace(program, again=self._is_again))

    def _list(self, node: "Node") -> Iterator[Program]:
        steps = list(steps_of(node))
        for _, child in steps:
            yield from self._statement(child)
        if self._folder and any(operator == "||" for operator, _ in steps):
            raise NotUnderstood(f"{UNCERTAIN}, without `||`")

    def _pipeline(self, first: "Node", *rest: "Node") -> Iterator[Program]:
        # `a && b 2>&1 | c`: the grammar takes `a && b` for the first, and the shell does not
        if without_redirections(first).type in COMPOUND - {"list"}:
            found = list(self._apart([first]))
        else:
            found = list(self._statement(first))
        yield from (*found[:-1], _no_cd(found[-1]))
        source = found[-1].words if len(found) == 1 and is_quiet(first) else ()
        for node in rest:
            if without_redirections(node).type in COMPOUND:
                yield from self._apart([node])
                source = ()
                continue
            *inner, last = self._simple(node, source, piped=True)
            yield from (*inner, _no_cd(last))
            kept = passes_on(last.words) and is_quiet(node) and not last.inputs
            source = source if kept and all(word.text != "-print0" for word in source) else ()

    def _placed(self, program: Program) -> Program:
        if self._is_uncertain:
            raise NotUnderstood(UNCERTAIN)
        if program.words[0].text == "cd":
            self._folder = join(self._folder, _folder_of(program))
            return program
        return replace(program, folder=self._folder)

    def _read(self, node: "Node") -> Program:
        inputs: list[str] = []
        if node.type == "redirected_statement":
            inner, *redirections = children_of(node, set())
            for each in redirections:
                inputs += input_of(each, self._value)
            return replace(self._command(inner), inputs=tuple(inputs))
        return self._command(node)

    def _command(self, node: "Node") -> Program:
        if node.type == "test_command":
            return Program(text_of(node), self._test(node))
        if node.type != "command":
            raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")
        name, *rest = children_of(node, set())
        has_locale = bool(_LOCALE.fullmatch(text_of(name)))
        if has_locale and rest:
            name, *rest = rest
        if name.type != "command_name" or not _PROGRAM.fullmatch(text_of(name)):
            raise NotUnderstood(f"which program `{short(name)}` is, is not certain")
        read = self._word_printed if text_of(name) == "echo" else self._word
        words = (Word(text_of(name)), *map(read, rest))
        return Program(text_of(node), words, piped=has_locale)

    def _word(self, node: "Node") -> Word:
        return word_of(node, self._value)

    def _word_printed(self, node: "Node") -> Word:
        word = word_of(node, self._printed)
        if word.is_pattern and "$" in text_of(node):  # `$HOME/*` are names of another folder
            unresolved(node)
        return word

    def _test(self, node: "Node") -> tuple[Word, ...]:
        """Return the words of `[ … ]`, which is `test …`. `[[ … ]]` computes: only one of a file is known."""
        found = _TEST.fullmatch(text_of(node)) or _TEST_OF_FILE.fullmatch(text_of(node))
        if not found:
            raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")
        match tuple(_CommandReader(self._names, self._values).statements(parsed(f"test {found[1]}"))):
            case (Program(inputs=(), folder="", words=(Word("test"), *_) as words),):
                return words
            case _:
                raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")


def _folder_of(program: Program) -> str:
    match program:
        case Program(words=(_, Word(text, is_pattern=False)), inputs=()) if _is_below(text):
            return text
        case _:
            raise NotUnderstood("`cd` is understood only with the name of one folder, without `..`")


def _is_below(folder: str) -> bool:
    """Return whether `cd` leads where the path does: behind a link its `..` is another one."""
    return bool(folder) and folder[0] != "-" and ".." not in folder.split("/")


def _no_cd(program: Program) -> Program:
    if program.words[0].text == "cd":
        raise NotUnderstood("`cd` in a pipeline changes no folder")
    return program
