"""What to say of a path at which there is no file: it is a folder, or these names are near it."""

import asyncio
import re
from contextlib import aclosing
from difflib import get_close_matches
from posixpath import basename, dirname, join

from agls.engine.ports import Workspace, WorkspaceError
from agls.names import spelled

ADDRESS = "{} is an address, not a file. For a page of the web use web_fetch, where it is a tool of yours."
NEAR = 3  # paths that are named
QUOTES = " \t\n\"'`@"  # around a path, which some models write
SECONDS = 2.0  # for looking through the workspace


async def explained(problem: WorkspaceError, path: str, workspace: Workspace) -> WorkspaceError:
    """Return the problem of reading or listing a path, with what the path is instead, or what is near it."""
    cause = problem.__cause__
    if isinstance(cause, IsADirectoryError):
        shown = workspace.place(path).shown
        return WorkspaceError(f"{shown} is a folder. See what is in it with list_dir.")
    if isinstance(cause, NotADirectoryError) and await _is_kind("file", path, workspace):
        shown = workspace.place(path).shown
        return WorkspaceError(f"{spelled(shown)} is a file, not a folder. See it with read_file.")
    if not isinstance(cause, FileNotFoundError):
        return problem
    shown = workspace.place(path.strip(QUOTES) or ".").shown
    folder, name = dirname(shown), basename(shown)
    if "\\" in name:
        folder, name = dirname(shown.replace("\\", "/")), basename(shown.replace("\\", "/"))
    near = [join(folder, found) for found in await _alike(folder, name, workspace)]
    elsewhere = await _elsewhere(_escaped(name), workspace)
    if not (near or elsewhere):
        elsewhere = await _elsewhere(_in_any_case(name), workspace)
    if path.startswith(("http://", "https://")):
        return WorkspaceError(ADDRESS.format(spelled(path)))
    inside = await meant_inside(shown, workspace) or await _without_first(shown, workspace)
    near = list(dict.fromkeys((*([inside] if inside else ()), *near, *elsewhere)))[:NEAR]
    if shown in near and await _is_kind("link", shown, workspace):
        return WorkspaceError(f"{spelled(shown)} is a link to something that does not exist.")
    if not near:
        return problem
    return WorkspaceError(f"{problem} Did you mean {' or '.join(map(spelled, near))}?")


async def meant_inside(path: str, workspace: Workspace) -> str:
    """Return what is there in the workspace under the end of an absolute path, "" for nothing.

    Models write `/src/a.py` or `/workspace/src/a.py` where `src/a.py` is meant.
    """
    parts = path.split("/")[1:] if path.startswith("/") else []
    for begin in range(len(parts)):
        if await _exists(shorter := "/".join(parts[begin:]), workspace):
            return shorter
    return ""


async def _without_first(path: str, workspace: Workspace) -> str:
    """Return what is there under the end of a relative path, "" for nothing: `a/src/a.py` is of a diff."""
    return "" if path.startswith("/") else await meant_inside(f"/{path.partition('/')[2]}", workspace)


async def _exists(path: str, workspace: Workspace) -> bool:
    try:
        if not workspace.place(path).inside or not basename(path):
            return False
        entries = await workspace.list(dirname(path))
    except WorkspaceError:
        return False
    return any(entry.name == basename(path) for entry in entries)


async def _alike(folder: str, name: str, workspace: Workspace) -> list[str]:
    try:
        names = [entry.name for entry in await workspace.list(folder)]
    except WorkspaceError:
        return []
    by_case = {each.casefold(): each for each in names}
    return [by_case[each] for each in get_close_matches(name.casefold(), by_case, NEAR)]


async def _is_kind(kind: str, path: str, workspace: Workspace) -> bool:
    """Return whether a path is in its folder as this kind of entry."""
    try:
        entries = await workspace.list(dirname(path.rstrip("/")))
    except WorkspaceError:
        return False
    return any(entry.name == basename(path.rstrip("/")) and entry.kind == kind for entry in entries)


async def _elsewhere(pattern: str, workspace: Workspace) -> list[str]:
    """Return files whose name fits in the workspace, those that are found in a moment."""
    found: list[str] = []
    try:
        async with asyncio.timeout(SECONDS), aclosing(workspace.walk("", pattern)) as portions:
            async for portion in portions:
                found += portion
                if len(found) >= NEAR:
                    break
    except (TimeoutError, WorkspaceError):
        pass
    return sorted(found)


def _in_any_case(name: str) -> str:
    return "".join(
        f"[{one.lower()}{one.upper()}]" if one.isascii() and one.isalpha() else _escaped(one) for one in name
    )


def _escaped(name: str) -> str:
    return re.sub(r"([*?\[\]{}\\])", r"\\\1", name)
