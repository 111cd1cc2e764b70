"""Hooks that a folder offers, and those that the user keeps for another agent: each needs their consent."""

import json
import re
import tomllib
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.features.hooks.offered_hook import OfferedHook, hook_entries, offered_hook
from agls.features.hooks.settings import (
    CURSOR,
    EVENTS,
    FOLDER,
    GEMINI,
    OF_CLAUDE,
    OF_OTHERS,
    OURS,
    PROJECT_FILES,
    Settings,
)
from agls.frozen import frozen
from agls.instruction_files import FolderReader
from agls.instruction_files.folder_texts import FolderTexts, TextFolders
from agls.json_values import is_list, is_object, list_in, object_in, text_in, value_in, with_comments

if TYPE_CHECKING:
    from agls.features.hooks.entry_places import Span
    from agls.features.hooks.foreign import Maker
    from agls.plugin_files import PluginContent

MOST = 100  # hooks
NO_LIST = "{}: the hooks of {} are no list: write [ ... ] around them"
NO_OBJECT = 'it is no object: write { "hooks": { ... } }'
NO_ENTRY = "{}: entry {} of {} is no object: write {{ ... }} around it"
NO_VERSION = 'line {}: its version is not known here: write "version": 1'
OFF = "{}: all hooks of {} are switched off by {}"
OFF_BY_NAME = "{}: the hook {} is switched off by its name"
SEPARATOR, WORKSPACE = "${/}", "${workspacePath}"  # of extensions for Gemini


@frozen
class FoundHooks:
    """The hooks of files, what is wrong with those that cannot be used, and which their user switched off."""

    offered: Sequence[OfferedHook] = ()
    problems: Sequence[str] = ()
    off: Sequence[str] = ()


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
        found.off,
    )


@lru_cache(maxsize=64)  # every run asks
def hooks_of_plugin(plugin: "PluginContent") -> FoundHooks:
    """**Returns** the hooks of a plugin, to which its user consented with the plugin."""
    from agls.plugin_files import Substituted, filled, why_never  # noqa: PLC0415 - few users have plugins

    offered: list[OfferedHook] = []
    problems: list[str] = []
    make = _maker_of_plugin(plugin)
    for place, groups in plugin.hooks:
        shown = f"the plugin {plugin.name} ({place})"
        for number, (event, said) in enumerate(hook_entries(groups), 1):
            if never := why_never(event, said, plugin.dialect):
                problems.append(f"{shown}: hook {number} ({event}) is {never}")
                continue
            entry = _at_home(said, plugin)
            made = filled(entry, plugin) if "args" in entry or "url" in entry else Substituted(entry)
            try:
                if made.problem:
                    raise ValueError(made.problem)
                one = make(event, made.value, number, shown)
            except ValueError as problem:
                problems.append(f"{shown}: hook {number} ({event}): {problem}")
                continue
            setting = one.hook.setting
            if entry.get("command") != said.get("command") or "cwd" in entry.keys() - said.keys():
                # what was put in says nothing to people
                setting = setting.model_copy(update={"name": setting.name or text_in(said["command"])[:60]})
            environment = {**one.hook.environment, **plugin.environment}
            hook = replace(one.hook, setting=setting, environment=environment)
            offered.append(OfferedHook(hook, replace(one.offer, plugin=plugin.root)))
    return FoundHooks(offered[:MOST], problems)


def find_hooks(files: Sequence[str], reader: FolderReader) -> FoundHooks:
    """**Returns** the hooks in these files."""
    offered: list[OfferedHook] = []
    problems: list[str] = []
    off = dict[str, str]()  # the product whose hooks are switched off, and the words for it
    named = dict[str, str]()  # the hook that is, by its name or its command, and the words for it
    for path in _paths(files, reader):
        shown = reader.shown(path)
        try:
            read = reader.text(path)
            if not read:
                continue
            said: Any = _parsed(path, read[2])
            if not is_object(said):
                raise ValueError(NO_OBJECT)
            hooks: object = said.get("hooks", {})
            problems += _misplaced(hooks, shown)
            if path.endswith(f"/{CURSOR}") and said.get("version", 1) != 1:
                raise ValueError(NO_VERSION.format(_line_of("version", {}, read[2]).removeprefix(":")))
            if switch := _switch(path, said):
                off[_product(path)] = OFF.format(shown, *switch)
            named |= {name: OFF_BY_NAME.format(shown, name) for name in _named_off(path, said)}
            make = _maker_of_file(path)
            for number, (event, entry) in enumerate(hook_entries(hooks), 1):
                try:
                    offered.append(make(event, entry, number, shown))
                except ValueError as problem:
                    line = _line_of(event, entry, read[2], _span_of(number, hooks, read[2]))
                    problems.append(f"{shown}{line}: hook {number} ({event}): {problem}")
        except (WorkspaceError, ValueError) as problem:
            problems.append(f"{shown}: {problem}")
    left = [each for each in offered if _product(each.offer.origin) not in off and not _is_named(each, named)]
    silent = {name: why for name, why in named.items() if any(_is_named(each, {name}) for each in offered)}
    return FoundHooks(left[:MOST], problems, [*off.values(), *silent.values()])


