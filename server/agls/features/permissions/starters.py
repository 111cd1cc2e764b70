"""Programs that start another one: `time`, `xargs` and `find -exec`, when the other only reads.

What they give it are names of files that nobody sees before. So they count as known only where the names
come from a program that prints the names of a folder and no more, where the other takes such a name for a
file at that place, and where each name of the folder is one that cannot be taken for anything else.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from agls.features.permissions.listed_readers import listed, said_to_rg
from agls.features.permissions.readers import READERS, divided, read_by
from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_tree import NotUnderstood


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


ANY_NAME = "./\n"  # stands for a name that is given: no script and no pattern of a program looks like it
_TAKE_NAMES = _names(
    "cat head tail wc grep egrep fgrep ls stat file du md5sum sha1sum sha256sum sort nl basename dirname "
    "echo sed awk cut"
)
_GREPS = frozenset({"grep", "egrep", "fgrep"})
_COUNT = regex(r"-[nP]\d+")
_NAME = regex(r"[\w.*][\w.*-]*")
# What stands before one of these holds for all that find prints: they turn round, or print themselves.
_ENDS_FILTER = _names("( ) ! -not -print -print0 -printf -ls")
_CHOOSES = frozenset({"-o", "-or", ","})
_PRINTS_MORE = frozenset({"-printf", "-ls", "-exec"})
_NAMES_OF_RG = _names("-l --files-with-matches --files -i -w -F -S -g --glob -t --type -e")
_NAMES_OF_GREP = _names("-l --files-with-matches -r --recursive -i -w -E -F -e --include --exclude-dir")
_LISTS_FILES = frozenset({"-l", "--files-with-matches", "--files"})


@frozen
class Started:
    """Words of which each has to only read; `programs` are found in `PATH` besides.

    `below` are the folders from which it gets names: those that fit the pattern `name`, of files alone with
    `only_files`. With `are_words` a name is a word of its own, whatever is in it.
    """

    words: Sequence[str]
    programs: Sequence[str] = ()
    below: Sequence[str] = ()
    name: str = "*"
    only_files: bool = False
    are_words: bool = False


def started_by(words: Sequence[str], source: Sequence[str], *, is_key_word: bool) -> Iterator[Started]:
    """Yield what a program does by itself, and what each does that it starts; `source` gives it names.

    `time` is one of the shell only where `is_key_word`. **Raises** `NotUnderstood`.
    """
    match words:
        case ["time", "cd", *_]:
            raise NotUnderstood("`cd` is understood only by itself")
        case ["time", name, *_] if is_key_word and not name.startswith("-"):
            yield from started_by(words[1:], source, is_key_word=False)
        case ["xargs", *rest]:
            yield _with_names(rest, source)
        case ["find", *rest] if "-exec" in rest:
            yield from _executed(rest)
        case _:
            yield Started(words)


def _with_names(rest: Sequence[str], source: Sequence[str]) -> Started:
    """Return what `xargs` starts."""
    options, command = _divided_from(rest)
    if any("{}" in word for word in command):
        if "-I" not in options or any("{}" in word and word != "{}" for word in command[1:]):
            raise NotUnderstood("where xargs puts a name is not certain")
        given = [ANY_NAME if word == "{}" else word for word in command]
    else:
        given = [*command, ANY_NAME, ANY_NAME]
    if command[:1] == ["echo"]:
        return Started(("echo",), ("xargs", "echo"))
    _check_takes_names(given)
    if ("-print0" in source) != ("-0" in options) or not source:
        raise NotUnderstood("which names xargs is given is known only when it runs")
    below, name, only_files = _names_printed_by(source)
    return Started(given, ("xargs", command[0]), below, name, only_files, are_words="-0" in options)


def _divided_from(rest: Sequence[str]) -> tuple[set[str], list[str]]:
    """Return the options of `xargs`, and the words behind them."""
    options = set[str]()
    words = list(rest)
    while words and words[0].startswith("-"):
        word = words.pop(0)
        if word in {"-n", "-P"} and words and words[0].isdigit():
            words.pop(0)
        elif word == "-I" and words[:1] == ["{}"]:
            words.pop(0)
            options.add("-I")
        elif word == "-I{}":
            options.add("-I")
        elif word in {"-0", "-r"}:
            options.add(word)
        elif not _COUNT.fullmatch(word):
            raise NotUnderstood(f"xargs {word} is not known to start a reader")
    if not words:
        raise NotUnderstood("xargs alone prints what it is given")
    return options, words


def _check_takes_names(words: Sequence[str]) -> None:
    """**Raises** `NotUnderstood` unless the program reads a file of each name that it is given."""
    name = words[0]
    if name not in _TAKE_NAMES:
        raise NotUnderstood(f"{name} with names that are not known may do more than read")
    read_by(words)
    if name in _GREPS and {"-r", "--recursive"} & divided(name, READERS[name], words[1:])[1]:
        raise NotUnderstood(f"{name} would look into folders that are not known")


def _names_printed_by(source: Sequence[str]) -> tuple[Sequence[str], str, bool]:
    """Return the folders whose names it prints, the pattern that they fit, and whether they are of files."""
    name, *rest = source
    paths = read_by(source)
    if name == "find" and not _PRINTS_MORE & set(rest):
        return paths, *_filter_of(rest)
    if name == "rg":
        options = said_to_rg(rest).options
        if options <= _NAMES_OF_RG and options & _LISTS_FILES:
            return paths, "*", False
    if name == "grep":
        options = divided(name, READERS[name], rest)[1]
        if options <= _NAMES_OF_GREP and options & _LISTS_FILES:
            return paths, "*", False
    raise NotUnderstood(f"what {name} gives to xargs is known only when it runs")


def _filter_of(rest: Sequence[str]) -> tuple[str, bool]:
    """Return the pattern that all names fit that find prints, and whether they are files alone."""
    if _CHOOSES & set(rest):
        return "*", False
    at = next((at for at, word in enumerate(rest) if word in _ENDS_FILTER), len(rest))
    tests = list(pairwise(rest[:at]))  # a value with `-` in front is none: `-newer -name -name x`
    names = [value for test, value in tests if test == "-name" and _NAME.fullmatch(value)]
    return names[0] if names else "*", ("-type", "f") in tests


def _executed(rest: Sequence[str]) -> Iterator[Started]:
    """Yield what `find` itself does, and what each `-exec` of it does."""
    own = list[str]()
    executed = list[list[str]]()
    words = iter(rest)
    for word in words:
        if word != "-exec":
            own.append(word)
            continue
        executed.append(list(_until_end(words)))
        own.append("-true")
    yield Started(["find", *own])
    below = listed("find", own)
    name, only_files = ("*", False) if _CHOOSES & set(own) else _filter_of(rest[: rest.index("-exec")])
    for command in executed:
        if not command or any("{}" in word and word != "{}" for word in command) or command[0] == "{}":
            raise NotUnderstood("where find puts a name is not certain")
        given = [ANY_NAME if word == "{}" else word for word in command]
        if command[:1] != ["echo"]:
            _check_takes_names(given)
        yield Started(given, command[:1], below, name, only_files, are_words=True)


def _until_end(words: Iterator[str]) -> Iterator[str]:
    before = ""
    for word in words:
        if word == ";" or (word == "+" and before == "{}"):
            return
        yield word
        before = word
    raise NotUnderstood("where -exec ends is not certain")
