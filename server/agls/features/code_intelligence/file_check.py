"""What the doctor finds in the language servers of plugins."""

from collections.abc import Sequence

from agls.features.code_intelligence.brought import brought_by
from agls.features.code_intelligence.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.findings import Finding

FIX = "The rest of the plugin works without it; its author can change it."


def check_files(settings: Settings, texts: FolderTexts) -> Sequence[Finding]:
    """Return each language server of a plugin that cannot be used."""
    problems = brought_by(tuple(texts.folders.plugins)).problems if texts.folders.plugins else ()
    return [Finding("plugins", "warn", f"{problem[:1].upper()}{problem[1:]}.", FIX) for problem in problems]
