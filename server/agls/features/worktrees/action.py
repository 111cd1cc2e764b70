"""The action of the room: a session in a worktree of its own, the list of them, and their end."""

from collections.abc import Sequence
from pathlib import PurePath

from pydantic import Field

from agls.engine.actions import ActionContext, ActionError, ActionOutcome, ActionValue
from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.regex import regex
from agls.room.folder_ports import WORKTREE, KeptWorktree, Worktrees
from agls.room.session_ports import SessionControl
from agls.short_text import number_of
from agls.toolkit import Arguments

NAME = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,63}")
NEW = "new"  # in the place of a name: one is found
OPEN = "open"  # in the data of an outcome: the session that a client shows from now on
NONE = "agls made no worktree of this repository. To work in one: /worktree NAME"
MADE = """\
The session {0} works in {1}, on the branch {2}; this one stays where it is. To go on in it from a shell: \
agls resume {0} "…"

What is not committed here is not there. When you have what you want of it: git merge {2}, then \
/worktree remove {3}"""
MADE_BY_HOOK = """\
The session {0} works in {1}, which a hook made; this one stays where it is. To go on in it from a shell: \
agls resume {0} "…"

agls does not remove this folder."""
WORKS = "This session works in {}."
BAD_NAME = "A worktree's name has letters, digits, - and _, as in: /worktree fix-parser. {!r} is none."
INSIDE = "{} Begin another one in a session that works in the folder itself."
NOT_MADE = "No worktree was made: {}"
KEPT = "The worktree stays: {}"
REMOVED = "{} is removed, with its branch: all that was committed in it is here, too."
BRANCH_STAYS = "{} is removed. Its branch {} stays, as it has commits that are not here: git merge {}"


class UseWorktree(Arguments):
    """Start a session in a git worktree and on a branch of its own: `/worktree fix-parser`.

    `/worktree new` finds a name. Without words this lists the worktrees that agls made here;
    `/worktree remove=NAME` removes one in which everything is committed.
    """

    name: str = Field(default="", description="of the new worktree, or of one that is there")
    remove: str = Field(default="", description="a worktree to remove")


@frozen
class WorktreeAction:
    """Does the action of the room."""

    control: SessionControl
    worktrees: Worktrees

    async def use(self, arguments: UseWorktree, context: ActionContext) -> ActionOutcome:
        """Begin a session, list the worktrees, or remove one. **Raises** `ActionError`, `WorkspaceError`."""
        verb, _, rest = arguments.name.strip().partition(" ")
        if gone := arguments.remove or (rest.strip() if verb in {"remove", "rm"} else ""):
            return await self._remove(gone)
        here = str(context.state.options.get(WORKTREE, ""))
        if not verb or arguments.name.strip() == "list":
            return await self._listed(here)
        if here:
            raise ActionError(INSIDE.format(WORKS.format(here)))
        return await self._make(arguments.name.strip())

    async def names(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the names of those that are there."""
        return [ActionValue(_name(one), _state(one)) for one in await self._all()]

    async def _make(self, name: str) -> ActionOutcome:
        if name == NEW:
            name = await self._free()
        if not NAME.fullmatch(name):
            raise ActionError(BAD_NAME.format(name[:100]))
        try:
            made = await self.worktrees.make(name, held=False)
        except WorkspaceError as problem:
            raise ActionError(NOT_MADE.format(problem)) from None
        session_id = await self.control.apart(made.folder, f"Worktree {name}")
        said = MADE if made.branch else MADE_BY_HOOK
        text = said.format(session_id, made.folder, made.branch, name)
        data = {"sessionId": session_id, OPEN: session_id, "path": made.path, "branch": made.branch}
        return ActionOutcome(text, data)

    async def _free(self) -> str:
        taken = {_name(one) for one in await self._all()}
        return next(name for number in range(1, len(taken) + 2) if (name := f"work-{number}") not in taken)

    async def _listed(self, here: str) -> ActionOutcome:
        known = await self._all()
        rows = [f"- {_name(one)}: {one.path}, branch {one.branch}, {_state(one)}" for one in known]
        lines = [*([WORKS.format(here), ""] if here else ()), *(rows or [NONE])]
        data = [
            {"name": _name(one), "path": one.path, "branch": one.branch, "changed": list(one.changed)}
            for one in known
        ]
        return ActionOutcome("\n".join(lines), {"worktrees": data})

    async def _remove(self, name: str) -> ActionOutcome:
        try:
            branch = await self.worktrees.remove(name)
        except WorkspaceError as problem:
            raise ActionError(KEPT.format(problem)) from None
        said = BRANCH_STAYS.format(name, branch, branch) if branch else REMOVED.format(name)
        return ActionOutcome(said, {"removed": name, "branch": branch})

    async def _all(self) -> Sequence[KeptWorktree]:
        return await self.worktrees.all()


def _name(tree: KeptWorktree) -> str:
    return PurePath(tree.path).name


def _state(tree: KeptWorktree) -> str:
    return f"{number_of(len(tree.changed), 'file')} not committed" if tree.changed else "all is committed"
