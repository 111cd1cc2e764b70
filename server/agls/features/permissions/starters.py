"""Programs that start another one: `time`, `timeout`, `xargs` and `find -exec`, when the other only reads.

What they give it are names of files that nobody sees before, and so is what a loop over the lines of a
program gives. They count as known only where the names come from a program that prints the names of a
folder and no more (`printed_names`), where the other takes such a name for a file at that place, and where
each name of the folder is one that cannot be taken for anything else.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agls.features.permissions.known_reader import divided
from agls.features.permissions.listed_readers import listed
from agls.features.permissions.other_readers import STARTED
from agls.features.permissions.printed_names import Names, filter_of, printed_by
from agls.features.permissions.readers import DEEP, READERS, read_by
from agls.features.permissions.shell_variables import prints_commit
from agls.frozen import frozen
from agls.regex import regex
from agls.room.shell_tree import A_NAME, NotUnderstood, Word


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TAKE_NAMES = _names(
    "cat head tail wc grep egrep fgrep ls stat file du md5sum sha1sum sha256sum sort nl basename dirname "
    "echo sed awk cut test cksum od realpath readlink"
)
_GREPS = frozenset({"grep", "egrep", "fgrep"})
# A commit whose name is printed, and what is made with it: `…~2`, `main..…`.
_OF_COMMITS = regex(rf"(?:[A-Za-z][\w./-]*\.\.\.?)?{re.escape(A_NAME)}(?:[~^]\d*)*(?:\.\.\.?[\w./-]*)?")
_COUNT = regex(r"-[nP]\d+")
_NICENESS = regex(r"-?\d{1,2}")
_SIGNAL = regex(r"[A-Z]{3,7}|\d{1,2}")
_DURATION = regex(r"\d{1,6}(?:\.\d{1,3})?[smh]?")


@frozen
class Started:
    """Words of which each has to only read; `programs` are found in `PATH` besides. `names` it is given."""

    words: Sequence[str]
    programs: Sequence[str] = ()
    names: Sequence[Names] = ()


@frozen
class NameSources:
    """The words of the programs that give names: by `lines` to `xargs`, and by the variables of `loops`."""

    lines: Sequence[str] = ()
    loops: Sequence[Sequence[str]] = ()


def started_by(words: Sequence[str], sources: NameSources, *, is_key_word: bool) -> Iterator[Started]:
    """Yield what a program does by itself, and what each does that it starts.

    `time` is one of the shell only where `is_key_word`. **Raises** `NotUnderstood`.
    """
    words = _plainly_started(_with_commits(words, sources))
    if any("\0" in word and word != A_NAME for word in words):
        raise NotUnderstood("what a variable in it becomes is known only when it runs")
    match words:
        case ["time", "cd", *_] | ["timeout", _, "cd", *_] | ["nice", "cd", *_]:
            raise NotUnderstood("`cd` is understood only by itself")
        case ["time", name, *_] if is_key_word and not name.startswith("-"):
            yield from started_by(words[1:], sources, is_key_word=False)
        case ["timeout", limit, name, *_] if _DURATION.fullmatch(limit):
            yield Started(("true",), ("timeout", name))
            yield from started_by(words[2:], sources, is_key_word=False)
        case ["nice", name, *_] if not name.startswith("-"):
            yield Started(("true",), ("nice", name))
            yield from started_by(words[1:], sources, is_key_word=False)
        case _ if A_NAME in words:
            check_takes_names(words)
            names = [printed_by(source) for source in sources.loops]
            if any(each.are_words for each in names):
                raise NotUnderstood("names that end with NUL are no lines")
            yield Started(words, (), names)
        case ["xargs", *rest]:
            yield _with_names(rest, sources.lines)
        case ["find", *rest] if "-exec" in rest:
            yield from _executed(rest)
        case _:
            yield Started(words, STARTED.get(words[0], ()))


def _plainly_started(words: Sequence[str]) -> Sequence[str]:
    """Return the words without the options of `nice` and `timeout` that say how much and how long."""
    match words:
        case ["nice", "-n", much, *rest] if _NICENESS.fullmatch(much) and rest:
            return ["nice", *rest]
        case ["timeout", "-k", limit, *rest] if _DURATION.fullmatch(limit):
            return _plainly_started(["timeout", *rest])
        case ["timeout", "-s", signal, *rest] if _SIGNAL.fullmatch(signal):
            return _plainly_started(["timeout", *rest])
        case ["timeout", "--foreground" | "--preserve-status", *rest]:
            return _plainly_started(["timeout", *rest])
        case _:
            return words


def _with_commits(words: Sequence[str], sources: NameSources) -> Sequence[str]:
    """Return the words of git with `HEAD` for a commit that another program names: any one will do."""
    if words[0] != "git" or A_NAME not in "".join(words) or not all(map(_prints_commit, sources.loops)):
        return words
    if words[1] == "-C":
        raise NotUnderstood("in which folder git works is known only when it runs")
    return [word.replace(A_NAME, "HEAD") if _OF_COMMITS.fullmatch(word) else word for word in words]


def _prints_commit(source: Sequence[str]) -> bool:
    return prints_commit([Word(text) for text in source])


def _with_names(rest: Sequence[str], source: Sequence[str]) -> Started:
    """Return what `xargs` starts."""
    options, command = _divided_from(rest)
    if any("{}" in word for word in command):
        if "-I" not in options or any("{}" in word and word != "{}" for word in command[1:]):
            raise NotUnderstood("where xargs puts a name is not certain")
        given = [A_NAME if word == "{}" else word for word in command]
    else:
        given = [*command, A_NAME, A_NAME]
    if command[:1] == ["echo"]:
        return Started(("echo",), ("xargs", "echo"))
    check_takes_names(given)
    names = printed_by(source)
    if names.are_words != ("-0" in options):
        raise NotUnderstood("which names xargs is given is known only when it runs")
    return Started(given, ("xargs", command[0]), [names])


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
        raise NotUnderstood("xargs without a program runs echo: name one")
    return options, words


def check_takes_names(words: Sequence[str]) -> None:
    """**Raises** `NotUnderstood` unless the program reads a file of each name that it is given."""
    name = words[0]
    if name not in _TAKE_NAMES:
        raise NotUnderstood(f"{name} with names that are not known may do more than read")
    read_by(words)
    if name in _GREPS and DEEP & divided(name, READERS[name], words[1:])[1]:
        raise NotUnderstood(f"{name} would look into folders that are not known")


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
    names = filter_of(rest[: rest.index("-exec")], below, chooses_among=own)
    for command in executed:
        if not command or any("{}" in word and word != "{}" for word in command) or command[0] == "{}":
            raise NotUnderstood("where find puts a name is not certain")
        given = [A_NAME if word == "{}" else word for word in command]
        if command[:1] != ["echo"]:
            check_takes_names(given)
        yield Started(given, command[:1], [replace(names, are_words=True)])


def _until_end(words: Iterator[str]) -> Iterator[str]:
    before = ""
    for word in words:
        if word == ";" or (word == "+" and before == "{}"):
            return
        yield word
        before = word
    raise NotUnderstood("where -exec ends is not certain")
