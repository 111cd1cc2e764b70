"""Hooks that a folder offers, and those that the user keeps for another agent: each needs their consent."""

import json
import re
import shlex
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.features.hooks.hook import Hook
from agls.features.hooks.settings import (
    CURSOR,
    EVENTS,
    FOLDER,
    LONGEST_TIME,
    OF_OTHERS,
    OURS,
    PROJECT_FILES,
    Event,
    HookSetting,
    Settings,
)
from agls.frozen import frozen
from agls.instruction_files import FolderReader
from agls.instruction_files.folder_texts import FolderTexts, TextFolders
from agls.json_values import is_list, is_object, object_in, text_in, with_comments
from agls.room.offers import Offer

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

MOST = 100  # hooks
MEMBERS = {
    "command": "command",
    "bash": "command",  # of Copilot
    "args": "args",
    "url": "url",
    "headers": "headers",
    "timeout": "timeout",
    "timeoutSec": "timeout",
    "prompt": "prompt",
    "model": "model",
    "server": "server",
    "tool": "tool",
    "input": "input",
    "if": "condition",
}
OTHER_EVENTS = {  # of Copilot
    "UserPromptSubmitted": "UserPromptSubmit",
    "AgentStop": "Stop",
    "ErrorOccurred": "StopFailure",
}
NO_EVENT = "there is no event {} here, only {}"
NO_LIST = "{}: the hooks of {} are no list: write [ ... ] around them"
NO_VERSION = 'line {}: its version is not known here: write "version": 1'
FLAGS = {"async": "background", "once": "once"}
TYPES = ("command", "http", "prompt", "mcp_tool")
NO_AGENT = (
    "hooks of the type 'agent' are not known here: write a prompt, by which a model judges, or a command"
)


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
    from agls.plugin_files import Substituted, filled, why_never  # noqa: PLC0415 - few users have plugins

    offered: list[OfferedHook] = []
    problems: list[str] = []
    make = _of_cursor_or_ours if plugin.dialect == "cursor" else offered_hook
    for place, groups in plugin.hooks:
        shown = f"the plugin {plugin.name} ({place})"
        for number, (event, said) in enumerate(hook_entries(groups), 1):
            if never := why_never(event, said, cursor=plugin.dialect == "cursor"):
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
            if "cwd" in entry and "cwd" not in said:  # the folder of the plugin says nothing to people
                setting = setting.model_copy(update={"name": setting.name or text_in(said["command"])})
            hook = replace(one.hook, setting=setting, environment=plugin.environment)
            offered.append(OfferedHook(hook, replace(one.offer, plugin=plugin.root)))
    return FoundHooks(offered[:MOST], problems)


def find_hooks(files: Sequence[str], reader: FolderReader) -> FoundHooks:
    """**Returns** the hooks in these files."""
    offered: list[OfferedHook] = []
    problems: list[str] = []
    for path in _paths(files, reader):
        shown = reader.shown(path)
        try:
            read = reader.text(path)
            said: Any = _parsed(path, read[2]) if read else {}
            hooks: object = said.get("hooks", {})
            problems += _misplaced(hooks, shown)
            of_cursor = path.endswith(f"/{CURSOR}")
            if of_cursor and read and said.get("version", 1) != 1:
                raise ValueError(NO_VERSION.format(_line_of("version", {}, read[2]).removeprefix(":")))
            make = _of_cursor_or_ours if of_cursor else offered_hook
            for number, (event, entry) in enumerate(hook_entries(hooks), 1):
                try:
                    offered.append(make(event, entry, number, shown))
                except ValueError as problem:
                    line = _line_of(event, entry, read[2] if read else "")
                    problems.append(f"{shown}{line}: hook {number} ({event}): {problem}")
        except (WorkspaceError, ValueError, AttributeError) as problem:
            problems.append(f"{shown}: {problem}")
    return FoundHooks(offered[:MOST], problems)


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
        if not is_list(groups) and (shown.endswith(CURSOR) or (event[:1].upper() + event[1:]) in EVENTS):
            yield NO_LIST.format(shown, event)


def _line_of(event: str, entry: JsonObject, text: str) -> str:
    """**Returns** the line with the command of a hook, or with its event, as `:12`; "" for none."""
    command = str(entry.get("command") or entry.get("bash") or "")
    for number, line in enumerate(text.splitlines(), 1):
        if command and (command in line or json.dumps(command)[1:-1] in line):
            return f":{number}"
    found = re.search(rf"\b{re.escape(event)}\b", text)
    return f":{text.count(chr(10), 0, found.start()) + 1}" if found else ""


