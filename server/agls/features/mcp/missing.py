"""What is missing on this machine for the servers in the user's settings."""

import shutil
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePath

from agls.features.mcp.configured import definition_of
from agls.features.mcp.folder_servers import folder_servers
from agls.features.mcp.settings import ServerSetting, Settings
from agls.features.mcp.variables import UnsetVariable, Variables
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.mcp_ports import ServerDefinition

NO_PROGRAM = "there is no program {}: install it, or write its full path"
NO_FOLDER = "there is no folder {}"


def missing_for(
    servers: Mapping[str, ServerSetting], folder: str, environment: Mapping[str, str], variables: Variables
) -> Mapping[str, str]:
    """**Returns** what is missing for each server that is switched on, "" for nothing."""
    return {
        name: _missing(name, setting, folder, environment, variables)
        for name, setting in servers.items()
        if setting.enabled
    }


def unanswered(
    settings: Settings,
    texts: FolderTexts,
    environment: Mapping[str, str],
    given: Callable[[str], Mapping[str, str]],
) -> Mapping[str, Sequence[str]]:
    """**Returns** which inputs each server of a folder's files lacks, and how they are given."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for server in folder_servers(settings, texts).offered:
        for each in server.inputs:
            is_there = environment.get(each.variable) or each.default or given(each.folder).get(each.name)
            if not is_there:
                found[server.name].append(each.problem)
    return found


def _missing(
    name: str, setting: ServerSetting, folder: str, environment: Mapping[str, str], variables: Variables
) -> str:
    try:
        definition = definition_of(name, setting, folder, variables)
    except UnsetVariable as problem:
        return str(problem)
    if not definition.argv:
        return ""
    if not Path(definition.folder).is_dir():
        return NO_FOLDER.format(definition.folder)
    return "" if _has_program(definition, environment) else NO_PROGRAM.format(definition.argv[0])


def _has_program(definition: ServerDefinition, environment: Mapping[str, str]) -> bool:
    program = definition.argv[0]
    path = dict(definition.environment).get("PATH") or environment.get("PATH")
    return bool(
        shutil.which(str(PurePath(definition.folder, program)) if "/" in program else program, path=path)
    )
