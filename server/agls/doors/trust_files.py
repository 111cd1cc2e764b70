"""Which files of a folder would count if the user trusted it: they are looked for, never opened."""

from collections.abc import Sequence
from pathlib import Path

from agls.config.folders import PROJECT_FILE
from agls.order import ROOMS
from agls.workspace.repository import folders_above


def files_for_agents(here: str) -> Sequence[str]:
    """Return the files that would count if the folder were trusted, as seen from it."""
    places = [*folders_above(here), Path(here)]
    found = [
        next((place / name for name in room.project_files if (place / name).exists()), None)
        for place in places
        for room in ROOMS
    ]
    settings = Path(here, PROJECT_FILE)
    return [str(file) if file.parent != Path(here) else file.name for file in found if file] + (
        [str(PROJECT_FILE)] if settings.exists() else []
    )
