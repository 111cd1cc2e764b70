"""Names of new files that are meant as others: as that of a file that is there, or as a path of Windows."""

from collections.abc import Iterable
from posixpath import basename, dirname, join
from unicodedata import normalize

from agls.engine.ports import Workspace, WorkspaceError
from agls.names import spelled
from agls.regex import regex

_DRIVE = regex(r"[A-Za-z]:\\?")
NAMESAKE = (
    "{new} is not there, but {old} is, whose name differs only in capital letters or in the form of its "
    "characters; on many machines they are the same. Nothing was changed. Use the name that is there, or a "
    "really different one; a command (mv) renames what is there."
)

BACKSLASHES = (
    "{} would be a name with backslashes in it: they separate no folders here. Nothing was changed. "
    "Write the path with /: {}"
)


async def check_name(path: str, workspace: Workspace, leaving: Iterable[str] = ()) -> None:
    """Check that a file which is to be made has no namesake, but those that are `leaving`.

    The same holds for the folders that are made on the way. Nor is one made whose name has backslashes, as
    paths of Windows do. **Raises** `WorkspaceError`.
    """
    folder, name, names = await _first_missing(workspace.place(path).shown, workspace)
    if "\\" in name:
        raise WorkspaceError(BACKSLASHES.format(spelled(path), spelled(_with_slashes(path))))
    wanted = _key(name)
    for other in names:
        old = join(folder, other)
        if other != name and _key(other) == wanted and old not in leaving:
            raise WorkspaceError(NAMESAKE.format(new=spelled(join(folder, name)), old=spelled(old)))


async def _first_missing(shown: str, workspace: Workspace) -> tuple[str, str, list[str]]:
    """Return the part of a path that is not there, the folder in which it would be, and the names in that."""
    folder: str = dirname(shown)
    name: str = basename(shown)
    try:
        return folder, name, [entry.name for entry in await workspace.list(folder)]
    except WorkspaceError as problem:
        if folder and isinstance(problem.__cause__, FileNotFoundError):
            return await _first_missing(folder, workspace)
        return folder, name, []


def _with_slashes(path: str) -> str:
    return _DRIVE.sub("", path).replace("\\", "/").removeprefix("./")


def _key(name: str) -> str:
    return normalize("NFC", name).casefold()
