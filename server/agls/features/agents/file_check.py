"""What the doctor finds in the files of agents."""

from collections.abc import Iterator, Sequence

from agls.instruction_files.folder_texts import FolderTexts
from agls.prompt_files.agent_file import SWITCHED_OFF
from agls.prompt_files.agent_places import agent_folders, plugin_folders
from agls.prompt_files.found_agents import FoundAgent, find_agents
from agls.prompt_files.shown_place import shown_in
from agls.room import NoSettings
from agls.room.findings import Finding, told_once

TOPIC = "agents"
FIX = "Correct the file. `/agent.list` shows all of them."
IN_PART = "All else in it works. `/agent.list` shows all of them."


def check_files(settings: NoSettings, texts: FolderTexts) -> Sequence[Finding]:
    """Return each file that cannot be used, or not as it was meant; how many there are when all is well."""
    places = texts.folders
    usual = agent_folders(places.project, places.config, places.home)
    folders = (*usual, *plugin_folders(places.plugins))
    found = [each for each in find_agents(folders) if each.folder.origin != "built in"]
    wrong = [*_findings(found)]
    if wrong or not found:
        return wrong
    return [Finding(TOPIC, "pass", f"All files of agents can be used ({len(found)}).")]


def _findings(found: Sequence[FoundAgent]) -> Iterator[Finding]:
    remarks: list[tuple[str, str]] = []
    for each in found:
        place = shown_in(each.path, each.folder.plugin)
        if each.file.problem == SWITCHED_OFF:
            continue  # as its author wants it
        if each.file.problem:
            yield Finding(TOPIC, "warn", f"{place} cannot be used: {each.file.problem}.", FIX)
        elif each.file.remarks:
            remarks.append((place, f"{'; '.join(each.file.remarks)}."))
    yield from (Finding(TOPIC, "warn", text, IN_PART) for text in told_once(remarks))
