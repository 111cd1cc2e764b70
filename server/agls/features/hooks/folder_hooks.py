"""Hooks that a folder offers, and those that the user keeps for another agent: each needs their consent."""

import json
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.features.hooks.hook import Hook
from agls.features.hooks.settings import OF_OTHERS, OURS, PROJECT_FILES, HookSetting, Settings
from agls.frozen import frozen
from agls.instruction_files import FolderReader
from agls.instruction_files.folder_texts import FolderTexts, TextFolders
from agls.json_values import is_list, is_object
from agls.room.offers import Offer

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

MOST = 100  # hooks
MEMBERS = {"command": "command", "args": "args", "url": "url", "headers": "headers", "timeout": "timeout"}
FLAGS = {"async": "background", "once": "once"}
TYPES = ("command", "http")


@frozen
class OfferedHook:
    """A hook with the offer that the user must consent to before it runs."""

    hook: Hook
    offer: Offer


@frozen
class FoundHooks:
    """The hooks of files, and what is wrong with those that cannot be used."""

    offered: Sequence[OfferedHook] = ()
    problems: Sequence[str] = ()


def hook_files(folders: TextFolders, *, other_tools: bool) -> tuple[Sequence[str], Sequence[str]]:
    """**Returns** the files that may have hooks, absolute: of the project, and of the user."""
    names = PROJECT_FILES if other_tools else OURS
    own = OF_OTHERS if folders.home and other_tools else ()
    project = [f"{folder}/{name}" for folder in folders.project for name in names]
    return project, [f"{folders.home}/{name}" for name in own]


def found_hooks(settings: Settings, texts: FolderTexts) -> FoundHooks:
    """**Returns** the hooks that the folder offers, and those of the user for other agents."""
    if settings.only_managed:
        return FoundHooks()
    project, own = hook_files(texts.folders, other_tools=settings.other_tools)
    key = ("hooks", settings.other_tools)
    found = texts.get(key, [texts.folders.home], lambda reader: find_hooks((*project, *own), reader))
    return joined(found, map(hooks_of_plugin, texts.folders.plugins))


def joined(found: FoundHooks, others: Iterable[FoundHooks]) -> FoundHooks:
    """**Returns** all of these hooks."""
    of_plugins = [*others]
    if not of_plugins:
        return found
    return FoundHooks(
        [*found.offered, *(one for each in of_plugins for one in each.offered)],
        [*found.problems, *(one for each in of_plugins for one in each.problems)],
    )


@lru_cache(maxsize=64)  # every run asks
def hooks_of_plugin(plugin: "PluginContent") -> FoundHooks:
    """**Returns** the hooks of a plugin, to which its user consented with the plugin."""
    from agls.plugin_files import Substituted, filled  # noqa: PLC0415 - few users have plugins

    offered: list[OfferedHook] = []
    problems: list[str] = []
    for place, groups in plugin.hooks:
        shown = f"the plugin {plugin.name} ({place})"
        for number, (event, entry) in enumerate(_entries(groups), 1):
            made = filled(entry, plugin) if "args" in entry or "url" in entry else Substituted(entry)
            try:
                if made.problem:
                    raise ValueError(made.problem)
                one = _offered(event, made.value, number, shown)
            except ValueError as problem:
                problems.append(f"{shown}: hook {number} ({event}): {problem}")
                continue
            hook = replace(one.hook, environment=plugin.environment)
            offered.append(OfferedHook(hook, replace(one.offer, plugin=plugin.root)))
    return FoundHooks(offered[:MOST], problems)


def find_hooks(files: Sequence[str], reader: FolderReader) -> FoundHooks:
    """**Returns** the hooks in these files."""
    offered: list[OfferedHook] = []
    problems: list[str] = []
    for path in files:
        shown = reader.shown(path)
        try:
            read = reader.text(path)
            entries = _entries(json.loads(read[2]).get("hooks", {})) if read else ()
            for number, (event, entry) in enumerate(entries, 1):
                try:
                    offered.append(_offered(event, entry, number, shown))
                except ValueError as problem:
                    problems.append(f"{shown}: hook {number} ({event}): {problem}")
        except (WorkspaceError, ValueError, AttributeError) as problem:
            problems.append(f"{shown}: {problem}")
    return FoundHooks(offered[:MOST], problems)


def _entries(hooks: object) -> Iterator[tuple[str, JsonObject]]:
    """Yield each handler with its event; of a group, `{matcher, hooks}`, each has the matcher."""
    if not is_object(hooks):
        raise ValueError("its hooks are no JSON object")
    for event, groups in hooks.items():
        for group in groups if is_list(groups) else ():
            if not is_object(group):
                continue
            inner = group.get("hooks")
            matcher = {"matcher": group.get("matcher", "")}
            for handler in inner if is_list(inner) else [group]:
                if is_object(handler):
                    yield event, {**matcher, **handler}


def _offered(event: str, entry: JsonObject, number: int, shown: str) -> OfferedHook:
    """Return the hook of an entry. **Raises** `ValueError`."""
    if (kind := entry.get("type", "command")) not in TYPES:
        raise ValueError(f"hooks of the type {kind!r} are not known here, only {' and '.join(TYPES)}")
    said: dict[str, Any] = {"event": event, "matcher": entry["matcher"]}
    said |= {ours: entry[theirs] for theirs, ours in (MEMBERS | FLAGS).items() if theirs in entry}
    try:
        setting = HookSetting.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place}: {first['msg']}".lstrip(": ")) from None
    definition: JsonObject = {"file": shown, **setting.model_dump(mode="json", exclude_defaults=True)}
    line = shlex.join([setting.command, *setting.args]) if setting.args else setting.command
    offer = Offer("hook", f"{event} {number} of {shown}", shown, definition, commands=(line,))
    return OfferedHook(Hook(setting, shown), offer)
