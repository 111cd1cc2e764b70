"""The check of the files that people wrote for rooms, such as commands."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

from agls.checkup.case import Case
from agls.config import ConfigError, Setup
from agls.frozen import frozen
from agls.instruction_files import FolderReader
from agls.instruction_files.folder_texts import Found, TextFolders
from agls.order import ROOMS
from agls.room.findings import Finding
from agls.workspace.folder_texts import glob_fits
from agls.workspace.workspace import OpenWorkspace


@frozen
class CaseTexts:
    """Implements `FolderTexts` for one examination. Nothing of a folder that is not trusted is opened."""

    setup: Setup
    workspace: OpenWorkspace

    @property
    def folders(self) -> TextFolders:
        """The folders that count."""
        return TextFolders(
            (*self._roots, *reversed(self._above)),
            str(Path(self.setup.config_file).parent),
            self.setup.environment.get("HOME", ""),
            plugins=self.setup.plugins.active(),
        )

    def get(
        self, key: object, own: Sequence[str], make: Callable[[FolderReader], Found], *, once: bool = False
    ) -> Found:
        """**Returns** what there is."""
        return make(self.workspace.look(self._roots, self._above, own))

    def fits(self, glob: str, path: str) -> bool:
        """**Returns** whether a glob fits a path below its folder."""
        return glob_fits(glob, path)

    @property
    def _roots(self) -> tuple[str, ...]:
        root = self.workspace.root
        return (root,) if self.setup.trusts_folder(root) else ()

    @property
    def _above(self) -> tuple[str, ...]:
        return tuple(self.workspace.folders_above) if self._roots else ()


async def room_files(case: Case) -> AsyncGenerator[Finding, None]:
    """Check the files of each room."""
    if isinstance(case.setup, ConfigError) or not isinstance(case.workspace, OpenWorkspace):
        return
    try:
        config = case.setup.load(case.folder).config
    except ConfigError:  # the check of the configuration says so
        return
    texts = CaseTexts(case.setup, case.workspace)
    for room in ROOMS:
        for finding in await asyncio.to_thread(room.check_files, config.section(room), texts):
            yield finding
