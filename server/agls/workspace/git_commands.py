"""Git in the folder of a workspace, for what its user asked for; only where the folder is trusted."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import Command, Finished
from agls.workspace.git_index import put_back, read_index
from agls.workspace.git_state import SAFE
from agls.workspace.uncommitted import QUIET, FolderWithGit

if TYPE_CHECKING:
    from agls.workspace.git_programs import RepositoryPrograms

READING, WRITING = 20.0, 300.0  # seconds; a commit may run the user's own checks
MOST_BYTES = 400_000
MOST_SAID = 4_000  # characters of a failure
UNTRUSTED = "This folder is not trusted, so git is not run here. To trust it: agls trust"
WITHOUT_HOOKS = ("-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "maintenance.auto=false")
QUIETLY = {"GIT_NO_LAZY_FETCH": "1", "GIT_TERMINAL_PROMPT": "0", "GIT_EDITOR": "true"}


class RootedFolder(FolderWithGit, Protocol):
    """A folder with git whose place is known."""

    @property
    def root(self) -> str: ...


class FolderGit:
    """Asks git in one folder. All methods raise `WorkspaceError` with what git said."""

    def __init__(self, folder: RootedFolder, *, trusted: bool) -> None:
        self._folder, self._trusted = folder, trusted

    async def read(self, *arguments: str) -> str:
        """Return what git prints; nothing of the repository is run or changed by it."""
        return await self._ask(("--no-optional-locks", *SAFE), arguments, READING)

    async def write(self, *arguments: str, stdin: str = "", hooks: bool = True) -> str:
        """Return what git prints. It works as it does for the user, with its hooks or without."""
        return await self._ask((*QUIET, *(() if hooks else WITHOUT_HOOKS)), arguments, WRITING, stdin)

    @asynccontextmanager
    async def kept_index(self) -> AsyncGenerator[None]:
        """Keep what is staged, byte for byte: when the block fails it is put back."""
        named = (await self.read("rev-parse", "--git-path", "index")).removesuffix("\n")
        file = Path(self._folder.root, named)
        before = await asyncio.to_thread(read_index, file)
        try:
            yield
        except BaseException:
            await asyncio.shield(asyncio.to_thread(put_back, file, before))
            raise

    async def programs_of_commit(self) -> "RepositoryPrograms":
        """Return what of the repository a commit runs; nothing is run."""
        from agls.workspace.git_programs import programs_of_commit  # noqa: PLC0415 - only commits need it

        return await asyncio.to_thread(programs_of_commit, self._folder.root)

    def shows(self, path: str) -> bool:
        """Return whether a file may be shown."""
        return self._folder.lists(path)

    async def _ask(
        self, first: Sequence[str], arguments: Sequence[str], seconds: float, stdin: str = ""
    ) -> str:
        if not self._trusted:
            raise WorkspaceError(UNTRUSTED)
        argv = ("git", "--literal-pathspecs", *first, *arguments)
        command = Command(argv, timeout=seconds, keep=MOST_BYTES, stdin=stdin, env=QUIETLY)
        done = await self._folder.run(command, _unheard)
        if done.exit_code != 0:
            raise WorkspaceError(_complaint(arguments[0], done, seconds))
        return done.output


def _complaint(what: str, done: Finished, seconds: float) -> str:
    if done.timed_out:
        return f"git {what} took longer than {seconds:.0f} seconds, and was ended."
    return f"git {what} failed: {done.output.strip()[-MOST_SAID:]}"


def _unheard(output: str) -> None:
    """Drop live output: it is read when git has ended."""
