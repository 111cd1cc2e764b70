"""The project's instruction files: `AGENTS.md`, or `CLAUDE.md` where there is none (`product.md` A.2)."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from aglet.engine.facts import Notice
from aglet.engine.ports import Workspace, WorkspaceError
from aglet.features.instructions.plain import plain
from aglet.features.instructions.prompt import ProjectFile

NAMES = ("AGENTS.md", "CLAUDE.md")  # in one folder the first counts alone
MOST_NESTED = 50


@dataclass(frozen=True, slots=True)
class Found:
    """What the project says, and what the user should know about it."""

    files: tuple[ProjectFile, ...] = ()
    nested: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


async def find(
    workspace: Workspace, known: str, limit: int, files: Callable[[], Awaitable[Sequence[str]]]
) -> Found:
    """Read the root's instruction file, up to `limit` characters, and name those in folders below.

    `files` gives the paths of all files of the workspace.
    Only to be called in a folder the user trusts. A file whose text is already `known` is left out.
    """
    try:
        paths = [path.replace("\\", "/") for path in await files()]
        names = {entry.name for entry in await workspace.list()}
    except WorkspaceError as problem:
        return Found(notices=(_unread("the folder", problem),))
    nested = tuple(plain(path) for path in nearest(paths) if "/" in path)[:MOST_NESTED]
    name = next((name for name in NAMES if name in names), "")
    if not name:
        return Found(nested=nested)
    try:
        text = await _text(workspace, name)
    except WorkspaceError as problem:
        return Found(nested=nested, notices=(_unread(name, problem),))
    if text.strip() in {"", known.strip()}:
        return Found(nested=nested)
    file, notices = _capped(ProjectFile(name, text), limit)
    return Found((file,), nested, notices)


async def _text(workspace: Workspace, name: str) -> str:
    """What the file says. A link counts only when it leads to such a text too, not to somebody's keys."""
    file = await workspace.read(name)
    if not file.place.path.casefold().endswith(".md"):
        raise WorkspaceError(f"it is a link to {file.place.path}, which is no Markdown file")
    return file.text


def nearest(paths: Sequence[str]) -> list[str]:
    """Of every folder the one instruction file that counts there."""
    chosen: dict[str, str] = {}
    for wanted in NAMES:
        for path in paths:
            folder, _, name = path.rpartition("/")
            if name == wanted:
                chosen.setdefault(folder, path)
    return sorted(chosen.values())


def _capped(file: ProjectFile, limit: int) -> tuple[ProjectFile, tuple[Notice, ...]]:
    if len(file.text) <= limit:
        return ProjectFile(file.path, plain(file.text)), ()
    mark = f"\n[The rest of this file is left out: it has {len(file.text)} characters, {limit} are used.]"
    text = f"Only the first {limit} of its {len(file.text)} characters are used."
    notice = Notice("warning", f"{file.path} is long", text)
    return ProjectFile(file.path, plain(file.text[:limit]) + mark), (notice,)


def _unread(what: str, problem: WorkspaceError) -> Notice:
    return Notice("warning", "Project instructions are not used", f"{what}: {problem}")
