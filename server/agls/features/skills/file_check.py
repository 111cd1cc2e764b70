"""What the doctor finds in the files of skills."""

from collections.abc import Iterator, Sequence

from agls.features.skills.found import FoundSkills
from agls.features.skills.settings import Settings
from agls.features.skills.skill_file import SkillFile
from agls.instruction_files.folder_texts import FolderTexts
from agls.prompt_files.shown_place import shown_in
from agls.room.findings import Finding, told_once

TOPIC = "skills"
FIX = "Correct the file. `/skills` shows all of them."
IN_PART = "All else in it works. `/skills` shows all of them."


def check_files(settings: Settings, texts: FolderTexts) -> Sequence[Finding]:
    """Return each file that cannot be used, or not as it was meant; how many there are when all is well."""
    if not settings.enabled:
        return ()
    files = [each for each in FoundSkills(settings, texts).files() if each.folder.origin != "bundled"]
    found = [*_findings(files)]
    if found or not files:
        return found
    return [Finding(TOPIC, "pass", f"All skills can be used ({len(files)}).")]


def _findings(files: Sequence[SkillFile]) -> Iterator[Finding]:
    remarks: list[tuple[str, str]] = []
    for file in files:
        place = shown_in(file.shown, file.folder.plugin)
        if file.problem:
            yield Finding(TOPIC, "warn", f"{place} cannot be used: {file.problem}.", FIX)
        elif file.remarks:
            remarks.append((place, f"{'; '.join(file.remarks)}."))
    yield from (Finding(TOPIC, "warn", text, IN_PART) for text in told_once(remarks))
