"""The programs that a shell command runs, read from its syntax tree.

Only commands are understood whose meaning does not depend on when they run: programs with plain words,
joined by `|`, `&&`, `||`, `;`, new lines and `if`, in a folder that `cd FOLDER &&` names, with input from a
file and output to `/dev/null` or another descriptor. Of everything else nothing is known.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from posixpath import join
from typing import TYPE_CHECKING

from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_tree import NotUnderstood, Word, children_of, kind_of, parsed, short, text_of, word_of

if TYPE_CHECKING:
    from tree_sitter import Node

MOST_PARTS = 64
_PROGRAM = regex(r"[A-Za-z0-9_./+-]+")
_DESCRIPTOR = regex(r"\d?>&(?:\d|-)|\d?<&(?:\d|-)")
_NOWHERE = regex(r"(?:\d|&)?>>? *(/dev/(?:null|stdout|stderr))")

IF = {"if", "then", "elif", "else", "fi", ";", "\n"}  # what stands between the commands of an `if`
MOST_NESTED = 20  # statements in one another
UNCERTAIN = "whether `cd` succeeds is known only when it runs: write `cd FOLDER && …`"


@frozen
class Program:
    """One program of a command: its words, `text` as it is written, and the files it gets as input.

    It runs in `folder` as seen from where the command begins ("" is that place itself); `piped` is whether it
    gets the output of another.
    """

    text: str
    words: tuple[Word, ...]
    inputs: tuple[str, ...] = ()
    folder: str = ""
    piped: bool = False


def programs(command: str) -> tuple[Program, ...]:
    """Return the programs that a command runs, in order.

    **Raises** `NotUnderstood` when one cannot be known from the text.
    """
    root = parsed(command)
    found: list[Program] = []
    reader = _CommandReader()
    for program in reader.statements(root):
        found.append(program)
        if len(found) > MOST_PARTS:
            raise NotUnderstood(f"it has more than {MOST_PARTS} programs")
    return tuple(found)


class _CommandReader:
    """Reads one tree, and remembers the folder that `cd` leads to."""

    def __init__(self) -> None:
        self._folder = ""
        self._is_uncertain = False  # a `cd` may have failed
        self._nested = 0

    def statements(self, node: "Node") -> Iterator[Program]:
        for child in children_of(node, {";", "\n"}):
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
            case "redirected_statement" if _is_compound(node):
                inner, *redirections = children_of(node, set())  # they belong to the last program in it
                if any(_input_of(each) for each in redirections):
                    raise NotUnderstood(f"what `{short(redirections[0])}` feeds is not certain")
                yield from self._statement(inner)
            case "if_statement" | "elif_clause" | "else_clause":
                yield from self._if(node)
            case _:
                yield self._placed(self._read(node))

    def _if(self, node: "Node") -> Iterator[Program]:
        """Any of its commands may run, and each counts."""
        folder = self._folder
        for child in children_of(node, IF):
            if child.type != "comment":
                yield from self._statement(child)
        if self._folder != folder:
            raise NotUnderstood("where a `cd` in an `if` leads is known only when it runs")

    def _list(self, node: "Node") -> Iterator[Program]:
        steps = list(_steps(node))
        for _, child in steps:
            yield from self._statement(child)
        if self._folder and any(operator == "||" for operator, _ in steps):
            raise NotUnderstood(f"{UNCERTAIN}, without `||`")

    def _pipeline(self, first: "Node", *rest: "Node") -> Iterator[Program]:
        found = list(self._statement(first))  # `a && b 2>&1 | c`: the grammar takes `a && b` for the first
        yield from (*found[:-1], _no_cd(found[-1]))
        for node in rest:
            yield self._placed(replace(_no_cd(self._read(node)), piped=True))

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
                inputs += _input_of(each)
            return Program(*_command(inner), tuple(inputs))
        return Program(*_command(node))


def _is_compound(node: "Node") -> bool:
    return node.type == "redirected_statement" and children_of(node, set())[0].type in {"list", "pipeline"}


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


def _steps(node: "Node") -> Iterator[tuple[str, "Node"]]:
    """Yield the operator and the operand of each step of `a && b || c`, from the left."""
    steps: list[tuple[str, Node]] = []
    while node.type == "list":
        node, operator, right = children_of(node, set())
        if kind_of(operator) not in {"&&", "||"}:
            raise NotUnderstood(f"`{text_of(operator)}` is not understood")
        steps.append((kind_of(operator), right))
    yield from (("", node), *reversed(steps))


def _command(node: "Node") -> tuple[str, tuple[Word, ...]]:
    if node.type == "test_command":
        return text_of(node), _test(node)
    if node.type != "command":
        raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")
    name, *rest = children_of(node, set())
    if name.type != "command_name" or not _PROGRAM.fullmatch(text_of(name)):
        raise NotUnderstood(f"which program `{short(name)}` is, is not certain")
    is_echo = text_of(name) == "echo"
    return text_of(node), (Word(text_of(name)), *(word_of(each, has_status=is_echo) for each in rest))


def _test(node: "Node") -> tuple[Word, ...]:
    """Return the words of `[ … ]`, which is `test …` in another spelling. `[[ … ]]` is not: it computes."""
    text = text_of(node)
    if not (text.startswith("[ ") and text.endswith(" ]")):
        raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")
    match programs(f"test {text[2:-2]}"):
        case (Program(inputs=(), folder="", words=(Word("test"), *_) as words),):
            return words
        case _:
            raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")


def _input_of(node: "Node") -> Iterable[str]:
    """Return the file that a redirection reads, if it does. **Raises** `NotUnderstood` when it may write."""
    text = text_of(node)
    if node.type != "file_redirect":
        raise NotUnderstood(f"`{short(node)}` is not understood")
    if _DESCRIPTOR.fullmatch(text) or _NOWHERE.fullmatch(text):
        return ()
    operator, *words = children_of(node, set())
    if kind_of(operator) != "<" or len(words) != 1:
        raise NotUnderstood(f"`{short(node)}` writes, or may write, a file")
    word = word_of(words[0])
    if word.is_pattern:
        raise NotUnderstood(f"what `{short(node)}` becomes is known only when it runs")
    return (word.text,)
