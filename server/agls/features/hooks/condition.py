"""The condition of a hook: a tool with a pattern for what it is called with, such as `Bash(git push *)`."""

import re
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePath

from agls.engine.vocabulary import JsonObject
from agls.json_values import text_in
from agls.regex import regex

_WRITTEN = regex(r"([A-Za-z_][\w-]*|\*)(?:\((.*)\))?", re.DOTALL)
_PARTS = regex(r"&&|\|\||[;|&\n]")
_PATHS = ("file_path", "notebook_path", "path")


def fits(condition: str, names: tuple[str, ...], arguments: JsonObject, folder: str) -> bool:
    """**Returns** whether a call of a tool with these names is one that the condition is for.

    One that nobody can read fits, as a hook should rather see too much.
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
        words = _command(pattern)
        return any(words.fullmatch(part.strip()) for part in (command, *_PARTS.split(command)))
    path = next((text for name in _PATHS if (text := text_in(arguments.get(name)))), "")
    return not path or _path_fits(pattern, path, folder)


@lru_cache(maxsize=128)
def _command(pattern: str) -> re.Pattern[str]:
    """**Returns** the expression of a pattern: a last ` *` or `:*` also stands for no words at all."""
    begin = re.sub(r"(?: |:)\*$", "", pattern)
    body = ".*".join(map(re.escape, begin.split("*")))
    return re.compile(body + (r"(?:\s.*)?" if begin != pattern else ""), re.DOTALL)


def _path_fits(pattern: str, path: str, folder: str) -> bool:
    pure = PurePath(path)
    inside = pure.relative_to(folder) if folder and pure.is_relative_to(folder) else pure
    pattern = pattern.removeprefix("./")
    candidates = [str(inside), str(pure)] if "/" in pattern else [pure.name]
    loose = pattern.removeprefix("**/")
    return any(fnmatchcase(each, form) for each in candidates for form in (pattern, loose))
