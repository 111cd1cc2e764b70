"""What the doctor finds in the policy files of a folder."""

from collections.abc import Sequence

from agls.features.policy.manifests import folder_manifests
from agls.features.policy.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.findings import Finding

TOPIC = "policy"
FIX = "Correct the file; docs/policy.md has the keys."


def check_files(settings: Settings, texts: FolderTexts) -> Sequence[Finding]:
    """Return what cannot be followed of each file; how many there are when all can be."""
    found = folder_manifests(texts) if settings.enabled else ()
    wrong = [
        Finding(TOPIC, "fail" if each.unclear else "warn", problem, FIX)
        for each in found
        for problem in each.problems
    ]
    if wrong or not found:
        return wrong
    return [Finding(TOPIC, "pass", f"All policy files can be followed ({len(found)}).")]
