"""The port to git worktrees, in which helpers work apart from the folder of their session."""

from typing import NoReturn, Protocol

from agls.engine.ports import WorkspaceError

WORKTREE = "worktree"  # the option of a session that works in one: the folder in it


class Worktree(Protocol):
    """A worktree on a `branch` of its own; `folder` is the place in it that the session's folder has.

    `leave` removes it when nothing changed in it, and **returns** `None`; otherwise it is kept, and what is
    returned is the difference to its beginning. It raises `WorkspaceError`.
    """

    @property
    def path(self) -> str: ...
    @property
    def folder(self) -> str: ...
    @property
    def branch(self) -> str: ...
    async def leave(self) -> str | None: ...


class Worktrees(Protocol):
    """Makes worktrees of the repository of a session.

    `make` **returns** the one of this name, as it is where it was kept; it raises `WorkspaceError`.
    """

    async def make(self, name: str) -> Worktree: ...


class NoWorktrees:
    """A place without worktrees."""

    async def make(self, name: str) -> NoReturn:
        """Make none. **Raises** `WorkspaceError`."""
        raise WorkspaceError("there is no git here.")


NO_WORKTREES = NoWorktrees()
