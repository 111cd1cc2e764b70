"""The project's instruction files: `AGENTS.md`, or `CLAUDE.md` where there is none."""

from collections.abc import Iterable

from agls.engine.facts import Notice
from agls.engine.ports import FileText, WorkspaceError
from agls.features.instructions.nested import NAMES
from agls.features.instructions.plain import plain
from agls.features.instructions.prompt import ProjectFile
from agls.frozen import frozen

MOST_NESTED = 50
Read = FileText | WorkspaceError | None  # as `Workspace.read_each` gives it


@frozen
class Found:
    """What the project says, and what the user should know about it."""

    files: tuple[ProjectFile, ...] = ()
    nested: tuple[str, ...] = ()
    notices: tuple[Notice, ...] = ()


def find(own: Iterable[Read], nearest: Iterable[str], known: str, limit: int) -> Found:
    """The root's instruction file, up to `limit` characters, and the names of those in folders below.

    `own` are the files `NAMES` of the root, `nearest` the paths of all instruction files of the workspace.
    Only to be called in a folder the user trusts. A file whose text is already `known` is left out.
    """
    nested = tuple(plain(path) for path in nearest if "/" in path)[:MOST_NESTED]
    name, read = next(((name, read) for name, read in zip(NAMES, own, strict=True) if read), ("", None))
    if read is None:
        return Found(nested=nested)
    if isinstance(read, WorkspaceError):
        return Found(nested=nested, notices=(unread(name, str(read)),))
    if not read.place.path.casefold().endswith(".md"):  # a link, perhaps to somebody's keys
        problem = f"it is a link to {read.place.path}, which is no Markdown file"
        return Found(nested=nested, notices=(unread(name, problem),))
    if read.text.strip() in {"", known.strip()}:
        return Found(nested=nested)
    file, notices = _capped(ProjectFile(name, read.text), limit)
    return Found((file,), nested, notices)


def with_above(above: Iterable[tuple[str, str]], found: Found, limit: int) -> Found:
    """Put the files of the folders above, each up to `limit` characters, before those of the root."""
    known = {file.text.strip() for file in found.files}
    texts = (ProjectFile(path, text) for path, text in above if text.strip() and text.strip() not in known)
    capped = [_capped(file, limit) for file in texts]
    notices = tuple(notice for _, told in capped for notice in told)
    return Found((*(file for file, _ in capped), *found.files), found.nested, (*notices, *found.notices))


def unread(what: str, problem: str) -> Notice:
    """Tells the user that instructions are not used, and why."""
    return Notice("warning", "Project instructions are not used", f"{what}: {problem}")


def _capped(file: ProjectFile, limit: int) -> tuple[ProjectFile, tuple[Notice, ...]]:
    if len(file.text) <= limit:
        return ProjectFile(file.path, plain(file.text)), ()
    mark = f"\n[The rest of this file is left out: it has {len(file.text)} characters, {limit} are used.]"
    text = f"Only the first {limit} of its {len(file.text)} characters are used."
    notice = Notice("warning", f"{file.path} is long", text)
    return ProjectFile(file.path, plain(file.text[:limit]) + mark), (notice,)
