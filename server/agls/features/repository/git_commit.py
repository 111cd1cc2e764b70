"""The tool `git_commit`: named files are committed with a message, and nothing else is."""

import os.path
from pathlib import PurePath
from typing import Annotated

from pydantic import Field

from agls.engine.ports import Effect, PathOutside, Preview, Target, ToolContext, WorkspaceError
from agls.engine.vocabulary import JsonObject, ToolOutcome
from agls.features.repository.commits import Committer
from agls.frozen import frozen
from agls.room.folder_ports import CommitPrograms
from agls.room.offers import Consents, Offer
from agls.toolkit import Arguments, TypedTool

NAME = "git_commit"
UNCHANGED = "git sees nothing uncommitted in {}. Name files, not folders, as git status shows them."
HIDDEN = "{} may not be shown, so it is not committed."
OTHER_FOLDER = "{} is in another folder than the session's first one. Its repository is not committed to."
SKIPPED = "[The repository's hooks did not run, as the user did not consent to them: {}.]"
REFUSED = (
    "Nothing was committed: git would run programs that the repository names ({}), and the user did not "
    "consent to that. Go on without the commit, and say at the end that the user may make it."
)
Path = Annotated[str, Field(min_length=1)]


class GitCommit(Arguments):
    """Commit changed files to git with a message. Commands may not write to .git, so commit with this.

    Only the named files are committed, as they are on the disk; what else is changed or staged stays. It
    neither amends nor pushes. Commit only when the user wants it.
    """

    message: str = Field(min_length=1, max_length=5_000)
    paths: list[Path] = Field(
        min_length=1, max_length=500, description="files, deleted ones too, from the root of the workspace"
    )


@frozen
class CommitTool:
    """Does the work of the tool."""

    committer: Committer
    consents: Consents

    def tool(self) -> TypedTool[GitCommit]:
        """Return the tool."""
        effects = frozenset({Effect.READS, Effect.EXECUTES})
        return TypedTool(NAME, GitCommit, self.work, effects, commit_targets, self.describe, load="search")

    async def describe(self, arguments: GitCommit, context: ToolContext) -> Preview:
        """Return the message and what is committed. **Raises** `WorkspaceError`."""
        changed = await self._changed(arguments, context)
        count = f"{len(changed)} file{'s' if len(changed) > 1 else ''}"
        shown = [f"{kind} {path}" for path, kind in changed.items()]
        named = await self.committer.git.programs_of_commit()
        programs = [*map(_short, named.hooks), *([named.doubt] if named.doubt else [])]
        given: JsonObject = {"message": arguments.message, "files": shown}
        given |= {"programs": programs} if programs else {}
        subject: JsonObject = {"type": "tool", "name": NAME, "input": given}
        return Preview(f"Commit {count}: {_subject(arguments)}", subject)

    async def work(self, arguments: GitCommit, context: ToolContext) -> ToolOutcome:
        """Commit, or leave all as it was. **Raises** `WorkspaceError` with what git said."""
        changed = await self._changed(arguments, context)
        programs = await self.committer.git.programs_of_commit()
        hooks = programs.hooks
        may_run = not (hooks or programs.doubt) or await self.consents.settle(_offer(programs, context))
        if programs.doubt and not may_run:
            return ToolOutcome(REFUSED.format(programs.doubt), status="failed")
        async with self.committer.staged(list(changed), hooks=may_run):
            name = await self.committer.commit(arguments.message, list(changed), hooks=may_run)
        skipped = [] if may_run else [SKIPPED.format(", ".join(map(_short, hooks)))]
        files = [f"{kind} {path}" for path, kind in changed.items()]
        return ToolOutcome("\n".join([f"Committed {name}: {_subject(arguments)}", *files, *skipped]))

    async def _changed(self, arguments: GitCommit, context: ToolContext) -> dict[str, str]:
        """Return the files with how each changed. **Raises** `WorkspaceError` unless all may be committed."""
        paths = [_from_root(path, context) for path in arguments.paths]
        if hidden := next((path for path in paths if not self.committer.git.shows(path)), ""):
            raise WorkspaceError(HIDDEN.format(hidden))
        known = await self.committer.uncommitted(paths)
        if unchanged := [path for path in paths if path not in known]:
            raise WorkspaceError(UNCHANGED.format(", ".join(unchanged)))
        return {path: known[path] for path in paths}


def commit_targets(arguments: GitCommit) -> tuple[Target, ...]:
    """Return the commit as a whole, and the files that it reads."""
    return Target(Effect.EXECUTES, ""), *(Target(Effect.READS, path) for path in arguments.paths)


def _from_root(path: str, context: ToolContext) -> str:
    """Return a path as seen from the folder of the session. **Raises** `WorkspaceError`."""
    place, root = context.workspace.place(path), context.workspace.root
    if not place.inside:
        raise PathOutside(f"Only files of the workspace are committed; {place.shown} is outside.")
    named = PurePath(os.path.normpath(os.path.join(root, path)))  # noqa: PTH118 - a link is committed itself
    if not named.is_relative_to(root):
        raise WorkspaceError(OTHER_FOLDER.format(place.shown))
    return str(named.relative_to(root))


def _offer(programs: CommitPrograms, context: ToolContext) -> Offer:
    definition: JsonObject = {"hooks": list(programs.hooks), "settings": programs.doubt}
    files = (*programs.hooks, *programs.settings)
    name = f"programs of git in {PurePath(context.workspace.root).name}"
    origin = "the repository itself"
    return Offer("program", name, origin, definition, files=files, folder=programs.folder)


def _short(hook: str) -> str:
    return PurePath(hook).name


def _subject(arguments: GitCommit) -> str:
    return arguments.message.strip().partition("\n")[0]
