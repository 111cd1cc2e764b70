"""All programs that a shell command may run, wherever in it they stand: for those who look out for some.

It errs to the other side than the permission gate, which understands few commands, each fully: what may be
a program is one, in a loop, a substitution, a function, or as the text that `sh -c` gets. Code for an
interpreter, an alias of git and a variable that moves programs may be any program.
"""

from collections.abc import Iterator, Sequence
from posixpath import basename
from typing import TYPE_CHECKING

from agls.frozen import frozen
from agls.regex import regex
from agls.room.given_code import (
    carried,
    gives_code,
    is_interpreter,
    may_be_alias,
    moves_programs,
    names_a_program,
    reads_commands,
    tokens,
)
from agls.room.shell_tree import NotUnderstood, children_of, parsed, text_of, word_of
from agls.room.shell_words import FEEDERS, LAUNCHERS, SHELLS

if TYPE_CHECKING:
    from tree_sitter import Node

MOST = 500  # programs
_PLACERS = frozenset({"cp", "ln", "install"})  # may give any program another name
_ASKS = frozenset({"-V", "--version", "-h", "--help", "-v"})  # an interpreter about itself
MOST_NESTED = 4  # texts in one another that are commands
CARRIERS = LAUNCHERS | {"find", "fd", "fdfind", "trap"}
_MORE_THAN_A_WORD = regex(r"[\s;&|()<>`$]")
_OPTION = regex(r"^-(?:-[\w-]+=|[i0v]*S|\w)")  # with its value in the same word: `env -S'git push'`
_HIDDEN = regex(r"`")  # the grammar sees no command in `${x:=`…`}`
_BUILT_IN = frozenset({"declaration_command", "unset_command", "test_command"})
_NO_GAPS = frozenset({"program", "command", "list", "pipeline", "concatenation", "redirected_statement"})
_NO_WORDS = frozenset({"variable_assignment", "file_redirect", "herestring_redirect", "heredoc_redirect"})


@frozen
class RunProgram:
    """A program with its words; `None` stands for any number of words that are known only when it runs.

    With `carries` its words have other programs in them, as those of `env` and `find` may have; one that
    `is_fed` gets more words from what it reads, as with `xargs`.
    """

    words: tuple[str | None, ...]
    carries: bool = False
    is_fed: bool = False


def programs_within(command: str) -> Sequence[RunProgram]:
    """**Returns** the programs that a command may run. **Raises** `NotUnderstood` when nobody can know."""
    found: list[RunProgram] = []
    for each in _within(command, 0):
        found.append(each)
        if len(found) > MOST:
            raise NotUnderstood(f"it has more than {MOST} programs")
    return found


def _within(command: str, depth: int) -> Iterator[RunProgram]:
    if depth > MOST_NESTED:
        raise NotUnderstood("too much of it stands in one another")
    waiting = [parsed(command)]
    while waiting:
        node = waiting.pop()
        if node.type in _NO_GAPS:
            children_of(node, set(), apart=node.type != "concatenation")
        if words := _words(node):
            yield from _programs(words, depth)
        elif node.type == "expansion" and _HIDDEN.search(text_of(node)):
            yield RunProgram((None,))
        elif node.type == "variable_assignment":
            yield from _assigned(text_of(node))
        waiting += node.children


def _words(node: "Node") -> tuple[str | None, ...]:
    """Return the words of a command, () for another node. Behind a redirection may stand more of them."""
    if node.type in _BUILT_IN:
        return tuple(text_of(node).split())
    if node.type == "redirected_statement":
        body, *redirections = node.children
        more = [each for redirection in redirections for each in _behind(redirection)]
        return (*_words(body), *map(_word, more)) if more else ()
    if node.type != "command":
        return ()
    given = [each for each in node.children if each.type not in _NO_WORDS]
    return tuple(_word(each.children[0] if each.type == "command_name" else each) for each in given)


def _behind(redirection: "Node") -> Sequence["Node"]:
    """Return the words behind what is redirected to: the grammar takes them for a part of it."""
    more = redirection.children_by_field_name("destination")[1:]
    return [*more, *redirection.children_by_field_name("argument")]


def _word(node: "Node") -> str | None:
    try:
        word = word_of(node)
    except NotUnderstood:
        return None
    return None if word.is_pattern else word.text


def _assigned(text: str) -> Iterator[RunProgram]:
    """Yield what a variable makes others run."""
    if moves_programs(text):
        yield RunProgram((None,))
    elif names_a_program(text):
        yield RunProgram(tokens([text.partition("=")[2]]), carries=True)


def _given(words: Sequence[str]) -> Iterator[RunProgram]:
    """Yield what a program is told to run in its words, as far as it is not one after another."""
    options = [word for word in words[1:] if word.startswith("-")]
    is_fed = is_interpreter(words[0]) and len(options) == len(words) - 1 and not _ASKS & {*options}
    if is_fed or gives_code(words) or may_be_alias(words) or reads_commands(words):
        yield RunProgram((None,))
    if found := tokens(carried(words)):
        yield RunProgram(found, carries=True)


def _programs(words: tuple[str | None, ...], depth: int) -> Iterator[RunProgram]:
    names = [basename(word or "") for word in words]
    carries = names[0] in CARRIERS
    yield RunProgram(words, carries, carries and bool(FEEDERS & {*names}))
    yield from _given([word or "" for word in words])
    if names[0] in _PLACERS and None in words:
        yield RunProgram((None,))
    if not carries:
        return
    for text in _texts(words):
        yield from _within(text, depth + 1)
    for at, name in enumerate(names):
        if name in SHELLS and not any(word and not word.startswith("-") for word in words[at + 1 :]):
            yield RunProgram((None,))  # a shell that runs what it reads


def _texts(words: tuple[str | None, ...]) -> Iterator[str]:
    """Yield what may be a command by itself: a word with several in it, and all words, as `eval` has them."""
    behind = [word for word in words[1:] if word]
    several = [_OPTION.sub("", word) for word in behind if _MORE_THAN_A_WORD.search(word)]
    yield from several
    if several and len(behind) > 1:
        yield " ".join(behind)
