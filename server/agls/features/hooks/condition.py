"""The condition of a hook: a tool with a pattern for what it is called with, such as `Bash(git push *)`.

Where it is not certain whether a call fits, it does: a hook should rather see too much.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import PurePath
from posixpath import join, normpath
from typing import TYPE_CHECKING

from agls.engine.vocabulary import JsonObject
from agls.json_values import text_in
from agls.regex import regex
from agls.room.command_patterns import any_text, may_fit, words_wanted

if TYPE_CHECKING:
    from agls.room.shell_programs import RunProgram

_WRITTEN = regex(r"([A-Za-z_][\w-]*|\*)(?:\((.*)\))?", re.DOTALL)
_PATHS = ("file_path", "notebook_path", "path")


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
        return bool(any_text(pattern).fullmatch(command.strip().casefold())) or _runs_one(
            pattern, command, leads_to
        )
    path = next((text for name in _PATHS if (text := text_in(arguments.get(name)))), "")
    return not path or any(_path_fits(pattern, each, folder) for each in (path, leads_to(path)) if each)


def _runs_one(pattern: str, command: str, leads_to: Callable[[str], str]) -> bool:
    """Return whether one of the programs that a command runs fits, or may fit, by a link as well."""
    from agls.room.shell_programs import programs_within  # noqa: PLC0415 - few users have such a condition
    from agls.room.shell_tree import NotUnderstood  # noqa: PLC0415 - with it
    from agls.room.shell_words import folders_of, parts  # noqa: PLC0415 - with it

    wanted = words_wanted(pattern)
    try:
        programs = programs_within(command)
        if any(may_fit(wanted, program) for program in programs):
            return True
        folders = ("", *folders_of(parts(command)))
        led = (led for each in programs for folder in folders if (led := _led(each, folder, leads_to)))
        return any(may_fit(wanted, program) for program in led)
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
