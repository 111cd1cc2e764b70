"""What the doctor finds in the files of hooks."""

from collections.abc import Sequence

from agls.features.hooks.folder_hooks import found_hooks
from agls.features.hooks.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.findings import Finding

TOPIC = "hooks"
FIX = "Correct the file. /hooks lists all hooks."
OF_PLUGIN = "The rest of the plugin works without it; its author can change it. /hooks lists all hooks."


def check_files(settings: Settings, texts: FolderTexts) -> Sequence[Finding]:
    """Return each file or hook that cannot be used, with its reason; how many can be when all can."""
    found = found_hooks(settings, texts)
    if found.problems:
        return [Finding(TOPIC, "warn", f"{problem}.", _fix(problem)) for problem in found.problems]
    count = len(found.offered)
    if not count:
        return ()
    return [Finding(TOPIC, "pass", f"All hooks of the folder and of other agents can be used ({count}).")]


def _fix(problem: str) -> str:
    return OF_PLUGIN if problem.startswith("the plugin ") else FIX
