"""The programs that a shell command runs, read from its syntax tree.

Only commands are understood whose meaning does not depend on when they run: programs with plain words,
joined by `|`, `&&`, `||`, `;`, new lines, `if`, `!`, `( … )` and `{ …; }`, or repeated by `for` over words
that are known, in a folder that `cd FOLDER` names, with input from a file and output to `/dev/null` or
another descriptor. Where a `cd` may have failed, what follows counts in both folders. `for f in $( … )` and
`while read f` count where the names are safe, and `x=$( … )` where the text is only shown. Of everything
else nothing is known.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from agls.features.permissions.shell_folders import ShellFolders, both
from agls.features.permissions.shell_variables import (
    PRINTS_FOLDER,
    ShellVariables,
    Source,
    assigned,
    prints_commit,
    substituted,
)
from agls.features.permissions.simple_command import Program, no_cd, read_command
from agls.features.permissions.syntax_nodes import (
    COMPOUND,
    feeding,
    input_of,
    is_over_lines,
    is_quiet,
    is_redirected_compound,
    is_substitution,
    numbers_of,
    parts_of_any_loop,
    parts_of_case,
    parts_of_for,
    parts_of_while,
    passes_on,
    steps_of,
    substitutions_given,
    substitutions_printed,
    substitutions_read,
    without_redirections,
)
from agls.room.shell_tree import A_NAME, NotUnderstood, Word, children_of, parsed, short, text_of, word_of

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_PARTS = 64
MOST_RUNS = 400  # of programs, those that a loop repeats counted each time
_ENDED_BY_NUL = frozenset({"-print0", "-z"})

IF = {"if", "then", "elif", "else", "fi", ";", "\n"}  # what stands between the commands of an `if`
MOST_NESTED = 20  # statements in one another
_AROUND = {"$(", "<(", ")", ";", "\n"}  # what stands around the commands of a substitution
_GROUPS = {"(", ")", "{", "}", "do", "done", ";", "\n"}


Names = Callable[[str, str], Sequence[str]]


def _no_names(pattern: str, folder: str) -> Sequence[str]:
    raise NotUnderstood(f"what `{pattern}` becomes in {folder or 'the folder'} is known only when it runs")


def programs(command: str, names: Names = _no_names, here: str = "", begin: str = "") -> tuple[Program, ...]:
    """Return the programs that a command runs, in order; `names` gives those that a pattern of a loop is for.

    `here` is the path of the folder where it begins, "" when that is not known, and `begin` the same as seen
    from the folder that no `cd ..` may leave: so is the folder of each. **Raises** `NotUnderstood` when one
    cannot be known from the text.
    """
    root = parsed(command)
    found: list[Program] = []
    reader = _CommandReader(names, ShellVariables({"PWD": here} if here else {}), begin)
    for program in reader.statements(root):
        found.append(program)
        if len(found) > MOST_RUNS or sum(not each.again for each in found) > MOST_PARTS:
            raise NotUnderstood(f"it has more than {MOST_PARTS} programs")
    return tuple(found)


class _CommandReader:
    """Reads one tree, and remembers the folder that `cd` leads to and the variables of loops."""

    def __init__(self, names: Names, variables: ShellVariables, begin: str) -> None:
        self._names = names
        self._variables = variables
        self._folders = both((begin,))
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
                self._folders = self._folders.all

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
            case "negated_command" | "case_statement":
                is_case = node.type == "case_statement"
                yield from self._staying(parts_of_case(node) if is_case else children_of(node, {"!"}))
            case "subshell":
                yield from self._apart(children_of(node, _GROUPS))
            case "compound_statement":
                yield from self._each(children_of(node, _GROUPS))
            case "for_statement" | "while_statement":
                lines = node.type == "for_statement" or is_over_lines(node)
                yield from self._loop(node, ()) if lines else self._any_loop(node)
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
            yield from self._placed(
                Program(short(redirections[0]), (Word("true"),), tuple(files), piped=True)
            )
        yield from self._statement(inner)

    def _staying(self, nodes: Iterable["Node"], *, may_assign: bool = False) -> Iterator[Program]:
        """Any of the commands may run, and each counts; none may lead into another folder."""
        folders = self._folders
        for child in nodes:
            if child.type == "variable_assignment" and may_assign:
                yield from self._assign(child)
            elif child.type != "comment":
                yield from self._statement(child)
        if self._folders != folders:
            raise NotUnderstood("where a `cd` in it leads is known only when it runs")

    def _apart(self, nodes: Iterable["Node"]) -> Iterator[Program]:
        """They run in a shell of their own: what they do to it ends with it."""
        before = self._folders, self._variables
        self._variables = self._variables.copy()
        self._folders = both(self._folders.succeeded)
        self._only_readers += 1
        yield from self._each(nodes)
        self._only_readers -= 1
        self._folders, self._variables = before

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
            found, source = self._printed_by(children_of(inner, _AROUND))
            yield from found
            self._variables.hold(
                name, source if prints_commit(source) else ()
            )  # else it may be several lines
            return
        word = word_of(value, self._variables.value)
        if word.is_pattern:
            raise NotUnderstood(f"what `{short(node)}` becomes is known only when it runs")
        self._variables.assign(name, word.text)

    def _any_loop(self, node: "Node") -> Iterator[Program]:
        """Its condition and its body may run any number of times, always in the same place."""
        condition, body = parts_of_any_loop(node)
        self._only_readers += 1
        yield from self._staying([condition, *body])
        self._only_readers -= 1

    def _loop(self, node: "Node", source: Source) -> Iterator[Program]:
        if node.type == "while_statement":
            variable, body = parts_of_while(node)
            yield from self._repeated(variable, source, body)
            return
        variable, words, body = parts_of_for(node)
        self._variables.check_new(variable)
        if len(words) == 1 and is_substitution(words[0]) and not numbers_of(words[0]):
            found, source = self._printed_by(children_of(words[0], _AROUND))
            # a shell puts names in the place of a pattern there: so the names are looked at, used or not
            checked = Program(short(words[0]), (Word("echo"), Word(A_NAME)), loops=(source,), piped=True)
            yield from (*found, *(() if prints_commit(source) else self._placed(checked)))
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
        if numbers := numbers_of(node):
            return numbers
        word = word_of(node, self._variables.value)
        return self._names(word.text, self._folders.only()) if word.is_pattern else (word.text,)

    def _simple(
        self, node: "Node", source: tuple[Word, ...] = (), *, piped: bool = False
    ) -> Iterator[Program]:
        for inner in (*substitutions_printed(node), *substitutions_read(node)):
            yield from self._apart(children_of(inner, _AROUND))
        self._variables.forget_printed()
        prints = any(substitutions_printed(node))
        for inner in substitutions_given(node) if not prints else ():
            if text_of(inner).lstrip() in PRINTS_FOLDER:
                continue
            found, source = self._printed_by(children_of(inner, _AROUND))
            yield from found
            self._variables.hold_printed(inner, source)
        program = read_command(node, self._variables)
        self._lines = program.words if is_quiet(node) and not program.inputs and not piped else ()
        if piped or self._only_readers:
            program = replace(program, piped=True, source=source)
        yield from self._placed(replace(program, again=self._is_again))

    def _list(self, node: "Node", *, may_assign: bool = False) -> Iterator[Program]:
        (_, first), *steps = steps_of(node)
        is_set = may_assign and first.type == "variable_assignment"  # the first step runs in any case
        yield from self._assign(first) if is_set else self._statement(first)
        for operator, child in steps:
            before = self._folders
            self._folders = before.before(operator)
            yield from self._statement(child)
            self._folders = before.then(operator, self._folders)

    def _pipeline(self, first: "Node", *rest: "Node") -> Iterator[Program]:
        # `a && b 2>&1 | c`: the grammar takes `a && b` for the first, and the shell does not
        if without_redirections(first).type in COMPOUND - {"list"}:
            found = list(self._apart([first]))
        else:
            found = list(self._statement(first))
        yield from (*found[:-1], no_cd(found[-1]))
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
            yield from (*inner, no_cd(last))
            kept = passes_on(last.words) and is_quiet(node) and not last.inputs
            source = source if kept and all(word.text not in _ENDED_BY_NUL for word in source) else ()
        self._lines = source
        self._folders = ShellFolders(self._folders.succeeded, self._folders.all.failed)

    def _fed_loop(self, node: "Node", source: Source) -> Iterator[Program]:
        """A loop over the lines of the program before it: in a shell of its own."""
        before = self._variables, self._only_readers
        self._variables = self._variables.copy()
        yield from self._loop(node, source)
        self._variables, self._only_readers = before

    def _placed(self, program: Program) -> Iterator[Program]:
        """Yield it for each folder in which the shell may be."""
        yield from [replace(program, folder=folder) for folder in self._folders.succeeded]
        if program.words[0].text == "cd":
            self._variables.forget("PWD")
            self._folders = self._folders.after_cd(program)
