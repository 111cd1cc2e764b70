"""The check of the names of models in the settings: a tier or an agent may name one that there is not."""

import difflib
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import cast

from agls.checkup.case import Case
from agls.config import ConfigError, Setup, offered_models
from agls.config.agent_files import agents_in
from agls.config.choice import is_local_name
from agls.config.endpoints import ModelCatalog
from agls.config.load import Loaded
from agls.config.tables import KeyPath, leaves, prefixes
from agls.engine.ports import ModelError
from agls.json_values import is_object
from agls.models.resolver import TIERS, Models
from agls.room.findings import Finding

TOPIC = "model names"
NO_MODEL = "{place} names {name!r}, and there is no model or tier of that name."
NO_TIER = "{place} is a tier that nothing asks for."
OF_CALLER = "{place}: there is no model or tier {name!r}, so it works with the model of its caller."
ALL_OF_CALLER = "These agents name models that are not here, so they work with that of their caller: {}."
MOST_NAMED = 20
MEANT = "Did you mean {}?"
KNOWN = "Write one of {}, or configure it: docs/models.md."
LIKENESS = 0.6  # from 0 to 1


async def model_names(case: Case) -> AsyncGenerator[Finding, None]:
    """Check that each model or tier that the settings name exists. No server is asked."""
    if not isinstance(case.setup, Setup):
        return
    try:
        loaded = case.setup.load(case.folder)
        offered = offered_models(case.setup, loaded, complete=False)
    except ConfigError:  # the check of the configuration says so
        return
    if not offered.endpoints:  # names are those of servers of this machine, which may not run now
        return
    models = Models(offered.endpoints, aliases=offered.aliases, default=offered.default)
    known = tuple(dict.fromkeys((*TIERS, *models.names)))
    asked = [(path, name) for path, name in _asked(loaded) if path in loaded.said or path[0] == "agents"]
    for path, name in asked:
        if name and not _exists(name, models, offered):
            text = NO_MODEL.format(place=_place(loaded, path), name=name)
            yield Finding(TOPIC, "warn", text, _fix(name, known))
    for tier in _unused(loaded.config.tiers, [name for _, name in asked]):
        yield Finding(TOPIC, "warn", NO_TIER.format(place=_place(loaded, ("tiers", tier))), _fix(tier, TIERS))
    for finding in _of_agents([*_of_files(case.setup, case.folder)], known):
        yield finding


def _of_agents(agents: Sequence[tuple[str, str]], known: Sequence[str]) -> Iterator[Finding]:
    """Yield what is to be said of the models of agents: many files were written for other products."""
    others: list[str] = []
    for path, name in agents:
        if name not in known and _near(name, known):
            yield Finding(TOPIC, "warn", OF_CALLER.format(place=path, name=name), _fix(name, known))
        elif name not in known:
            others.append(f"{PurePath(path).name} ({name})")
    if others:
        more = " …" if others[MOST_NAMED:] else ""
        yield Finding(TOPIC, "pass", ALL_OF_CALLER.format(", ".join(others[:MOST_NAMED]) + more))


def _asked(loaded: Loaded) -> Iterator[tuple[KeyPath, str]]:
    """Yield the names of models, with the paths of the settings that name them."""
    for path, value in leaves(loaded.config.model_dump(mode="python")):
        if isinstance(value, list | tuple):  # the phases of an agent
            tables = [each for each in cast("Sequence[object]", value) if is_object(each)]
            yield from ((path, str(each["tier"])) for each in tables if each.get("tier"))
        elif path[0] == "tiers" or path[-1] in {"tier", "fallback"} or (path[1:] == ("model",)):
            yield path, str(value or "")


def _exists(name: str, models: Models, offered: ModelCatalog) -> bool:
    if is_local_name(name, offered):  # its server may not run now
        return True
    try:
        models.endpoint(name)
    except ModelError:
        return False
    return True


def _unused(tiers: Mapping[str, str], asked: Sequence[str]) -> Iterator[str]:
    """Yield the tiers that nothing names and that look like a usual one."""
    return (tier for tier in tiers if tier not in {*TIERS, *asked} and _near(tier, TIERS))


def _of_files(setup: Setup, folder: str) -> Iterator[tuple[str, str]]:
    """Yield the files of agents that count, with the models that they name."""
    found = agents_in(setup.agent_folders(folder), setup.said_in(folder))
    return ((each.path, each.file.model) for each in found if each.counts and each.file.model)


def _place(loaded: Loaded, path: KeyPath) -> str:
    """**Returns** a setting, and where it is written."""
    source = next((loaded.said[around] for around in prefixes(path) if around in loaded.said), None)
    key = ".".join(path)
    return f"{key} ({source.where(path)})" if source else key


def _near(name: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(name.casefold(), known, n=1, cutoff=LIKENESS)
    return near[0] if near else ""


def _fix(name: str, known: Sequence[str]) -> str:
    near = _near(name, known)
    return MEANT.format(near) if near else KNOWN.format(", ".join(known))
