"""All programs that a shell command may run, wherever in it they stand: for those who look out for some.

It errs to the other side than the permission gate, which understands few commands, each fully: what may be
a program is one, in a loop, a substitution, a function, or as the text that `sh -c` gets.
"""

from collections.abc import Iterator, Sequence
from posixpath import basename
from typing import TYPE_CHECKING

from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_tree import NotUnderstood, children_of, parsed, text_of, word_of
from agls.room.shell_words import FEEDERS, LAUNCHERS, SHELLS

if TYPE_CHECKING:
    from tree_sitter import Node

MOST = 500  # programs
MOST_NESTED = 4  # texts in one another that are commands
CARRIERS = LAUNCHERS | {"find", "fd", "fdfind", "trap"}
_MORE_THAN_A_WORD = regex(r"[\s;&|()<>`$]")
_OPTION = regex(r"^-(?:-[\w-]+=|\w)")  # with its value in the same word: `env -S'git push'`
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


def _programs(words: tuple[str | None, ...], depth: int) -> Iterator[RunProgram]:
    names = [basename(word or "") for word in words]
    carries = names[0] in CARRIERS
    yield RunProgram(words, carries, carries and bool(FEEDERS & {*names}))
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
