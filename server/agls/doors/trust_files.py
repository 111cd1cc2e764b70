"""Which files of a folder would count if the user trusted it: they are looked for, never opened."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from agls.config.folders import PROJECT_FILE
from agls.instruction_files.names import LOCAL
from agls.order import ROOMS
from agls.workspace.repository import folders_above

_SETTINGS = {".json", ".jsonc", ".toml"}  # files that all count, beside one another


def files_for_agents(here: str) -> Sequence[str]:
    """Return the files and folders that would count if the folder were trusted, as seen from it."""
    root = Path(here)
    places = (*folders_above(here), root)
    found = [file for place in places for room in ROOMS for file in _counting(place, room.project_files)]
    settings = [root / PROJECT_FILE] if (root / PROJECT_FILE).exists() else []
    shown = (file.relative_to(root) if file.is_relative_to(root) else file for file in (*found, *settings))
    return [*dict.fromkeys(map(str, shown))]


def _counting(place: Path, names: Sequence[str]) -> Iterator[Path]:
    """Yield what there is of these.

    Of texts, such as AGENTS.md and CLAUDE.md, the first stands for all; CLAUDE.local.md counts beside it.
    """
    has_text = False
    for file in (place / name for name in names):
        is_text = file.suffix not in _SETTINGS and file.name != LOCAL and file.is_file()
        if file.exists() and not (is_text and has_text):
            yield file
        has_text = has_text or is_text
