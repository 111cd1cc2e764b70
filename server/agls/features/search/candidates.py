"""Which files a search has to look at: those below a folder, those of a glob."""

from asyncio import to_thread
from collections.abc import Sequence

from agls.engine.ports import Workspace, WorkspaceError

from .globs import glob_matcher


async def files_below(workspace: Workspace, path: str, glob: str) -> list[str]:
    """The files below a folder (or the one file), sorted. Raises `WorkspaceError`."""
    try:
        matches = glob_matcher(glob or "**")
    except ValueError as problem:
        raise WorkspaceError(f"The glob cannot be used: {problem}.") from problem
    place = workspace.place(path or ".")
    start = "" if place.shown == "." else f"{place.shown}/"
    names = await workspace.files(path)
    return await to_thread(lambda: sorted(name for name in names if matches(name.removeprefix(start))))


def without_secrets(names: Sequence[str], asked: str) -> list[str]:
    """The files without those that hold keys (`.env` and its kin), unless it is the one asked for."""
    return [name for name in names if name == asked or not _holds_keys(name)]


def _holds_keys(name: str) -> bool:
    return name.rpartition("/")[2].casefold().startswith(".env")
