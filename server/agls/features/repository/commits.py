"""Commits: named files are staged and committed, or everything is as it was."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.room.folder_ports import GitCommands

SIGNS_OFF = ("config", "--get", "--type=bool", "--default=false", "format.signOff")


@frozen
class Committer:
    """Commits by git, in the name of the user's own configuration."""

    git: GitCommands

    @asynccontextmanager
    async def staged(self, paths: Sequence[str], *, hooks: bool = True) -> AsyncGenerator[None]:
        """Stage these files; when the block fails, what is staged is as it was before.

        Without `hooks`, none of the repository's runs, as staging has one too (post-index-change).
        """
        if not paths:
            yield
            return
        async with self.git.kept_index():
            await self.git.write("add", "--all", "--", *paths, hooks=hooks)
            yield

    async def commit(self, message: str, paths: Sequence[str] = (), *, hooks: bool = True) -> str:
        """Commit what is staged, or these files alone. **Returns** the short name of the commit."""
        signs_off = (await self.git.read(*SIGNS_OFF)).strip() == "true"
        options = ["--quiet", "--file", "-", *(["--signoff"] if signs_off else [])]
        only = ["--only", "--", *paths] if paths else []
        await self.git.write("commit", *options, *only, stdin=message, hooks=hooks)
        return (await self.git.read("log", "-1", "--format=%h")).strip()

    async def uncommitted(self, paths: Sequence[str]) -> dict[str, str]:
        """Return what is not committed of these files: how each changed (`M`, `A`, `D`), by its path."""
        if not paths:
            return {}
        status = await self.git.read(
            "status", "--porcelain", "--no-renames", "--untracked-files=all", "--", *paths
        )
        prefix = (await self.git.read("rev-parse", "--show-prefix")).strip()
        rows = (line for line in status.splitlines() if len(line) > 3)
        return {line[3:].removeprefix(prefix): _kind(line[:2]) for line in rows}


def _kind(status: str) -> str:
    """Return the letter that people know for the two of a short status."""
    if "U" in status or status in {"AA", "DD"}:
        raise WorkspaceError("There are conflicts, or a merge is going on: this is the user's to finish.")
    return "A" if status == "??" else status.strip()[-1]