def hook_entries(hooks: object) -> Iterator[tuple[str, JsonObject]]:
    """Yield each handler with its event; of a group, `{matcher, hooks}`, each has the matcher."""
    if not is_object(hooks):
        raise ValueError("its hooks are no JSON object")
    for event, groups in hooks.items():
        for group in groups if is_list(groups) else ():
            if not is_object(group):
                continue
            inner = group.get("hooks")
            matcher = {"matcher": group.get("matcher") or ""}
            for handler in inner if is_list(inner) else [group]:
                if is_object(handler):
                    yield event, {**matcher, **handler}


def offered_hook(event: str, entry: JsonObject, number: int, shown: str) -> OfferedHook:
    """Return the hook of an entry. **Raises** `ValueError`."""
    kind = entry.get("type", "command")
    if kind == "agent":
        raise ValueError(NO_AGENT)
    if kind not in TYPES:
        raise ValueError(f"hooks of the type {kind!r} are not known here, only {', '.join(TYPES)}")
    said: dict[str, Any] = {"event": event_named(event), "matcher": entry["matcher"] or ""}
    said |= {ours: entry[theirs] for theirs, ours in (MEMBERS | FLAGS).items() if theirs in entry}
    if isinstance(limit := said.get("timeout"), int | float):
        said["timeout"] = min(limit, LONGEST_TIME)  # elsewhere it may be longer
    if isinstance(folder := entry.get("cwd"), str) and said.get("command") and folder not in {"", "."}:
        said["command"] = f"cd {shlex.quote(folder)} && {said['command']}"
    try:
        setting = HookSetting.model_validate(said)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise ValueError(f"{place}: {first['msg'].removeprefix('Value error, ')}".lstrip(": ")) from None
    definition: JsonObject = {"file": shown, **setting.model_dump(mode="json", exclude_defaults=True)}
    line = shlex.join([setting.command, *setting.args]) if setting.args else setting.command
    offer = Offer("hook", f"{event} {number} of {shown}", shown, definition, commands=(line,))
    return OfferedHook(Hook(setting, shown), offer)


def _of_cursor(event: str, entry: JsonObject, number: int, shown: str) -> OfferedHook:
    """Return the hook of an entry in Cursor's form. **Raises** `ValueError`."""
    from agls.features.hooks.cursor import EVENTS as FORMS  # noqa: PLC0415 - few folders have such hooks
    from agls.features.hooks.cursor import cursor_form, in_our_words  # noqa: PLC0415 - with it

    form = cursor_form(event, entry)
    made = offered_hook(FORMS[event][0], in_our_words(event, entry), number, shown)
    setting = made.hook.setting
    if entry.get("failClosed") is True:
        setting = setting.model_copy(update={"on_failure": "closed"})
    definition: JsonObject = {"file": shown, "event": event, **entry}
    offer = replace(made.offer, name=f"{event} {number} of {shown}", definition=definition)
    return OfferedHook(replace(made.hook, setting=setting, cursor=form), offer)


def _at_home(entry: JsonObject, plugin: "PluginContent") -> JsonObject:
    """Return a hook that runs in the folder of its plugin, as those for Cursor do."""
    is_program = plugin.dialect == "cursor" and isinstance(entry.get("command"), str)
    return {"cwd": plugin.root, **entry} if is_program else entry


def _of_cursor_or_ours(event: str, entry: JsonObject, number: int, shown: str) -> OfferedHook:
    """Return the hook of an entry in Cursor's form, or in the usual one for an event that has no other.

    **Raises** `ValueError`.
    """
    from agls.features.hooks.cursor import EVENTS as FORMS  # noqa: PLC0415 - few plugins have such hooks
    from agls.features.hooks.cursor import in_our_names  # noqa: PLC0415 - with it

    if event in FORMS:
        return _of_cursor(event, entry, number, shown)
    return offered_hook(event, {**entry, "matcher": in_our_names(entry.get("matcher"))}, number, shown)


def event_named(said: str) -> Event:
    """**Returns** our name of an event: some products begin theirs with a small letter.

    **Raises** `ValueError` for one that there is not.
    """
    name = said[:1].upper() + said[1:]
    name = OTHER_EVENTS.get(name, name)
    for event in EVENTS:
        if event == name:
            return event
    raise ValueError(NO_EVENT.format(said[:60], ", ".join(EVENTS)))
