"""The worktrees of helpers: each is made before its helper begins, and left when the helper has ended."""

import re
from collections.abc import Mapping
from dataclasses import replace

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.features.subagents.conversation import Done
from agls.features.subagents.delegates import DelegateSpec
from agls.features.subagents.lineage import Child
from agls.features.subagents.settings import Settings
from agls.room.folder_ports import WORKTREE, Worktree, Worktrees
from agls.toolkit import shorten

NONE = "it works in a git worktree of its own, and none could be made: {}"
KEPT = """\
[It worked in a worktree of its own, so nothing changed in your folder. Its changes are kept in {0.path}, on \
the branch {0.branch}; they are not committed unless it says so. Where they are wanted, make them in your \
folder too.]
{1}"""
KEPT_OF_HOOK = """\
[It worked in {0.path}, a folder that a hook made for it, so nothing changed in your folder. Its changes are \
kept there. Where they are wanted, make them in your folder too.]"""
KEPT_BRIEFLY = "its worktree {0.path} (branch {0.branch}) is kept"
UNCHANGED = "[It worked in a worktree of its own and changed nothing there; the worktree is removed.]"
REST = "The rest is in the worktree: git diff in it."
UNREAD = "[What became of its worktree {0.path} (branch {0.branch}) is not known: {1}]"


class WorktreesOfHelpers:
    """The worktrees of those that work for one call."""

    def __init__(self, worktrees: Worktrees, settings: Settings) -> None:
        self._worktrees, self._limit = worktrees, settings.answer_limit
        self._made: dict[str, Worktree] = {}

    async def options(
        self, entry: DelegateSpec, session_id: str, settings: Mapping[str, object]
    ) -> JsonObject:
        """Return the option of a child that works apart; one below it works in the same worktree.

        **Raises** `WorkspaceError`.
        """
        if not entry.is_isolated or settings.get(WORKTREE):
            return {}
        name = f"{entry.name}-{re.sub(r'[^A-Za-z0-9]', '', session_id)[-10:]}"
        try:
            self._made[session_id] = made = await self._worktrees.make(name)
        except WorkspaceError as problem:
            raise WorkspaceError(NONE.format(problem)) from None
        return {WORKTREE: made.folder}

    async def left(self, child: Child, done: Done) -> Done:
        """Leave the worktree of a child, if it has one. **Returns** its end with what it changed there."""
        tree = self._made.pop(child.session_id, None)
        if tree is None:
            return done
        try:
            diff = await tree.leave()
        except WorkspaceError as problem:
            return replace(done, answer=f"{done.answer}\n\n{UNREAD.format(tree, problem)}")
        if diff is None:
            return replace(done, answer=f"{done.answer}\n\n{UNCHANGED}")
        if not tree.branch:
            return replace(done, answer=f"{done.answer}\n\n{KEPT_OF_HOOK.format(tree)}")
        shown, _ = shorten(diff, self._limit, REST)
        reason = "; ".join(filter(None, (done.child.reason, KEPT_BRIEFLY.format(tree))))
        if done.child.status != "completed":
            done = replace(done, child=replace(done.child, reason=reason))
        return replace(done, answer=f"{done.answer}\n\n{KEPT.format(tree, shown)}")
