"""The check of the worktrees that helpers worked in."""

import asyncio
from collections.abc import AsyncGenerator

from agls.checkup.case import Case
from agls.config import ConfigError
from agls.room.findings import Finding
from agls.workspace.worktrees import FoundWorktree, found_worktrees

LEFT = "A helper worked in {0.path} (branch {0.branch}) when its agls ended. What it did is still there."
REMOVE = (
    "Look at it (git -C {0.path} status), then: git worktree unlock {0.path}; git worktree remove {0.path}; "
    "git branch -D {0.branch}"
)
KEPT = "{0.path} (branch {0.branch}) is a worktree that agls made. /worktree lists them."


async def worktrees(case: Case) -> AsyncGenerator[Finding, None]:
    """Name the worktrees that are there. Nothing is opened in a folder that is not trusted."""
    if isinstance(case.setup, ConfigError) or not case.setup.trusts_folder(case.folder):
        return
    for found in await asyncio.to_thread(_all, case.folder):
        if found.is_left:
            yield Finding("worktrees", "warn", LEFT.format(found), REMOVE.format(found))
        else:
            yield Finding("worktrees", "pass", KEPT.format(found))


def _all(folder: str) -> list[FoundWorktree]:
    return [*found_worktrees(folder)]
