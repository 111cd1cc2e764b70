"""Patterns of names as models write them, and what may be wrong with a pattern that finds nothing."""

import asyncio
import posixpath
from collections.abc import Sequence
from contextlib import aclosing

from agls.engine.ports import Workspace, WorkspaceError
from agls.names import spelled
from agls.regex import regex

NAMED = 3  # files that are named
SECONDS = 1.0  # for looking for them

_POSIX = regex(r"\\[|<>]|\[\[:")
_APART = regex(r"\S [^ /]*[*.]\S*$")  # a blank, and a pattern or a name with an ending behind it
RETURN = regex(r"(?:\r|(?<!\\)(?:\\\\)*\\r)(?![?*])")  # as it is, or as an escape; it must be there
_CALL = regex(r"(?<!\\)\w\(|\{\}|\w\[\]|(?<!\\)\$(?=\w)")
POSIX = " Alternatives are a|b here, beginning and end of a word \\b, classes of characters \\w, \\d, \\s."
ENDS = (
    " An end of a line is \\n here in every file, and no part of the line: `grep -rlI $'\\r'` in a command "
    "finds the files that have \\r\\n."
)
LITERALLY = " ( ) [ ] { } $ mean something in an expression: set literal to find them as they stand."
SEVERAL = " Several patterns are one in braces: {*.py,*.md}."
REACH = " A pattern reaches only what is below path."
NOT = " What is left out belongs into exclude."
IGNORED = (
    " But {0} is there, and ignored (by .gitignore or another ignore file): read_file reads it, and grep "
    "searches it with this path."
)
TWICE = " It is looked for below {}: leave that out and write {}."
OPEN = " A brace is left open: {*.py,*.md} is the form."
HOME = " ~ means nothing in a pattern: give the folder as path."
CASE = " Capital letters count: did you mean {}?"
BRACKETS = " [ begins a set of characters: {} finds names that have it."


def below(pattern: str, path: str, workspace: Workspace) -> str:
    """Return a pattern of names as the workspace reads it, below a path.

    One that begins with the path itself is what follows it. One that ends with a slash is all in that folder.
    """
    root = workspace.place(path or ".").path.rstrip("/")
    inside = pattern.removeprefix(f"{root}/")
    if inside != pattern:
        pattern = f"/{inside}"
    return f"{pattern}**" if pattern.endswith("/") and len(pattern) > 1 else pattern


def either(pattern: str) -> str:
    """Return patterns with commas between them as one in braces; the comma may also stand in a name."""
    if "," not in pattern or "{" in pattern or "[" in pattern:
        return pattern
    parts = filter(None, (part.strip() for part in pattern.split(",")))
    return f"{{{','.join(parts)},{pattern.replace(',', '?')}}}"


async def no_names(pattern: str, path: str, exclude: str, workspace: Workspace) -> str:
    """Return what may be wrong with a pattern of names that no file has, but perhaps one to `exclude`."""
    if fault := _fault(pattern, path, workspace):
        return fault
    if near := await _in_other_case(pattern, path, exclude, workspace):
        return CASE.format(" or ".join(map(spelled, near)))
    fixed = (
        posixpath.dirname(pattern.partition("*")[0] + "x").strip("/")
        if "*" in pattern
        else pattern.strip("/")
    )
    folder = posixpath.join(path, fixed) if fixed else ""
    if "*" not in pattern and "?" not in pattern and await _is_there(folder, workspace):
        return IGNORED.format(folder)
    if not folder or not await _has_entries(folder, workspace):
        return REACH if pattern.startswith("/") else ""
    if fixed == pattern.strip("/"):
        return f" {folder} is a folder: {fixed}/** finds what is in it."
    return f" If {folder} is ignored, set path to it: then it is looked through all the same."


def _fault(pattern: str, path: str, workspace: Workspace) -> str:
    """Return what is wrong with the pattern itself, "" for nothing."""
    if pattern.startswith("!"):
        return NOT
    if pattern.startswith("../"):
        return REACH
    if pattern.startswith("~"):
        return HOME
    if pattern.count("{") > pattern.count("}"):
        return OPEN
    if "{" not in pattern and ("," in pattern or _APART.search(pattern)):
        return SEVERAL
    folder = workspace.place(path).shown if path else ""
    if folder and pattern.startswith(f"{folder}/"):
        return TWICE.format(folder, pattern.removeprefix(f"{folder}/"))
    return BRACKETS.format(pattern.replace("[", "[[]")) if "[" in pattern else ""


async def _in_other_case(pattern: str, path: str, exclude: str, workspace: Workspace) -> Sequence[str]:
    """Return the first files that soon are found to fit the pattern, but for capital letters."""
    found: list[str] = []
    if not any(each.isalpha() for each in pattern) or "[" in pattern or "\\" in pattern:
        return found
    walked = workspace.walk(path, in_any_case(pattern), either(exclude))
    try:
        async with asyncio.timeout(SECONDS), aclosing(walked) as portions:
            async for portion in portions:
                found += portion
                if len(found) >= NAMED:
                    break
    except (TimeoutError, WorkspaceError):
        pass
    return sorted(found)[:NAMED]


def in_any_case(pattern: str) -> str:
    """Return a pattern of names without sets of characters for letters of any case."""
    letters = (
        f"[{each.lower()}{each.upper()}]" if each.isascii() and each.isalpha() else each for each in pattern
    )
    return "".join(letters)


async def _has_entries(folder: str, workspace: Workspace) -> bool:
    try:
        return bool(await workspace.list(folder))
    except WorkspaceError:
        return False


async def _is_there(file: str, workspace: Workspace) -> bool:
    """Return whether a folder lists this file, whatever is ignored."""
    try:
        entries = await workspace.list(posixpath.dirname(file))
    except WorkspaceError:
        return False
    return any(each.name == posixpath.basename(file) and each.kind != "dir" for each in entries)


def no_lines(pattern: str, *, literal: bool) -> str:
    """Return what may be wrong with an expression that no line matches."""
    if literal:
        return ""
    if RETURN.search(pattern):
        return ENDS
    if _POSIX.search(pattern):
        return POSIX
    return LITERALLY if _CALL.search(pattern) else ""
