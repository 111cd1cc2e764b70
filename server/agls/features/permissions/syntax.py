"""The programs that a shell command runs, read from its syntax tree.

Only commands are understood whose meaning does not depend on when they run: programs with plain words,
joined by `|`, `&&`, `||`, `;`, new lines and `if`, in a folder that `cd FOLDER &&` names, with input from a
file and output to `/dev/null` or another descriptor. Of everything else nothing is known.

Grammar: tree-sitter-bash; what it leaves out of its tree is looked at again, byte by byte.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cache
from posixpath import join
from typing import TYPE_CHECKING

from agls.frozen import frozen
from agls.regex import regex

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LONGEST = 10_000  # bytes
MOST_PARTS = 64
_BETWEEN = regex(rb"(?:\\\n)*[ \t\n](?:[ \t\n]|\\\n)*")  # a continued line alone joins what it is between
_LITERAL = regex(r"(?:\\[ -~]|[^\\$`\"'<>|&;()\s\x00-\x1f\x7f])+")
_EXPANDED = regex(r"\{[^}]*(?:,|\.\.)|^~|[=:]~")
_PATTERN = regex(r"[*?\[]")
_QUOTED = regex(r"(?:[^\\$`\"]|\\.)*", re.DOTALL)
_PROGRAM = regex(r"[A-Za-z0-9_./+-]+")
_DESCRIPTOR = regex(r"\d?>&(?:\d|-)|\d?<&(?:\d|-)")
_NOWHERE = regex(r"(?:\d|&)?>>? *(/dev/(?:null|stdout|stderr))")
_ESCAPE = regex(r"\\(.)", re.DOTALL)
_ESCAPE_IN_QUOTES = regex(r"\\([\\\"$`])")
_CONTINUED = regex(r"\\\n")


STATUS = "$?"
IF = {"if", "then", "elif", "else", "fi", ";", "\n"}  # what stands between the commands of an `if`
MOST_NESTED = 20  # statements in one another
UNCERTAIN = "whether `cd` succeeds is known only when it runs: write `cd FOLDER && …`"


class NotUnderstood(Exception):
    """Nothing is known of the command, or of one program in it. The message says why, for people."""


@frozen
class Word:
    """A word as the program gets it; with `is_pattern` the shell replaces it by the names that fit."""

    text: str
    is_pattern: bool = False


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


@cache
def _parser() -> "Parser":
    import tree_sitter_bash  # noqa: PLC0415 - only commands need it, and it takes a while to load
    from tree_sitter import Language, Parser  # noqa: PLC0415 - with the grammar

    return Parser(Language(tree_sitter_bash.language()))


def programs(command: str) -> tuple[Program, ...]:
    """Return the programs that a command runs, in order.

    **Raises** `NotUnderstood` when one cannot be known from the text.
    """
    data = command.encode("utf-8", "surrogatepass")
    if len(data) > LONGEST:
        raise NotUnderstood(f"it is longer than {LONGEST} bytes")
    root = _parser().parse(data).root_node
    if root.has_error:
        raise NotUnderstood("its syntax is not understood")
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
        for child in _children(node, {";", "\n"}):
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
                yield from self._pipeline(*_children(node, {"|"}))
            case "redirected_statement" if _is_compound(node):
                inner, *redirections = _children(node, set())  # they belong to the last program in it
                if any(_input_of(each) for each in redirections):
                    raise NotUnderstood(f"what `{_short(redirections[0])}` feeds is not certain")
                yield from self._statement(inner)
            case "if_statement" | "elif_clause" | "else_clause":
                yield from self._if(node)
            case _:
                yield self._placed(self._read(node))

    def _if(self, node: "Node") -> Iterator[Program]:
        """Any of its commands may run, and each counts."""
        folder = self._folder
        for child in _children(node, IF):
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
            inner, *redirections = _children(node, set())
            for each in redirections:
                inputs += _input_of(each)
            return Program(*_command(inner), tuple(inputs))
        return Program(*_command(node))


def _is_compound(node: "Node") -> bool:
    return node.type == "redirected_statement" and _children(node, set())[0].type in {"list", "pipeline"}


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
        node, operator, right = _children(node, set())
        if _kind(operator) not in {"&&", "||"}:
            raise NotUnderstood(f"`{_text(operator)}` is not understood")
        steps.append((_kind(operator), right))
    yield from (("", node), *reversed(steps))


def _command(node: "Node") -> tuple[str, tuple[Word, ...]]:
    if node.type == "test_command":
        return _text(node), _test(node)
    if node.type != "command":
        raise NotUnderstood(f"what `{_short(node)}` does is known only when it runs")
    name, *rest = _children(node, set())
    if name.type != "command_name" or not _PROGRAM.fullmatch(_text(name)):
        raise NotUnderstood(f"which program `{_short(name)}` is, is not certain")
    is_echo = _text(name) == "echo"
    return _text(node), (Word(_text(name)), *(_word(each, has_status=is_echo) for each in rest))


def _test(node: "Node") -> tuple[Word, ...]:
    """Return the words of `[ … ]`, which is `test …` in another spelling. `[[ … ]]` is not: it computes."""
    text = _text(node)
    if not (text.startswith("[ ") and text.endswith(" ]")):
        raise NotUnderstood(f"what `{_short(node)}` does is known only when it runs")
    match programs(f"test {text[2:-2]}"):
        case (Program(inputs=(), folder="", words=(Word("test"), *_) as words),):
            return words
        case _:
            raise NotUnderstood(f"what `{_short(node)}` does is known only when it runs")


def _word(node: "Node", *, has_status: bool = False) -> Word:
    """Return a word; with `has_status` it may hold `$?`, a number: whoever prints it does nothing with it."""
    match node.type:
        case "simple_expansion" if has_status and _text(node) == STATUS:
            return Word("0")
        case "word" | "number":
            return _unquoted(_text(node))
        case "raw_string":
            return Word(_text(node)[1:-1])
        case "string":
            return Word(_in_quotes(node, _text(node).replace(STATUS, "0") if has_status else _text(node)))
        case "concatenation":
            return _joined(node, has_status=has_status)
        case _:
            raise NotUnderstood(f"what `{_short(node)}` becomes is known only when it runs")


def _joined(node: "Node", *, has_status: bool) -> Word:
    pieces = [_word(child, has_status=has_status) for child in _children(node, set(), apart=False)]
    whole = "".join(_text(child) for child in node.children)
    if _EXPANDED.search(whole):
        raise NotUnderstood(f"what `{_short(node)}` becomes is known only when it runs")
    quoted = any(child.type in {"string", "raw_string"} for child in node.children)
    is_pattern = any(piece.is_pattern for piece in pieces)
    if quoted and is_pattern:
        raise NotUnderstood(f"what `{_short(node)}` becomes is known only when it runs")
    return Word("".join(piece.text for piece in pieces), is_pattern)


def _unquoted(text: str) -> Word:
    text = _CONTINUED.sub("", text)
    if not _LITERAL.fullmatch(text) or _EXPANDED.search(text):
        raise NotUnderstood(f"what `{text[:40]}` becomes is known only when it runs")
    is_pattern = bool(_PATTERN.search(text))
    if is_pattern and "\\" in text:
        raise NotUnderstood(f"what `{text[:40]}` becomes is known only when it runs")
    return Word(_ESCAPE.sub(r"\1", text), is_pattern)


def _in_quotes(node: "Node", quoted: str) -> str:
    text = quoted[1:-1]
    if not _QUOTED.fullmatch(text):
        raise NotUnderstood(f"what `{_short(node)}` becomes is known only when it runs")
    return _ESCAPE_IN_QUOTES.sub(r"\1", _CONTINUED.sub("", text))


def _input_of(node: "Node") -> Iterable[str]:
    """Return the file that a redirection reads, if it does. **Raises** `NotUnderstood` when it may write."""
    text = _text(node)
    if node.type != "file_redirect":
        raise NotUnderstood(f"`{_short(node)}` is not understood")
    if _DESCRIPTOR.fullmatch(text) or _NOWHERE.fullmatch(text):
        return ()
    operator, *words = _children(node, set())
    if _kind(operator) != "<" or len(words) != 1:
        raise NotUnderstood(f"`{_short(node)}` writes, or may write, a file")
    word = _word(words[0])
    if word.is_pattern:
        raise NotUnderstood(f"what `{_short(node)}` becomes is known only when it runs")
    return (word.text,)


def _children(node: "Node", separators: set[str], *, apart: bool = True) -> list["Node"]:
    """Return the children but the separators. **Raises** `NotUnderstood` for text that is in none of them."""
    data, at = node.text or b"", node.start_byte
    found: list[Node] = []
    for child in node.children:
        _check_between(data[at - node.start_byte : child.start_byte - node.start_byte], apart=apart)
        if child.is_missing:
            raise NotUnderstood("its syntax is not understood")
        if _kind(child) not in separators:
            found.append(child)
        at = child.end_byte
    _check_between(data[at - node.start_byte :], apart=apart)
    return found


def _check_between(text: bytes, *, apart: bool) -> None:
    if text and not (apart and _BETWEEN.fullmatch(text)):
        raise NotUnderstood("its syntax is not understood")


def _kind(node: "Node") -> str:
    return "" if node.is_named else node.type


def _text(node: "Node") -> str:
    return (node.text or b"").decode("utf-8", "surrogatepass")


def _short(node: "Node") -> str:
    text = _text(node).replace("\n", " ")
    return text if len(text) <= 40 else f"{text[:39]}…"
