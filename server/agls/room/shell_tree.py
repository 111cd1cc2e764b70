"""The syntax tree of a shell command, and its words as programs get them; nothing is executed or expanded.

Grammar: tree-sitter-bash; what it leaves out of its tree is looked at again, byte by byte.
"""

import re
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from agls.frozen import frozen
from agls.regex import regex

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

LONGEST = 10_000  # bytes
_BETWEEN = regex(rb"(?:\\\n)*[ \t\n](?:[ \t\n]|\\\n)*")  # a continued line alone joins what it is between
_LITERAL = regex(r"(?:\\[ -~]|[^\\$`\"'<>|&;()\s\x00-\x1f\x7f])+")
_EXPANDED = regex(r"\{[^}]*(?:,|\.\.)|^~|[=:]~")
_PATTERN = regex(r"[*?\[]")
_QUOTED = regex(r"(?:[^\\$`\"]|\\.)*", re.DOTALL)
_ESCAPE = regex(r"\\(.)", re.DOTALL)
_ESCAPE_IN_QUOTES = regex(r"\\([\\\"$`])")
_CONTINUED = regex(r"\\\n")

# Stands for a name, or a text, that is known only when the command runs: no command can be written so.
A_NAME = "./\0"
_ONE_WORD = regex(r"[A-Za-z0-9_./+-]+")  # what stays one word where it stands without quotes
_EXPANSIONS = frozenset({"simple_expansion", "expansion", "arithmetic_expansion", "command_substitution"})


class NotUnderstood(Exception):
    """Nothing is known of the command, or of one program in it. The message says why, for people."""


@frozen
class Word:
    """A word as the program gets it; with `is_pattern` the shell replaces it by the names that fit."""

    text: str
    is_pattern: bool = False


@cache
def _parser() -> "Parser":
    import tree_sitter_bash  # noqa: PLC0415 - only commands need it, and it takes a while to load
    from tree_sitter import Language, Parser  # noqa: PLC0415 - with the grammar

    return Parser(Language(tree_sitter_bash.language()))


def parsed(command: str) -> "Node":
    """**Returns** the root of its tree. **Raises** `NotUnderstood` when it has an error, or is too long."""
    data = command.encode("utf-8", "surrogatepass")
    if len(data) > LONGEST:
        raise NotUnderstood(f"it is longer than {LONGEST} bytes")
    if b"\0" in data:
        raise NotUnderstood("it has characters that cannot be seen")
    root = _parser().parse(data).root_node
    if root.has_error:
        raise NotUnderstood("its syntax is not understood")
    return root


def unresolved(node: "Node") -> str:
    """**Raises** `NotUnderstood`: of a variable nothing is known."""
    raise NotUnderstood(f"what `{short(node)}` becomes is known only when it runs")


def word_of(node: "Node", resolve: Callable[["Node"], str] = unresolved) -> Word:
    """**Returns** a word; `resolve` gives the text that stands in the place of a variable or substitution.

    **Raises** `NotUnderstood` for one that is known only when the command runs.
    """
    match node.type:
        case "word" | "number":
            return _unquoted(text_of(node))
        case "raw_string":
            return Word(text_of(node)[1:-1])
        case "string":
            return Word(_in_quotes(node, resolve))
        case "concatenation":
            return _joined(node, resolve)
        case kind if kind in _EXPANSIONS and is_one_word(text := resolve(node)):
            return Word(text)
        case _:
            raise NotUnderstood(f"what `{short(node)}` becomes is known only when it runs")


def is_one_word(text: str) -> bool:
    """**Returns** whether a value stays one word, and nothing else, where it stands without quotes."""
    return text == A_NAME or bool(_ONE_WORD.fullmatch(text))


def _joined(node: "Node", resolve: Callable[["Node"], str]) -> Word:
    *first, last = children_of(node, set(), apart=False)
    pieces = [word_of(child, resolve) for child in first]
    is_dollar = kind_of(last) == "$" and bool(first) and text_of(first[-1])[-1].isalnum()  # `grep py$`
    pieces.append(Word("$") if is_dollar else word_of(last, resolve))
    whole = "".join(text_of(child) for child in node.children)
    if _EXPANDED.search(whole):
        raise NotUnderstood(f"what `{short(node)}` becomes is known only when it runs")
    quoted = any(child.type in {"string", "raw_string"} for child in node.children)
    is_pattern = any(piece.is_pattern for piece in pieces)
    if is_pattern and (quoted or "\\" in whole):
        raise NotUnderstood(f"what `{short(node)}` becomes is known only when it runs")
    return Word("".join(piece.text for piece in pieces), is_pattern)


def _unquoted(text: str) -> Word:
    text = _CONTINUED.sub("", text)
    if not _LITERAL.fullmatch(text) or _EXPANDED.search(text):
        raise NotUnderstood(f"what `{text[:40]}` becomes is known only when it runs")
    is_pattern = bool(_PATTERN.search(_ESCAPE.sub("", text)))  # `--include=\*.py` is none
    if is_pattern and "\\" in text:
        raise NotUnderstood(f"what `{text[:40]}` becomes is known only when it runs")
    return Word(_ESCAPE.sub(r"\1", text), is_pattern)


def _in_quotes(node: "Node", resolve: Callable[["Node"], str]) -> str:
    data, at = node.text or b"", 1
    found = ""
    for child in node.children:
        if child.type in _EXPANSIONS:
            text = text_of(child)  # the grammar takes blanks before it for a part of it
            blanks = text[: len(text) - len(text.lstrip())]
            before = _without_escapes(node, data[at : child.start_byte - node.start_byte])
            found += before + blanks + resolve(child)
            at = child.end_byte - node.start_byte
    return found + _without_escapes(node, data[at:-1])


def _without_escapes(node: "Node", quoted: bytes) -> str:
    text = quoted.decode("utf-8", "surrogatepass")
    if not _QUOTED.fullmatch(text):
        raise NotUnderstood(f"what `{short(node)}` becomes is known only when it runs")
    return _ESCAPE_IN_QUOTES.sub(r"\1", _CONTINUED.sub("", text))


def children_of(node: "Node", separators: set[str], *, apart: bool = True) -> list["Node"]:
    """**Returns** the children but the separators. **Raises** `NotUnderstood` for text that is in none."""
    data, at = node.text or b"", node.start_byte
    found: list[Node] = []
    for child in node.children:
        _check_between(data[at - node.start_byte : child.start_byte - node.start_byte], apart=apart)
        if child.is_missing:
            raise NotUnderstood("its syntax is not understood")
        if kind_of(child) not in separators:
            found.append(child)
        at = child.end_byte
    _check_between(data[at - node.start_byte :], apart=apart)
    return found


def _check_between(text: bytes, *, apart: bool) -> None:
    if text and not (apart and _BETWEEN.fullmatch(text)):
        raise NotUnderstood("its syntax is not understood")


def kind_of(node: "Node") -> str:
    """**Returns** which punctuation or key word this is, "" for a node with a name."""
    return "" if node.is_named else node.type


def text_of(node: "Node") -> str:
    """**Returns** it as it is written."""
    return (node.text or b"").decode("utf-8", "surrogatepass")


def short(node: "Node") -> str:
    """**Returns** the beginning of it, for messages."""
    text = text_of(node).replace("\n", " ")
    return text if len(text) <= 40 else f"{text[:39]}…"
