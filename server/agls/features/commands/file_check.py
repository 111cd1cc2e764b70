"""What the doctor finds in command files."""

from collections.abc import Sequence

from agls.features.commands.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.prompt_files.command_file import CommandFile
from agls.prompt_files.found_commands import found_commands
from agls.prompt_files.shown_place import shown_in
from agls.room.findings import Finding

TOPIC = "commands"
FIX = "Correct the file. /command.list shows all of them."


def check_files(settings: Settings, texts: FolderTexts) -> Sequence[Finding]:
    """Return each file that cannot be used, with its reason; how many can be when all can."""
    if not settings.enabled:
        return ()
    files = found_commands(texts, other_tools=settings.other_tools)
    broken = [file for file in files if file.problem]
    if broken:
        return [
            Finding(TOPIC, "warn", f"{_place(file)} cannot be used: {file.problem}.", FIX) for file in broken
        ]
    return [Finding(TOPIC, "pass", f"All command files can be used ({len(files)}).")] if files else ()


def _place(file: CommandFile) -> str:
    return shown_in(file.shown, file.folder.plugin)
