"""Skills in folders below the one that is worked in: they are found when a file there is worked on."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from agls.engine.state import State
from agls.features.skills.places import OURS, PROJECT_FILES, SkillFolder
from agls.features.skills.settings import Settings
from agls.features.skills.skill_file import SkillFile, find_skills
from agls.instruction_files.folder_texts import FolderTexts
from agls.json_values import list_in
from agls.room.opened_folders import REACHED, ROOM

MOST = 100  # folders of a session
NOT_OURS = frozenset({".git", ".tox", ".venv", "node_modules", "site-packages", "vendor", "venv"})


class NestedSkills:
    """Those that a session found: `folders` have them, below the project's."""

    def __init__(self, settings: Settings, texts: FolderTexts) -> None:
        self._texts = texts
        self._places = PROJECT_FILES if settings.other_tools else (OURS,)
        self._looked = set[str]()
        self._found: dict[str, Sequence[SkillFile]] = {}

    def recall(self, state: State) -> None:
        """Find what the session found before."""
        for note in state.notes.get(ROOM, ()):
            if note.kind == REACHED:
                self.reach([f"{folder}/_" for folder in list_in(note.data.get("folders"))])

    def reach(self, paths: Sequence[str]) -> Sequence[str]:
        """Look in the folders of these files, which are absolute. **Returns** those with skills, if new."""
        return self._look([folder for path in paths for folder in self._above(path)])

    def files(self, taken: Collection[str]) -> Sequence[SkillFile]:
        """Return the skills; one whose name is `taken` has that of its folder before it."""
        names, files = set(taken), list[SkillFile]()
        for folder, found in self._found.items():
            for file in found:
                name = f"{self._below(folder)}:{file.name}" if file.name in names else file.name
                if file.name and name not in names:
                    names.add(name)
                    files.append(replace(file, name=name))
        return files

    def near(self, file: SkillFile, paths: Sequence[str]) -> bool:
        """Return whether one of these files is in the folder that a skill was found in."""
        homes = [
            folder for folder, found in self._found.items() if any(one.path == file.path for one in found)
        ]
        return any(path.startswith(f"{home}/") for home in homes for path in paths)

    def _look(self, folders: Sequence[str]) -> Sequence[str]:
        new = [folder for folder in dict.fromkeys(folders) if folder not in self._looked]
        self._looked.update(new)
        reached: list[str] = []
        for folder in new:
            if len(self._found) < MOST and (found := self._in(folder)):
                self._found[folder] = found
                reached.append(folder)
        return reached

    def _in(self, folder: str) -> Sequence[SkillFile]:
        places = [SkillFolder(f"{folder}/{place}", "project", ours=place == OURS) for place in self._places]
        key = (ROOM, "nested", folder, self._places)
        return self._texts.get(key, (), lambda reader: find_skills(places, reader), once=True)

    def _above(self, path: str) -> Iterator[str]:
        """Yield the folders above a file that are below the project's, the nearest first."""
        root = self._root(path)
        parts = PurePosixPath(path.removeprefix(f"{root}/")).parts[:-1] if root else ()
        if not NOT_OURS.intersection(parts):
            yield from (f"{root}/{'/'.join(parts[:length])}" for length in range(len(parts), 0, -1))

    def _below(self, folder: str) -> str:
        return "-".join(folder.removeprefix(f"{self._root(folder)}/").split())

    def _root(self, path: str) -> str:
        return next((root for root in self._texts.folders.project if path.startswith(f"{root}/")), "")
