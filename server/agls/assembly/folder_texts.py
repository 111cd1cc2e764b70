"""Where texts for agents are looked for: the port `FolderTexts`, and the names that commands have already."""

from collections.abc import Callable, Sequence
from functools import cached_property, partial
from typing import Any

from agls.assembly.instruction_folders import WorkspaceGlance, folders_of
from agls.assembly.services import RunServices
from agls.engine.feature import Feature
from agls.instruction_files import FolderReader, Folders, TextLook
from agls.instruction_files.folder_texts import Found, TextFolders
from agls.room.session_ports import TakenNames


class SessionTexts:
    """Implements `FolderTexts` for the session of a run."""

    def __init__(self, run: RunServices) -> None:
        self._surveys, self._glance = run.process.surveys, WorkspaceGlance(run.folder)
        self._counting = partial(folders_of, run)
        self._config = str(run.setup.config_file.parent)
        self._home = run.setup.environment.get("HOME", "")
        self._plugins = run.setup.plugins.active()
        self._seen: dict[object, Any] = {}  # what was looked at for this run

    @cached_property
    def _folders(self) -> Folders:
        return self._counting()

    @property
    def folders(self) -> TextFolders:
        """The folders that count."""
        known = self._folders
        nearest = (*known.roots, *reversed(known.above))
        return TextFolders(nearest, self._config, self._home, known.untrusted, self._plugins)

    def get(
        self, key: object, own: Sequence[str], make: Callable[[FolderReader], Found], *, once: bool = False
    ) -> Found:
        """**Returns** what there is; it costs nearly nothing while nothing changed."""
        if once and key in self._seen:
            return self._seen[key]

        def look() -> tuple[Found, TextLook]:
            reader = self._glance.look(self._folders, own)
            return make(reader), reader

        found = self._surveys.get((key, self._folders, tuple(own), self._plugins), look)
        if once:
            self._seen[key] = found
        return found

    def fits(self, glob: str, path: str) -> bool:
        """**Returns** whether a glob of a text fits a path below its folder."""
        return self._glance.matches(glob, path)


def taken_names(run: RunServices) -> TakenNames:
    """**Returns** the names of the actions that were built before."""
    return TakenNames(partial(_names, tuple(run.built)))


def _names(features: Sequence[Feature]) -> frozenset[str]:
    specs = [action.spec for feature in features for action in feature.actions]
    return frozenset(name for spec in specs for name in (spec.name, *spec.aliases))
