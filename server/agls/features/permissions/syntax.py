"""The programs that a shell command runs, read from its syntax tree.

Only commands are understood whose meaning does not depend on when they run: programs with plain words,
joined by `|`, `&&`, `||`, `;`, new lines, `if`, `!`, `( … )` and `{ …; }`, or repeated by `for` over words
that are known, in a folder that `cd FOLDER` names, with input from a file and output to `/dev/null` or
another descriptor. Where a `cd` may have failed, what follows counts in both folders. `for f in $( … )` and
`while read f` count where the names are safe, and `x=$( … )` where the text is only shown. Of everything
else nothing is known.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from posixpath import dirname, join
from typing import TYPE_CHECKING

from agls.features.permissions.shell_variables import (
    Source,
    Variables,
    assigned,
    prints_texts,
    substituted,
)
from agls.features.permissions.syntax_nodes import (
    COMPOUND,
    NOWHERE,
    feeding,
    input_of,
    is_quiet,
    is_read,
    is_redirected_compound,
    is_substitution,
    parts_of_for,
    passes_on,
    steps_of,
    substitutions_printed,
    substitutions_read,
    without_redirections,
)
from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_tree import (
    A_NAME,
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
_ENDED_BY_NUL = frozenset({"-print0", "-z"})
_PROGRAM = regex(r"[A-Za-z0-9_./+-]+")

IF = {"if", "then", "elif", "else", "fi", ";", "\n"}  # what stands between the commands of an `if`
MOST_NESTED = 20  # statements in one another
_AROUND = {"$(", "<(", ")", ";", "\n"}  # what stands around the commands of a substitution
_GROUPS = {"(", ")", "{", "}", "do", "done", ";", "\n"}
_READ = regex(r"(?:IFS= ?)?read (?:-r )?(\w+)")
_SEQUENCE = regex(r"\$\(seq (?:(\d{1,3}) )?(\d{1,3})\)")
_LOCALE = regex(r"(?:LC_ALL|LC_COLLATE|LC_CTYPE|LANG)=(?:C|POSIX|C\.UTF-8|en_US\.UTF-8)")
_NUMBERS = regex(r"\{(\d{1,3})\.\.(\d{1,3})\}")
_TEST = regex(r"\[ (.*) \]", re.DOTALL)
_TEST_OF_FILE = regex(r"\[\[ (-[fdesrwxhL] [\w./${}\"-]+) \]\]")


@frozen
class Program:
    """One program of a command: its words, `text` as it is written, and the files it gets as input.

    It runs in `folder` as seen from where the command begins ("" is that place itself); `piped` is whether it
    gets the output of another, or runs in a way that only readers may. `source` are the words of the program
    whose lines it gets, unchanged, `loops` those whose lines its variables hold. With `again` a loop repeats
    it, with other words.
    """

    text: str
    words: tuple[Word, ...]
    inputs: tuple[str, ...] = ()
    folder: str = ""
    piped: bool = False
    source: tuple[Word, ...] = ()
    again: bool = False
    loops: tuple[Source, ...] = ()


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

    def __init__(self, names: Names, variables: Variables | None = None) -> None:
        self._names = names
        self._variables = variables or Variables()
        self._folders: tuple[str, ...] = ("",)  # where the shell may be when the last statement succeeded
        self._failed: tuple[str, ...] = ("",)  # and when it did not: a `cd` may have failed
        self._nested = 0
        self._is_again = False
        self._only_readers = 0
        self._lines: Source = ()  # the words of the program whose lines the last statement prints

    def statements(self, node: "Node") -> Iterator[Program]:
        yield from self._each(children_of(node, {";", "\n"}), may_assign=True)

    def _each(self, nodes: Iterable["Node"], *, may_assign: bool = False) -> Iterator[Program]:
        for child in nodes:
            if child.type == "variable_assignment" and may_assign:
                yield from self._assign(child)
            elif child.type != "comment":
                is_list = child.type == "list" and may_assign
                yield from self._list(child, may_assign=True) if is_list else self._statement(child)
                self._folders = _together(self._folders, self._failed)

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
                yield from self._redirected(node)
            case "if_statement" | "elif_clause" | "else_clause":
                yield from self._staying(children_of(node, IF))
            case "negated_command":
                yield from self._staying(children_of(node, {"!"}))
            case "subshell":
                yield from self._apart(children_of(node, _GROUPS))
            case "compound_statement":
                yield from self._each(children_of(node, _GROUPS))
            case "for_statement" | "while_statement":
                yield from self._loop(node, ())
            case _:
                yield from self._simple(node)

    def _redirected(self, node: "Node") -> Iterator[Program]:
        """The redirections belong to the last program in it, or to a loop over the lines of a file."""
        inner, *redirections = children_of(node, set())
        if inner.type == "while_statement" and len(redirections) == 1 and (fed := feeding(redirections[0])):
            found, source = self._printed_by(children_of(fed, _AROUND))
            yield from found
            yield from self._loop(inner, source)
            return
        files = [file for each in redirections for file in input_of(each)]
        if files and inner.type != "while_statement":
            raise NotUnderstood(f"what `{short(redirections[0])}` feeds is not certain")
        if files:
            yield from self._placed(Program(short(redirections[0]), (Word("true"),), tuple(files), piped=True))
        yield from self._statement(inner)

    def _staying(self, nodes: Iterable["Node"], *, may_assign: bool = False) -> Iterator[Program]:
        """Any of the commands may run, and each counts; none may lead into another folder."""
        folders = self._folders
        for child in nodes:
            if child.type == "variable_assignment" and may_assign:
                yield from self._assign(child)
            elif child.type != "comment":
                yield from self._statement(child)
        if self._folders != folders or self._failed != folders:
            raise NotUnderstood("where a `cd` in it leads is known only when it runs")

    def _apart(self, nodes: Iterable["Node"]) -> Iterator[Program]:
        """They run in a shell of their own: what they do to it ends with it."""
        before = self._folders, self._failed, self._variables
        self._variables = self._variables.copy()
        self._failed = self._folders
        self._only_readers += 1
        yield from self._each(nodes)
        self._only_readers -= 1
        self._folders, self._failed, self._variables = before

    def _printed_by(self, nodes: Sequence["Node"]) -> tuple[list[Program], Source]:
        """Return the programs of a substitution, and the words of the one whose lines it prints."""
        self._lines = ()
        found = list(self._apart(nodes))
        is_one = len(nodes) == 1 and nodes[0].type in {"pipeline", "command", "redirected_statement"}
        return found, self._lines if is_one else ()

    def _assign(self, node: "Node") -> Iterator[Program]:
        """What follows it may only read: what obeys a variable is not known of every program."""
        name, value = assigned(node)
        self._only_readers += 1
        if inner := substituted(value):
            yield from self._apart(children_of(inner, _AROUND))
            self._variables.hold(name, ())  # it may be several lines: no name
            return
        word = self._word(value)
        if word.is_pattern:
            raise NotUnderstood(f"what `{short(node)}` becomes is known only when it runs")
        self._variables.assign(name, word.text)

    def _loop(self, node: "Node", source: Source) -> Iterator[Program]:
        if node.type == "while_statement":
            variable, body = _parts_of_while(node)
            yield from self._repeated(variable, source, body)
            return
        variable, words, body = parts_of_for(node)
        self._variables.check_new(variable)
        if len(words) == 1 and is_substitution(words[0]) and not _SEQUENCE.fullmatch(text_of(words[0])):
            found, source = self._printed_by(children_of(words[0], _AROUND))
            # a shell puts names in the place of a pattern there: so the names are looked at, used or not
            checked = Program(short(words[0]), (Word("echo"), Word(A_NAME)), loops=(source,), piped=True)
            yield from (*found, *self._placed(checked))
            yield from self._repeated(variable, source, body)
            return
        yield from self._for_each(
            variable, [value for word in words for value in self._values_of(word)], body
        )

    def _repeated(self, variable: str, source: Source, body: "Node") -> Iterator[Program]:
        """The body of a loop over what a program prints counts once, for any name."""
        self._variables.check_new(variable)
        self._variables.hold(variable, source)
        yield from self._body(variable, body)

    def _for_each(self, variable: str, values: Sequence[str], body: "Node") -> Iterator[Program]:
        """The body of a loop over words counts once for each of them."""
        was_again = self._is_again
        for value in values:
            self._variables.assign(variable, value)
            yield from self._body(variable, body)
            self._is_again = True
        self._is_again = was_again

    def _body(self, variable: str, body: "Node") -> Iterator[Program]:
        before, only_readers = self._variables.names, self._only_readers
        self._only_readers += 1
        statements = children_of(body, _GROUPS)
        for each in statements:
            if each.type == "variable_assignment":
                self._variables.check_new(assigned(each)[0])
        yield from self._staying(statements, may_assign=True)
        self._only_readers = only_readers
        self._variables.forget(variable, *(self._variables.names - before))

    def _values_of(self, node: "Node") -> Sequence[str]:
        text = text_of(node)
        if numbers := _NUMBERS.fullmatch(text) or _SEQUENCE.fullmatch(text):
            first, last = int(numbers[1] or 1), int(numbers[2])
            if numbers.re is _NUMBERS:
                first, last = sorted((first, last))
            return [str(number) for number in range(first, last + 1)]
        word = self._word(node)
        if not word.is_pattern:
            return (word.text,)
        folder, *others = self._folders
        if others:
            raise NotUnderstood(f"where `{word.text}` is looked up is known only when it runs")
        return self._names(word.text, folder)

    def _simple(
        self, node: "Node", source: tuple[Word, ...] = (), *, piped: bool = False
    ) -> Iterator[Program]:
        for inner in (*substitutions_printed(node), *substitutions_read(node)):
            yield from self._apart(children_of(inner, _AROUND))
        program = self._read(node)
        self._lines = program.words if is_quiet(node) and not program.inputs and not piped else ()
        if piped or self._only_readers:
            program = replace(program, piped=True, source=source)
        yield from self._placed(replace(program, again=self._is_again))

    def _list(self, node: "Node", *, may_assign: bool = False) -> Iterator[Program]:
        (_, first), *steps = steps_of(node)
        is_set = may_assign and first.type == "variable_assignment"  # the first step runs in any case
        yield from self._assign(first) if is_set else self._statement(first)
        for operator, child in steps:
            succeeded, failed = self._folders, self._failed
            self._folders = self._failed = succeeded if operator == "&&" else failed
            yield from self._statement(child)
            if operator == "&&":
                self._failed = _together(failed, self._failed)
            else:
                self._folders = _together(succeeded, self._folders)

    def _pipeline(self, first: "Node", *rest: "Node") -> Iterator[Program]:
        # `a && b 2>&1 | c`: the grammar takes `a && b` for the first, and the shell does not
        if without_redirections(first).type in COMPOUND - {"list"}:
            found = list(self._apart([first]))
        else:
            found = list(self._statement(first))
        yield from (*found[:-1], _no_cd(found[-1]))
        is_one = all(each.words == found[-1].words for each in found)
        source = found[-1].words if is_one and is_quiet(first) else ()
        for node in rest:
            if node.type == "while_statement":
                yield from self._fed_loop(node, source)
                source = ()
                continue
            if without_redirections(node).type in COMPOUND:
                yield from self._apart([node])
                source = ()
                continue
            *inner, last = self._simple(node, source, piped=True)
            yield from (*inner, _no_cd(last))
            kept = passes_on(last.words) and is_quiet(node) and not last.inputs
            source = source if kept and all(word.text not in _ENDED_BY_NUL for word in source) else ()
        self._lines = source
        self._failed = _together(self._folders, self._failed)

    def _fed_loop(self, node: "Node", source: Source) -> Iterator[Program]:
        """A loop over the lines of the program before it: in a shell of its own."""
        before = self._variables, self._only_readers
        self._variables = self._variables.copy()
        yield from self._loop(node, source)
        self._variables, self._only_readers = before

    def _placed(self, program: Program) -> Iterator[Program]:
        """Yield it for each folder in which the shell may be."""
        yield from [replace(program, folder=folder) for folder in self._folders]
        if program.words[0].text == "cd":
            self._failed = self._folders
            below = _folder_of(program)
            self._folders = tuple(_folder_below(folder, below) for folder in self._folders)

    def _read(self, node: "Node") -> Program:
        inputs: list[str] = []
        self._variables.used = []
        inner, *redirections = children_of(node, set()) if node.type == "redirected_statement" else [node]
        for each in redirections:
            inputs += input_of(each, self._variables.value)
        program = self._command(inner)
        return replace(program, inputs=tuple(inputs), loops=tuple(self._variables.used))

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
        read = self._word_printed if prints_texts(text_of(name), rest) else self._word
        # what is read from another program is no file of a name, and no other word
        words = (Word(text_of(name)), *(Word(NOWHERE) if is_read(each) else read(each) for each in rest))
        return Program(text_of(node), words, piped=has_locale)

    def _word(self, node: "Node") -> Word:
        return word_of(node, self._variables.value)

    def _word_printed(self, node: "Node") -> Word:
        word = word_of(node, self._variables.printed)
        if word.is_pattern and "$" in text_of(node):  # `$HOME/*` are names of another folder
            unresolved(node)
        return word

    def _test(self, node: "Node") -> tuple[Word, ...]:
        """Return the words of `[ … ]`, which is `test …`. `[[ … ]]` computes: only one of a file is known."""
        if self._variables.only_compares(node):
            return (Word("test"), Word("-n"), Word("0"))
        found = _TEST.fullmatch(text_of(node)) or _TEST_OF_FILE.fullmatch(text_of(node))
        if not found:
            raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")
        inner = _CommandReader(self._names, self._variables.copy())
        match tuple(inner.statements(parsed(f"test {found[1]}"))):
            case (Program(inputs=(), folder="", words=(Word("test"), *_) as words, loops=loops),):
                self._variables.used += loops
                return words
            case _:
                raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")


def _together(one: Sequence[str], other: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _parts_of_while(node: "Node") -> tuple[str, "Node"]:
    """Return the variable and the body of a loop over lines. **Raises** `NotUnderstood` for any other one."""
    match children_of(node, {";", "\n"}):
        case [kind, condition, body] if text_of(kind) == "while" and (
            found := _READ.fullmatch(text_of(condition))
        ):
            return found[1], body
        case _:
            raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")


def _folder_of(program: Program) -> str:
    match program:
        case Program(words=(_, Word(text, is_pattern=False)), inputs=()) if text == ".." or _is_below(text):
            return text
        case _:
            raise NotUnderstood("`cd` is understood only with the name of one folder, without `..`")


def _folder_below(folder: str, below: str) -> str:
    """Return where `cd` leads from a folder. `..` leads back to where a shell came from, behind a link, too."""
    if below != "..":
        return join(folder, below)
    if not folder.strip("./"):
        raise NotUnderstood("`cd ..` leads out of the folder where the command begins")
    return dirname(folder.rstrip("/"))


def _is_below(folder: str) -> bool:
    """Return whether `cd` leads where the path does: behind a link its `..` is another one."""
    return bool(folder) and folder[0] != "-" and folder != NOWHERE and "\0" not in folder and ".." not in folder.split("/")


def _no_cd(program: Program) -> Program:
    if program.words[0].text == "cd":
        raise NotUnderstood("`cd` in a pipeline changes no folder")
    return program
