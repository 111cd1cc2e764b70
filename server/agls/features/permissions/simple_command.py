"""One program of a shell command: its words, and the files that are redirected to it."""

import re
from dataclasses import replace
from itertools import takewhile
from typing import TYPE_CHECKING

from agls.features.permissions.shell_variables import ShellVariables, Source, prints_texts
from agls.features.permissions.syntax_nodes import NOWHERE, input_of, is_read
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

_PROGRAM = regex(r"[A-Za-z0-9_./+-]+|:")
# How a program prints, with values that name no file and no program: git takes `cat` for no pager.
_SETTING = regex(
    r"(?:LC_(?:ALL|COLLATE|CTYPE|MESSAGES|NUMERIC|TIME)|LANG)=(?:C|POSIX|C\.UTF-8|en_US\.UTF-8)"
    r"|(?:NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|PY_COLORS|GIT_OPTIONAL_LOCKS|GIT_TERMINAL_PROMPT)=[0-3]"
    r"|(?:COLUMNS|LINES)=\d{1,4}|TERM=dumb|(?:GIT_)?PAGER=cat"
    r"|TZ=(?:UTC|GMT|[A-Z][a-z]+/[A-Z][a-z]+(?:_[A-Z][a-z]+)*)"
)
_HERE_STRING = regex(r"""<<< ?(?:'[^']*'|"[^"$`\\!]*"|[\w.,:/=@%+-]+)""")
_TEST = regex(r"\[ (.*) \]", re.DOTALL)
_OF_FILE = r"(?:! )?-[fdesrwxhL] [\w./${}\"-]+"
_TEST_OF_FILE = regex(rf"\[\[ ({_OF_FILE}(?: (?:&&|\|\|) {_OF_FILE})*) \]\]")
_JOINED = regex(r" (?:&&|\|\|) ")


@frozen
class Program:
    """One program of a command: its words, `text` as it is written, and the files it gets as input.

    It runs in `folder`, as seen from where the reader began; `piped` is whether it gets the output of
    another, or runs in a way that only readers may. `source` are the words of the program whose lines it
    gets, unchanged, `loops` those whose lines its variables hold. With `again` a loop repeats it, with other
    words.
    """

    text: str
    words: tuple[Word, ...]
    inputs: tuple[str, ...] = ()
    folder: str = ""
    piped: bool = False
    source: tuple[Word, ...] = ()
    again: bool = False
    loops: tuple[Source, ...] = ()


def read_command(node: "Node", variables: ShellVariables) -> Program:
    """**Returns** a program with plain words and what is redirected. **Raises** `NotUnderstood`."""
    inputs: list[str] = []
    variables.used = []
    inner, *redirections = children_of(node, set()) if node.type == "redirected_statement" else [node]
    for each in redirections:
        inputs += input_of(each, variables.value)
    program = _command(inner, variables)
    return replace(program, inputs=(*program.inputs, *inputs), loops=tuple(variables.used))


def _command(node: "Node", variables: ShellVariables) -> Program:
    if node.type == "test_command":
        return Program(text_of(node), _test(node, variables))
    if node.type != "command":
        raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")
    given, texts = _without_here_strings(children_of(node, set()))
    settings = list(takewhile(_is_setting, given[:-1]))
    name, *rest = given[len(settings) :]
    if name.type != "command_name" or not _PROGRAM.fullmatch(text_of(name)):
        raise NotUnderstood(f"which program `{short(name)}` is, is not certain")
    read = _printed if prints_texts(text_of(name), rest) else _word
    # what is read from another program is no file of a name, and no other word
    words = [Word(text_of(name))]
    for each in rest:
        words.append(Word(NOWHERE) if is_read(each) else read(each, variables))
        if each.type == "command_substitution" and words[-1].text == A_NAME:
            words.append(Word(A_NAME))  # it may be many words
    return Program(text_of(node), tuple(words), inputs=texts, piped=bool(settings))


def _is_setting(node: "Node") -> bool:
    return bool(_SETTING.fullmatch(text_of(node)))


def _without_here_strings(nodes: list["Node"]) -> tuple[list["Node"], tuple[str, ...]]:
    """Return the words, and what is read of the texts behind `<<<`, which are no files.

    **Raises** `NotUnderstood` when one of them is known only when it runs.
    """
    texts = [node for node in nodes if node.type == "herestring_redirect"]
    if unknown := next((each for each in texts if not _HERE_STRING.fullmatch(text_of(each))), None):
        unresolved(unknown)
    return [node for node in nodes if node not in texts], (NOWHERE,) * len(texts)


def _word(node: "Node", variables: ShellVariables) -> Word:
    return word_of(node, variables.value)


def _printed(node: "Node", variables: ShellVariables) -> Word:
    word = word_of(node, variables.printed)
    if word.is_pattern and "$" in text_of(node):  # `$HOME/*` are names of another folder
        unresolved(node)
    return word


def _test(node: "Node", variables: ShellVariables) -> tuple[Word, ...]:
    """Return the words of `[ … ]`, which is `test …`. `[[ … ]]` computes: only one of a file is known."""
    if variables.only_compares(node):
        return (Word("test"), Word("-n"), Word("0"))
    found = _TEST.fullmatch(text_of(node)) or _TEST_OF_FILE.fullmatch(text_of(node))
    if not found or "<(" in found[1]:
        raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")
    one = _JOINED.sub(" ", found[1]) if found[0].startswith("[[") else found[1]
    match children_of(parsed(f"test {one}"), {";", "\n"}):
        case [inner] if inner.type == "command":
            words = _command(inner, variables).words
        case _:
            raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")
    if words[0].text != "test":
        raise NotUnderstood(f"what `{short(node)}` does is known only when it runs")
    return words


def no_cd(program: Program) -> Program:
    if program.words[0].text == "cd":
        raise NotUnderstood("`cd` in a pipeline changes no folder")
    return program
