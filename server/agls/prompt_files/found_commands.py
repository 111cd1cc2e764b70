"""The command files of a session: one look at the folders, for everybody who asks."""

from collections.abc import Sequence
from functools import lru_cache

from agls.instruction_files.folder_texts import FolderTexts, TextFolders
from agls.prompt_files.command_file import CommandFile, find_files
from agls.prompt_files.command_places import CommandFolder, command_folders


def found_commands(texts: FolderTexts, *, other_tools: bool) -> Sequence[CommandFile]:
    """Return all commands of the user and of the project, broken ones too."""
    folders, own = _places(texts.folders, other_tools=other_tools)
    return texts.get(("commands", other_tools), own, lambda reader: find_files(folders, reader), once=True)


@lru_cache(maxsize=8)  # every run asks, and the folders stay the same
def _places(folders: TextFolders, *, other_tools: bool) -> tuple[Sequence[CommandFolder], Sequence[str]]:
    found = command_folders(folders, other_tools=other_tools)
    return found, [each.path for each in found if each.origin != "project"]
