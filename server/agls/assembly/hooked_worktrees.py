"""Worktrees of which hooks hear: one may make the folder itself, as where there is no git."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.json_values import text_in
from agls.room.folder_ports import KeptWorktree, Worktree, Worktrees
from agls.room.run_ports import HookPoints

CREATE, REMOVE = "WorktreeCreate", "WorktreeRemove"
NO_FOLDER = "a hook for WorktreeCreate wrote {!r}: it must write the absolute path of a folder that is there."
NOT_NAMED = "a hook for WorktreeCreate made {}: the name of the folder must have {!r} in it."
AROUND = "a hook for WorktreeCreate made {}, in which the folder of this session is."


@frozen
class FolderOfHook:
    """Implements `Worktree` with a folder that a hook made. What changed in it is not known, so it stays."""

    path: str
    branch: str = ""

    @property
    def folder(self) -> str:
        """The place to work in."""
        return self.path

    async def leave(self) -> str:
        """Leave it as it is."""
        return ""


@frozen
class SeenWorktree:
    """Implements `Worktree`: hooks hear when it is gone."""

    tree: Worktree
    points: HookPoints

    @property
    def path(self) -> str:
        """Where it is."""
        return self.tree.path

    @property
    def folder(self) -> str:
        """The place to work in."""
        return self.tree.folder

    @property
    def branch(self) -> str:
        """Its branch."""
        return self.tree.branch

    async def leave(self) -> str | None:
        """Remove it when nothing changed in it; else keep it. **Raises** `WorkspaceError`."""
        diff = await self.tree.leave()
        if diff is None:
            await self.points.ask(REMOVE, (), {"worktree_path": self.path})
        return diff


@frozen
class HookedWorktrees:
    """Implements `Worktrees` for the folder `root`."""

    worktrees: Worktrees
    points: HookPoints
    root: str

    async def make(self, name: str, *, held: bool = True) -> Worktree:
        """Let hooks make it, or say why not; else make it with git. **Raises** `WorkspaceError`."""
        verdict = await self.points.ask(CREATE, (), {"name": name})
        if verdict.objection:
            raise WorkspaceError(verdict.objection)
        said = text_in(verdict.reply.get("worktreePath")) or verdict.text.strip()
        if said:
            return FolderOfHook(await asyncio.to_thread(_place, said, name, self.root))
        return SeenWorktree(await self.worktrees.make(name, held=held), self.points)

    async def all(self) -> Sequence[KeptWorktree]:
        """Return those that git keeps. **Raises** `WorkspaceError`."""
        return await self.worktrees.all()

    async def remove(self, name: str) -> str:
        """Remove a clean one. **Returns** the branch that stays, "" for none. **Raises** `WorkspaceError`."""
        paths = [one.path for one in await self.all() if Path(one.path).name == name]
        branch = await self.worktrees.remove(name)
        for path in paths:
            await self.points.ask(REMOVE, (), {"worktree_path": path})
        return branch


def _place(said: str, name: str, root: str) -> str:
    """Return the folder that a hook made for the worktree of this name. **Raises** `WorkspaceError`."""
    path = Path(said)
    if not path.is_absolute() or not path.is_dir():
        raise WorkspaceError(NO_FOLDER.format(said[:200]))
    real = path.resolve()
    if name not in real.name:
        raise WorkspaceError(NOT_NAMED.format(path, name))
    if Path(root).resolve().is_relative_to(real):
        raise WorkspaceError(AROUND.format(path))
    return str(real)