def _is_named(offered: OfferedHook, named: Collection[str]) -> bool:
    """**Returns** whether a hook of Gemini has one of these names or commands."""
    own = offered.offer.origin.endswith(GEMINI)
    return own and (offered.hook.name in named or offered.hook.setting.command in named)


def _named_off(path: str, said: object) -> Iterator[str]:
    """Yield the names of hooks that a file of Gemini switches off."""
    for member in ("hooksConfig", "hooks") if path.endswith(GEMINI) else ():
        yield from (each for each in list_in(value_in(said, member, "disabled")) if isinstance(each, str))


def _switch(path: str, said: object) -> tuple[str, str] | None:
    """**Returns** whose hooks a file switches off, and by what."""
    if path.endswith(OF_CLAUDE) and value_in(said, "disableAllHooks") is True:
        return "Claude", "disableAllHooks"
    if path.endswith(GEMINI):
        for member in ("hooksConfig", "hooks"):  # the second until 2026
            if value_in(said, member, "enabled") is False:
                return "Gemini", f"{member}.enabled"
    return None


def _product(path: str) -> str:
    """**Returns** the folder of a product that a file is in, such as `.claude`."""
    return path.split("/")[-2] if "/" in path else path


def _maker_of_file(path: str) -> "Maker":
    if not (path.endswith((f"/{CURSOR}", f"/{GEMINI}")) or f"/{FOLDER}/" in f"/{path}"):
        return offered_hook
    from agls.features.hooks import foreign  # noqa: PLC0415 - few folders have such hooks

    if path.endswith(CURSOR):
        return foreign.of_cursor
    return foreign.of_gemini if path.endswith(GEMINI) else foreign.of_copilot


def _maker_of_plugin(plugin: "PluginContent") -> "Maker":
    from agls.features.hooks.foreign import OF_PLUGINS  # noqa: PLC0415 - few users have plugins

    return OF_PLUGINS.get(plugin.dialect, offered_hook)


def _paths(files: Sequence[str], reader: FolderReader) -> Iterator[str]:
    """Yield the files, and those in a folder of some. **Raises** `WorkspaceError`."""
    for path in files:
        if path.endswith(f"/{FOLDER}"):
            yield from reader.below(path, (".json",))
        else:
            yield path


def _parsed(path: str, text: str) -> object:
    """**Returns** what the text of a file says. **Raises** `ValueError`."""
    if not text.strip():
        return {}
    try:
        return tomllib.loads(text) if path.endswith(".toml") else with_comments(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _misplaced(hooks: object, shown: str) -> Iterator[str]:
    """Yield what stands where a list of hooks should be."""
    for event, groups in object_in(hooks).items():
        if shown.endswith(GEMINI) and not event[:1].isupper():
            continue  # a setting of its own
        is_event = shown.endswith(CURSOR) or (event[:1].upper() + event[1:]) in EVENTS
        if is_list(groups):
            wrong = (number for number, each in enumerate(groups, 1) if not is_object(each))
            yield from (NO_ENTRY.format(shown, number, event) for number in wrong)
        elif is_event or event[:1].isupper():  # others of a product are its own settings
            yield NO_LIST.format(shown, event)


def _span_of(number: int, hooks: object, text: str) -> "Span | None":
    """**Returns** from where to where the entry of this number stands; `None` in a file that is no JSON."""
    from agls.features.hooks.entry_places import entry_paths, spans_in  # noqa: PLC0415 - few files have faults

    path = next(islice(entry_paths(hooks), number - 1, None), None)
    return spans_in(text).get(path) if path else None


def _line_of(event: str, entry: JsonObject, text: str, span: "Span | None" = None) -> str:
    """**Returns** the line with the command of a hook, or with its event, as `:12`; "" for none.

    Where it stands in the text is looked for in its `span`.
    """
    command = str(entry.get("command") or entry.get("bash") or "")
    found = re.search(rf"\b{re.escape(event)}\b", text)
    begin = span[0] if span else found.start() if found else 0
    text = text[: span[1]] if span else text
    for written in (command, json.dumps(command)[1:-1]) if command else ():
        for around in (f'"{written}"', written):  # a short one is in many other words
            if (at := text.find(around, begin)) >= 0:
                return f":{text.count(chr(10), 0, at) + 1}"
    return f":{text.count(chr(10), 0, begin) + 1}" if span or found else ""


def _at_home(entry: JsonObject, plugin: "PluginContent") -> JsonObject:
    """Return a hook as it runs for a plugin: one for Cursor in its folder, for Gemini with its words."""
    command = entry.get("command")
    if not isinstance(command, str):
        return entry
    if plugin.dialect == "cursor":
        return {"cwd": plugin.root, **entry}
    if plugin.dialect == "gemini":
        plain = command.replace(SEPARATOR, "/").replace(WORKSPACE, "${GEMINI_PROJECT_DIR}")
        return {**entry, "command": plain}
    return entry
