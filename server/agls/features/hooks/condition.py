"""The condition of a hook: a tool with a pattern for what it is called with, such as `Bash(git push *)`.

Where it is not certain whether a call fits, it does: a hook should rather see too much.
"""

import re
import shlex
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import takewhile
from pathlib import PurePath
from posixpath import basename, join, normpath
from typing import TYPE_CHECKING

from agls.engine.vocabulary import JsonObject
from agls.json_values import text_in
from agls.regex import regex

if TYPE_CHECKING:
    from agls.room.shell_programs import RunProgram

_WRITTEN = regex(r"([A-Za-z_][\w-]*|\*)(?:\((.*)\))?", re.DOTALL)
_PATHS = ("file_path", "notebook_path", "path")
ANY = "*"  # as a word of a pattern: any words, or none


def _nowhere(path: str) -> str:
    return ""


def fits(
    condition: str,
    names: tuple[str, ...],
    arguments: JsonObject,
    folder: str,
    leads_to: Callable[[str], str] = _nowhere,
) -> bool:
    """**Returns** whether a call of a tool with these names is one that the condition is for.

    One that nobody can read fits. `leads_to` has the place behind the links of a path, "" for none.
    """
    found = _WRITTEN.fullmatch(condition.strip())
    if not found:
        return True
    if found[1] not in {"*", *names}:
        return False
    pattern = (found[2] or "").strip()
    if pattern in {"", "*", "**"}:
        return True
    if isinstance(command := arguments.get("command"), str):
        return bool(_glob(pattern).fullmatch(command.strip().casefold())) or _runs_one(
            pattern, command, leads_to
        )
    path = next((text for name in _PATHS if (text := text_in(arguments.get(name)))), "")
    return not path or any(_path_fits(pattern, each, folder) for each in (path, leads_to(path)) if each)


def _runs_one(pattern: str, command: str, leads_to: Callable[[str], str]) -> bool:
    """Return whether one of the programs that a command runs fits, or may fit, by a link as well."""
    from agls.room.shell_programs import programs_within  # noqa: PLC0415 - few users have such a condition
    from agls.room.shell_tree import NotUnderstood  # noqa: PLC0415 - with it
    from agls.room.shell_words import folders_of, parts  # noqa: PLC0415 - with it

    wanted = _wanted(pattern)
    try:
        programs = programs_within(command)
        if any(_may_fit(wanted, program) for program in programs):
            return True
        folders = ("", *folders_of(parts(command)))
        led = (led for each in programs for folder in folders if (led := _led(each, folder, leads_to)))
        return any(_may_fit(wanted, program) for program in led)
    except NotUnderstood:
        return True


def _led(program: "RunProgram", folder: str, leads_to: Callable[[str], str]) -> "RunProgram | None":
    """Return the program with what its links lead to in their place, `None` without any."""
    words = [
        leads_to(join(folder, word)) or word
        if word and "/" in word and (at == 0 or program.carries)
        else word
        for at, word in enumerate(program.words)
    ]
    return None if tuple(words) == program.words else replace(program, words=tuple(words))


@lru_cache(maxsize=128)
def _wanted(pattern: str) -> tuple[str, ...]:
    """Return the words of a pattern. A last `*` stands for any words, also behind a part of a word or `:`."""
    pattern = f"{pattern.removesuffix(':*')}*" if pattern.endswith(":*") else pattern
    try:
        words = shlex.split(pattern)
    except ValueError:
        words = pattern.split()
    return (*words, ANY) if words[-1:] and words[-1].endswith("*") and words[-1] != ANY else tuple(words)


def _may_fit(wanted: Sequence[str], program: "RunProgram") -> bool:
    """Return whether the words of a program are, or may be, those that are wanted.

    Behind the first one may stand options that the pattern does not name, each with a value: `git -C . push`.
    A place is how many of the wanted words were found, and whether the last word was such an option.
    """
    begin = frozenset({(0, False)})
    places = begin
    for word in program.words:
        if word is None:
            return True
        after = {
            place
            for at, is_value in _reached(places, wanted)
            for place in _next(at, is_value, word, wanted, stays=program.carries)
        }
        places = begin | after if program.carries else frozenset(after)
        if not places:
            return False
    found = {at for at, _ in _reached(places, wanted)}
    return len(wanted) in found or (program.is_fed and bool(found - {0}))


def _reached(places: frozenset[tuple[int, bool]], wanted: Sequence[str]) -> Iterator[tuple[int, bool]]:
    """Yield the places, and those behind an `ANY` that stands for nothing."""
    for at, is_value in places:
        yield at, is_value
        for more, _ in enumerate(takewhile(ANY.__eq__, wanted[at:]), 1):
            yield at + more, False


def _next(
    at: int, is_value: bool, word: str, wanted: Sequence[str], *, stays: bool
) -> Iterator[tuple[int, bool]]:
    """Yield the places that this word leads to; one that `stays` at the end is not led away by more words."""
    if at == len(wanted):
        yield from [(at, False)] * stays
        return
    if wanted[at] == ANY:
        yield at, False
    elif _glob(wanted[at]).fullmatch((basename(word) if at == 0 else word).casefold()):
        yield at + 1, False
    if at and word.startswith("-"):
        yield at, True
    elif is_value:
        yield at, False


@lru_cache(maxsize=256)
def _glob(pattern: str) -> re.Pattern[str]:
    """Return the expression of a pattern whose `*` is any text, case apart.

    What stands between two `*` is looked for once, at its first place, so no text takes long.
    """
    first, *rest = map(re.escape, pattern.casefold().split("*"))
    middle = "".join(f"(?>.*?{chunk})" for chunk in rest[:-1])
    return re.compile(first + middle + (f".*{rest[-1]}" if rest else ""), re.DOTALL)


def _path_fits(pattern: str, path: str, folder: str) -> bool:
    """Return whether a path fits, as it is written or as what it leads to, in its folder or as a whole."""
    pattern = pattern.removeprefix("./")
    forms = {pattern, pattern.removeprefix("**/")}
    return any(fnmatchcase(each, form) for each in _spellings(pattern, path, folder) for form in forms)


def _spellings(pattern: str, path: str, folder: str) -> Iterator[str]:
    for each in (path, normpath(join(folder, path))):
        pure = PurePath(each)
        if "/" not in pattern:
            yield pure.name
        else:
            yield str(pure)
            if folder and pure.is_relative_to(folder):
                yield str(pure.relative_to(folder))
