"""The commands that agls brings as files, as other products have them; anybody's own file of a name wins."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from agls.prompt_files.command_file import CommandFile, one_line
from agls.prompt_files.command_places import OURS, CommandFolder

SHOWN = "agls itself"
READ_ONLY_NAMES = frozenset({"explain"})
_FOLDER = Path(__file__).with_name("shipped")


@cache
def shipped_commands() -> Sequence[CommandFile]:
    """Return the commands that agls ships, sorted by name."""
    folder = CommandFolder(str(_FOLDER), "agls", OURS)
    return [_read(path, folder) for path in sorted(_FOLDER.glob("*.md"))]


def is_shipped(file: CommandFile) -> bool:
    """Return whether agls brings this command itself."""
    return file.folder.origin == "agls"


def _read(path: Path, folder: CommandFolder) -> CommandFile:
    _, head, body = path.read_text("utf-8").split("---\n", 2)
    # A session lists them when it begins: they need no reader of YAML.
    lines = (line.split(": ", 1) for line in head.splitlines())
    values = {key: value.strip('"') for key, value in lines}
    return CommandFile(
        name=path.stem,
        folder=folder,
        shown=SHOWN,
        text=body.strip(),
        description=one_line(values.get("description")),
        hint=one_line(values.get("argument-hint")),
    )
