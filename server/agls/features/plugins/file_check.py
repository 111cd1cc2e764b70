"""What the doctor finds in the manifests of plugins."""

from collections.abc import Sequence

from agls.features.plugins.manifest import manifests
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import NoSettings
from agls.room.findings import Finding

TOPIC = "plugins"
FIX = "Correct the file; docs/plugins.md has the keys."


def check_files(settings: NoSettings, texts: FolderTexts) -> Sequence[Finding]:
    """Return what cannot be used of each manifest; how many there are when all can be."""
    found = manifests(texts)
    wrong = [
        Finding(TOPIC, "warn", f"{e.shown} cannot be used: {e.problem}", FIX) for e in found if e.problem
    ]
    wrong += [Finding(TOPIC, "warn", f"{each.shown}: {r}", FIX) for each in found for r in each.remarks]
    if wrong or not found:
        return wrong
    return [Finding(TOPIC, "pass", f"All manifests of plugins can be used ({len(found)}).")]
