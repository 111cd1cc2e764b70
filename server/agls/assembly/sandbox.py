"""The sandbox for the commands of one run."""

import asyncio
from collections.abc import Mapping, Sequence
from contextlib import suppress
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING

from agls.assembly.services import RunServices
from agls.engine.ports import WorkspaceError
from agls.room.exposed import SandboxUse
from agls.room.sandbox_ports import Confined
from agls.workspace.workspace import OpenWorkspace

if TYPE_CHECKING:
    from agls.workspace.sandbox.backend import SandboxState
    from agls.workspace.sandbox.entrances import Entrance

INSIDE = "It would run in the sandbox."
DANGER = "it can change files that other programs run or obey."
OUTSIDE = f"It would run outside of the sandbox: {DANGER}"
NONE = f"There is no sandbox here: {DANGER}"
OFF = "the sandbox is switched off"
UNCONFINED = "Programs of the folder are started in the sandbox only, and there is none: {}."
NOT_SOUGHT = "The sandbox was not looked for before it was entered."
BUBBLEWRAP = "bwrap"


class RunSandbox:
    """Implements `CommandSandbox` for a run."""

    def __init__(self, run: RunServices) -> None:
        self._run = run
        self._found: SandboxState | None = None
        self._workspace: OpenWorkspace = run.workspace

    async def missing(self) -> str:
        """Return why there is no sandbox, "" when there is one."""
        self._found = await self._run.process.sandboxes.get().find(self._workspace.which(BUBBLEWRAP))
        return "" if self._found.backends else self._found.missing

    async def lacking(self) -> str:
        """Return why the sandbox is a narrower one, "" when it is the best."""
        return "" if await self.missing() or self._found is None else self._found.missing

    def after_crash(self) -> Sequence[str]:
        """Return, once, what was found of commands of processes that died."""
        return self._run.process.sandboxes.get().after_crash()

    async def unavailable(self) -> str:
        """Return why no command can run in it."""
        return OFF if self._use == "off" else await self.missing()

    async def remark(self, *, confined: bool = False) -> str:
        """Return what a question about a command says: somebody who is asked should know what it may do."""
        if self._use == "off":
            return ""
        if await self.missing():
            return NONE
        return INSIDE if confined or self._use == "always" else OUTSIDE

    def enter(self, writable: Sequence[str]) -> Confined:
        """Return the workspace with commands that run in the sandbox."""
        from agls.assembly.confined import confined  # noqa: PLC0415 - a session begins without it

        if self._found is None:
            raise WorkspaceError(NOT_SOUGHT)
        return confined(self._run, self._found.backends[0], self._roots(writable))

    async def enter_read_only(self) -> "Entrance | None":
        """Open the way for a program of the folder that agls starts by itself: it can change nothing.

        **Returns** `None` when the sandbox is switched off. **Raises** `WorkspaceError` when there is none.
        """
        from agls.assembly.confined import read_only  # noqa: PLC0415 - a session begins without it

        if self._use == "off":
            return None
        missing = await self.missing()
        if self._found is None or missing:
            raise WorkspaceError(UNCONFINED.format(missing))
        return await asyncio.to_thread(read_only, self._run, self._found.backends[0], self._roots(()))

    async def accept(self, writable: Sequence[str]) -> None:
        """Take the files that other programs obey for wanted as they are now."""
        sandboxes = self._run.process.sandboxes.get()
        if not sandboxes.are_idle:
            await asyncio.to_thread(lambda: sandboxes.baseline(self._roots(writable)).accept())

    async def obeyed(self, command: str, folder: str) -> Mapping[str, str]:
        """Return the digests of what a command names, runs or obeys there, and where the folder leads."""
        return await asyncio.to_thread(self._obeyed, command, Path(self._workspace.root, folder))

    def _obeyed(self, command: str, folder: Path) -> Mapping[str, str]:
        from agls.assembly.offered_files import OfferedFiles, TooMuch  # noqa: PLC0415 - few commands need it
        from agls.room.obeyed import obeyed_by  # noqa: PLC0415 - with them

        found = OfferedFiles(self._workspace, folder)
        with suppress(TooMuch):
            found.take(obeyed_by(command), folder)
        return {".": realpath(folder)} | {name: file.content.digest for name, file in found.files.items()}

    @property
    def _use(self) -> str:
        return self._run.config.exposed(SandboxUse).use

    def _roots(self, writable: Sequence[str]) -> tuple[str, ...]:
        folders = (*self._workspace.roots, *(folder for folder in writable if Path(folder).is_dir()))
        return tuple(dict.fromkeys(map(realpath, folders)))
