"""Programs that print the names of a folder and no more, for another one that is given these names."""

from collections.abc import Sequence
from itertools import pairwise

from agls.features.permissions.known_reader import divided
from agls.features.permissions.listed_readers import said_to_rg
from agls.features.permissions.readers import READERS, read_by
from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_tree import A_NAME, NotUnderstood


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NAME = regex(r"[\w.*][\w.*-]*")
# What stands before one of these holds for all that find prints: they turn round, or print themselves.
_ENDS_FILTER = _names("( ) ! -not -print -print0 -printf -ls")
_CHOOSES = frozenset({"-o", "-or", ","})
_PRINTS_MORE = frozenset({"-printf", "-ls", "-exec"})
_NAMES_OF_RG = _names("-0 --null -l --files-with-matches --files -i -w -F -S -g --glob -t --type -e")
_NAMES_OF_GREP = _names("-l --files-with-matches -r --recursive -i -w -E -F -e --include --exclude-dir")
_LISTS_FILES = frozenset({"-l", "--files-with-matches", "--files"})
_NAMES_OF_LS_FILES = _names("-c --cached -m --modified -z --exclude-standard")
_NAMES_OF_GIT_GREP = _names("-l --files-with-matches -i --ignore-case -w --word-regexp -E -F")
_NAMES_OF_GIT_DIFF = _names("--name-only -z --no-renames --diff-filter=M --diff-filter=AM --diff-filter=d")
_BY_ENDING = regex(r"\*\.\w+")  # in any folder
_GIT_PATH = regex(r"(?!-)(?!.*\.\.)[\w*][\w.*/-]*")


@frozen
class Names:
    """Names of what lies `below` these folders: those that fit the pattern `name`.

    With `only_files` they are of files alone. With `are_tracked` they are the names that git keeps of these
    folders; `from_top` if as seen from the top of the repository. With `are_words` a name is a word of its
    own, whatever is in it.
    """

    below: Sequence[str]
    name: str = "*"
    only_files: bool = False
    are_words: bool = False
    are_tracked: bool = False
    from_top: bool = False


def printed_by(source: Sequence[str]) -> Names:
    """**Returns** the names that a program prints. **Raises** `NotUnderstood` for any other words."""
    if not source or A_NAME in source:
        raise NotUnderstood("which names it is given is known only when it runs")
    if source[0] == "git":
        return _printed_by_git(source)
    name, *rest = source
    paths = read_by(source)
    if name == "find" and not _PRINTS_MORE & set(rest):
        return filter_of(rest, paths, are_words="-print0" in rest)
    if name == "rg":
        options = said_to_rg(rest).options
        if options <= _NAMES_OF_RG and options & _LISTS_FILES:
            # It follows no link that it meets.
            return Names(paths, only_files=True, are_words=bool({"-0", "--null"} & options))
    if name == "grep":
        options = divided(name, READERS[name], rest)[1]
        if options <= _NAMES_OF_GREP and options & _LISTS_FILES:
            return Names(paths)
    raise NotUnderstood(f"what {name} prints is known only when it runs")


def filter_of(
    rest: Sequence[str], below: Sequence[str], *, are_words: bool = False, chooses_among: Sequence[str] = ()
) -> Names:
    """**Returns** what fits the tests before an action of `find`, in these folders."""
    if _CHOOSES & {*rest, *chooses_among}:
        return Names(below, are_words=are_words)
    at = next((at for at, word in enumerate(rest) if word in _ENDS_FILTER), len(rest))
    tests = list(pairwise(rest[:at]))  # a value with `-` in front is none: `-newer -name -name x`
    names = [value for test, value in tests if test == "-name" and _NAME.fullmatch(value)]
    return Names(below, names[0] if names else "*", ("-type", "f") in tests, are_words)


def _printed_by_git(source: Sequence[str]) -> Names:
    """Return the names of files that git keeps, as `ls-files`, `grep -l` or `diff --name-only` prints them.

    A diff that is not of the index names files of the past, too.
    """
    read_by(source)
    _, command, *rest = source
    options = {word for word in rest if word.startswith("-")}
    operands = [word for word in rest if not word.startswith("-")]
    if (
        command == "ls-files"
        and options <= _NAMES_OF_LS_FILES | {"--"}
        and all(map(_GIT_PATH.fullmatch, operands))
    ):
        name = operands[0] if len(operands) == 1 and _BY_ENDING.fullmatch(operands[0]) else "*"
        return Names((".",), name, are_words="-z" in options, are_tracked=True)
    if command == "diff" and "--name-only" in options <= _NAMES_OF_GIT_DIFF and not operands:
        return Names((".",), are_words="-z" in options, are_tracked=True, from_top=True)
    is_list = bool(_LISTS_FILES & options) and options <= _NAMES_OF_GIT_GREP
    if command == "grep" and is_list and len(operands) == 1:
        return Names((".",), are_tracked=True)
    raise NotUnderstood(f"what git {command} prints is known only when it runs")
