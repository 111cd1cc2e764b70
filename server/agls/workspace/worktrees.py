"""Worktrees of the repository of a folder: made beside it, and removed when nothing changed in them.

Whoever works in one may change every file there, `.git` too. So git is told where its own folder is, and
looks for none in the worktree.
"""

import asyncio
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.workspace.git_commands import FolderGit
from agls.workspace.repository import folders_above

BRANCHES = "agls/"
FOLDER = "{}-worktrees"  # beside the repository: searches and watchers of the repository do not see it
LOCK = "agls {}"  # the reason of the lock: the process that works there
PLAIN = ("--no-color", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
MARK = "ref: refs/heads/"
MOST_NAMES = 8
MOST_FILES = 300
TAKEN = "{} is there already, and is no worktree of this repository."
BUSY = "another process works in {}."
UNKNOWN = "there is no worktree {} that agls made. There are: {}."
DIRTY = """\
in {0.path} is what no commit has: {1}. Commit or discard it there, or remove all of it yourself: \
git worktree remove --force {0.path}"""
NO_FOLDER = "the last commit has no folder {}."
LEFT_OUT = "[{} more files are changed]\n"
IGNORED = "[Git ignores these, which it made: {}]\n"
MOST_IGNORED = 20  # that are named
MADE_AGAIN = frozenset(  # by tools, from what is there without them: no reason to keep a worktree
    ".mypy_cache .nox .pytest_cache .ruff_cache .tox .venv __pycache__ node_modules".split()  # noqa: SIM905 - names
)


@frozen
class GitWorktree:
    """Implements `Worktree`: git keeps it in `git_dir`, and it began at the commit `base`."""

    git: FolderGit
    path: str
    folder: str
    branch: str
    git_dir: str
    base: str

    async def leave(self) -> str | None:
        """Remove it when nothing was changed or made in it; else keep it. **Raises** `WorkspaceError`."""
        there = (f"--git-dir={self.git_dir}", f"--work-tree={self.path}")
        await self.git.write(*there, "add", "--intent-to-add", "--all", hooks=False)
        names = (await self.git.read(*there, "diff", *PLAIN, "--name-only", self.base)).splitlines()
        commits = await self.git.read("rev-list", "--max-count=1", f"{self.base}..{self.branch}")
        ignored = _named(await _ignored(self.git, there))
        await self.git.write("worktree", "unlock", self.path, hooks=False)
        if not names and not commits and not ignored:
            await self.git.write("worktree", "remove", self.path, hooks=False)  # refused if git sees anything
            await self.git.write("branch", "--quiet", "-D", self.branch, hooks=False)
            return None
        shown = [name for name in names if not name.startswith('"') and self.git.shows(name)]
        more = LEFT_OUT.format(len(names) - MOST_FILES) if len(names) > MOST_FILES else ""
        if shown:
            more = await self.git.read(*there, "diff", *PLAIN, self.base, "--", *shown[:MOST_FILES]) + more
        return more + ignored


@frozen
class FoundWorktree:
    """A worktree that agls made; `is_left` says that the process which worked there is gone."""

    path: str
    branch: str
    git_dir: str
    is_left: bool


@frozen
class CheckedWorktree:
    """Implements `KeptWorktree`."""

    path: str
    branch: str
    changed: Sequence[str]


@frozen
class GitWorktrees:
    """Implements `Worktrees` with git, for the repository of the folder `root`."""

    git: FolderGit
    root: str

    async def make(self, name: str, *, held: bool = True) -> GitWorktree:
        """Make a worktree of HEAD, or take the one that was kept. **Raises** `WorkspaceError`."""
        asked = ("--path-format=absolute", "--show-toplevel", "--git-common-dir", "--show-prefix")
        top, common, *below = (await self.git.read("rev-parse", *asked)).splitlines()
        path, branch = Path(FOLDER.format(top), name), f"{BRANCHES}{name}"
        git_dir = Path(common, "worktrees", name)
        if await asyncio.to_thread(path.exists):
            base = await self._take(path, branch, git_dir, held=held)
        else:
            base = await self._add(path, branch, held=held)
        folder = path.joinpath(*below)
        if not await asyncio.to_thread(folder.is_dir):
            raise WorkspaceError(NO_FOLDER.format("".join(below)))
        return GitWorktree(self.git, str(path), str(folder), branch, str(git_dir), base)

    async def all(self) -> Sequence[CheckedWorktree]:
        """Return those that agls made. **Raises** `WorkspaceError`."""
        await self.git.read("rev-parse", "--git-dir")  # which also says whether the folder is trusted
        found = await asyncio.to_thread(lambda: [*found_worktrees(self.root)])
        return [CheckedWorktree(one.path, one.branch, await self._changed(one)) for one in found]

    async def remove(self, name: str) -> str:
        """Remove a clean one. **Returns** the branch that stays, "" for none. **Raises** `WorkspaceError`."""
        known = {Path(one.path).name: one for one in await self.all()}
        if name not in known:
            raise WorkspaceError(UNKNOWN.format(name, ", ".join(known) or "none"))
        tree = known[name]
        if tree.changed:
            more = [f"and {len(tree.changed) - MOST_NAMES} more"] if len(tree.changed) > MOST_NAMES else []
            raise WorkspaceError(DIRTY.format(tree, ", ".join((*tree.changed[:MOST_NAMES], *more))))
        await self.git.write("worktree", "remove", tree.path, hooks=False)
        if await self.git.read("rev-list", "--max-count=1", f"HEAD..{tree.branch}"):
            return tree.branch
        await self.git.write("branch", "--quiet", "-D", tree.branch, hooks=False)
        return ""

    async def _changed(self, found: FoundWorktree) -> Sequence[str]:
        """Return what is not committed in it, with what git ignores and no tool makes again."""
        there = (f"--git-dir={found.git_dir}", f"--work-tree={found.path}")
        asked = ("status", "--porcelain", "--untracked-files=all", "--ignore-submodules=all", "--no-renames")
        rows = (await self.git.read(*there, *asked)).splitlines()
        return [*(row[3:] for row in rows), *await _ignored(self.git, there)]

    async def _add(self, path: Path, branch: str, *, held: bool) -> str:
        base = (await self.git.read("rev-parse", "--verify", "HEAD^{commit}")).strip()
        lock = ("--lock", "--reason", LOCK.format(os.getpid())) if held else ()
        is_there = not held and await self.git.read("branch", "--list", branch)  # of one that was removed
        place = (str(path), branch) if is_there else ("-b", branch, str(path), base)
        await self.git.write("worktree", "add", "--quiet", *lock, *place, hooks=False)
        return base

    async def _take(self, path: Path, branch: str, git_dir: Path, *, held: bool) -> str:
        if await asyncio.to_thread(_folder_of, git_dir) != str(path):
            raise WorkspaceError(TAKEN.format(path))
        if lock := await asyncio.to_thread(_text, git_dir / "locked"):
            mine = held and lock == LOCK.format(os.getpid())  # a session works once at a time
            if not (mine or _is_gone(lock)):
                raise WorkspaceError(BUSY.format(path))
            await self.git.write("worktree", "unlock", str(path), hooks=False)
        if held:
            reason = LOCK.format(os.getpid())
            await self.git.write("worktree", "lock", "--reason", reason, str(path), hooks=False)
        return (await self.git.read("merge-base", "HEAD", branch)).strip()


def found_worktrees(folder: str) -> Iterator[FoundWorktree]:
    """Yield the worktrees that agls made of the repository of this folder. Git is not asked.

    Call it off the event loop, and only for a folder that is trusted.
    """
    places = (Path(each, ".git", "worktrees") for each in (folder, *folders_above(folder)))
    for git_dir in (each for place in places if place.is_dir() for each in sorted(place.iterdir())):
        branch, path = _text(git_dir / "HEAD").removeprefix(MARK), _folder_of(git_dir)
        if branch.startswith(BRANCHES) and path and Path(path).is_dir():
            yield FoundWorktree(path, branch, str(git_dir), is_left=_is_gone(_text(git_dir / "locked")))


async def _ignored(git: FolderGit, there: tuple[str, str]) -> Sequence[str]:
    """**Returns** what git ignores and no tool makes again."""
    asked = ("ls-files", "--others", "--ignored", "--exclude-standard", "--directory")
    found = (await git.read(*there, *asked)).splitlines()
    folders = {"/".join((*parts[:-1], "")) for parts in (name.rstrip("/").split("/") for name in found)}
    return [n for n in found if n not in folders and MADE_AGAIN.isdisjoint(n.split("/"))]


def _named(ignored: Sequence[str]) -> str:
    more = [f"and {len(ignored) - MOST_IGNORED} more"] if len(ignored) > MOST_IGNORED else []
    return IGNORED.format(", ".join((*ignored[:MOST_IGNORED], *more))) if ignored else ""


def _folder_of(git_dir: Path) -> str:
    return _text(git_dir / "gitdir").removesuffix("/.git")


def _is_gone(lock: str) -> bool:
    """Return whether the process that locked a worktree is gone. Nobody else's lock is judged."""
    owner, _, process = lock.partition(" ")
    if owner != "agls" or not process.isdigit():
        return False
    try:
        os.kill(int(process), 0)
    except ProcessLookupError:
        return True
    except OSError:
        return False
    return False


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""
