"""The agents that files describe, as a source of settings of the lowest rank."""

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agls.config.folders import AGENTS
from agls.config.recall import REMEMBERED, recalled
from agls.config.sources import Rank, Source
from agls.engine.vocabulary import JsonObject
from agls.json_values import object_in
from agls.prompt_files.agent_file import as_settings
from agls.prompt_files.agent_places import AgentFolder, agent_folders, plugin_folders
from agls.prompt_files.found_agents import FoundAgent, find_agents, stamps_of
from agls.workspace.path_stamps import PathStamps
from agls.workspace.repository import folders_above, look_above

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

_known: deque[tuple[object, Source]] = deque(maxlen=REMEMBERED)
_named: deque[tuple[object, tuple[Sequence[str], Collection[str]]]] = deque(maxlen=REMEMBERED)
OF_CALLER = "there is no model {!r} here, so it works with the model of its caller"
USUAL_TIERS = ("fast", "default", "strong")  # without one of them that of the caller is meant
MODELS = ("tiers", "models")  # tables whose keys an agent may name


def folders_for(
    folder: str, config_file: Path, home: str, looked_at: PathStamps, *, trusted: bool
) -> tuple[AgentFolder, ...]:
    """**Returns** the folders of agents that count in a folder."""
    project = _project(folder, looked_at) if trusted else ()
    return _folders(tuple(project), str(config_file.parent), home)


@lru_cache(maxsize=16)  # every run asks
def with_plugins(
    folders: tuple[AgentFolder, ...], plugins: tuple["PluginContent", ...]
) -> tuple[AgentFolder, ...]:
    """**Returns** the folders with those of plugins, which come before those of agls."""
    return (*folders[:-1], *plugin_folders(plugins), *folders[-1:]) if plugins else folders


@lru_cache(maxsize=16)  # every run asks
def _folders(project: tuple[str, ...], config: str, home: str) -> tuple[AgentFolder, ...]:
    return tuple(agent_folders(project, config, home))


def _project(folder: str, looked_at: PathStamps) -> Sequence[str]:
    look_above(folder, looked_at)
    return (folder, *(str(each) for each in reversed(folders_above(folder))))


def agents_in(folders: Sequence[AgentFolder], sources: Iterable[Source]) -> Sequence[FoundAgent]:
    """**Returns** the agents of files; what the configuration itself says of one counts alone."""
    return find_agents(folders, _keys(sources, AGENTS))


def with_models_told(found: Sequence[FoundAgent], sources: Sequence[Source]) -> Sequence[FoundAgent]:
    """**Returns** agents of files with a remark on each model that there is not."""
    models = {*USUAL_TIERS, "", *recalled(_named, tuple(sources), partial(_names_in, tuple(sources)))[1]}
    return [each if each.file.model in models else _with_remark(each) for each in found]


def _with_remark(found: FoundAgent) -> FoundAgent:
    remark = OF_CALLER.format(found.file.model)
    return replace(found, file=replace(found.file, remarks=(*found.file.remarks, remark)))


def agent_source(folders: Sequence[AgentFolder], sources: Sequence[Source], looked_at: PathStamps) -> Source:
    """**Returns** the agents of files as settings; the same object while nothing changed."""
    said = tuple(sources)
    agents, models = recalled(_named, said, partial(_names_in, said))
    asked = (folders, agents, models, _stamps_in(folders, looked_at))
    return recalled(_known, asked, partial(_source, folders, sources, models))


def _stamps_in(folders: Sequence[AgentFolder], looked_at: PathStamps) -> Mapping[str, object]:
    for folder in folders:
        looked_at.exists(folder.path)
    stamps = stamps_of(folders)
    for path in stamps:
        looked_at.add(path)
    return stamps


def _names_in(sources: Sequence[Source]) -> tuple[Sequence[str], Collection[str]]:
    """**Returns** the names of the agents and those of the models that the configuration itself has."""
    models = frozenset(name for table in MODELS for name in _keys(sources, table))
    return _keys(sources, AGENTS), models


def _source(folders: Sequence[AgentFolder], sources: Sequence[Source], models: Collection[str]) -> Source:
    found = [each for each in agents_in(folders, sources) if each.counts]
    there = {*_keys(sources, AGENTS), *(each.file.name for each in found)}
    agents: JsonObject = {each.file.name: _table(each, models, there) for each in found}
    names = {(AGENTS, each.file.name): each.path for each in found}
    return Source(Rank.DEFAULT, {AGENTS: agents}, names=names)


def _keys(sources: Iterable[Source], table: str) -> list[str]:
    return [name for source in sources for name in object_in(source.values, table)]


def _table(found: FoundAgent, models: Collection[str], there: Collection[str]) -> dict[str, Any]:
    """Return an agent without a model and agents that there are not: then its parent's model works."""
    table = as_settings(found.file)
    if table.get("tier") not in models:
        table.pop("tier", None)
    table["agents"] = [name for name in table.get("agents", ()) if name in there and name != found.file.name]
    return table | ({"has_tool": False} if found.folder.origin == "built in" else {})
