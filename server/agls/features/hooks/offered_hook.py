"""A hook of a file, with the offer that the user must consent to; and the entries of such a file."""

import shlex
from collections.abc import Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from agls.argument_faults import plain_fault
from agls.engine.vocabulary import JsonObject
from agls.features.hooks.hook import Hook
from agls.features.hooks.settings import EVENTS, LONGEST_TIME, Event, HookSetting
from agls.frozen import frozen
from agls.json_values import is_list, is_object
from agls.prompt_files.model_names import model_in
from agls.room.offers import Offer

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
OF_KIND = {"command": "command", "http": "url", "prompt": "prompt", "agent": "prompt", "mcp_tool": "server"}
PROGRAMS = (*OF_KIND.values(), "bash")  # what a hook does, of any kind
ONLY_POWERSHELL = "its program is for PowerShell alone: write one for other shells in 'bash'"
NOTHING = "a hook of the type {!r} needs its {!r}: add it"
_OF_CLAUDE = """
    CwdChanged DirectoryAdded FileChanged InstructionsLoaded MessageDisplay PermissionDenied
    PostModelSwitch PreModelSwitch PreSkillShellCommand TeammateIdle UserPromptExpansion"""
NEWER = frozenset(_OF_CLAUDE.split())
NOT_YET = "Claude Code has the event {}, agls has not: this hook never runs, and all others do"
NO_EVENT_IN = 'hook {} of the list says no event: write "event", or an object of events around the hooks'
NO_EVENT = "there is no event {} here, only {}"
FLAGS = {"async": "background", "once": "once"}
TYPES = ("command", "http", "prompt", "agent", "mcp_tool")


@frozen
class OfferedHook:
    """A hook with the offer that the user must consent to before it runs."""

    hook: Hook
    offer: Offer


def hook_entries(hooks: object) -> Iterator[tuple[str, JsonObject]]:
    """Yield each handler with its event; of a group, `{matcher, hooks}`, each has the matcher."""
    if is_list(hooks) and hooks:  # where each says its event itself
        hooks = _by_event(hooks)
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


def _by_event(hooks: Sequence[object]) -> JsonObject:
    """Return the handlers of a list under their events. **Raises** `ValueError`."""
    found: dict[str, list[JsonObject]] = {}
    for number, each in enumerate(hooks, 1):
        event = each.get("event") if is_object(each) else None
        if not is_object(each) or not isinstance(event, str):
            raise ValueError(NO_EVENT_IN.format(number))
        found.setdefault(event, []).append({name: said for name, said in each.items() if name != "event"})
    return found


def offered_hook(event: str, entry: JsonObject, number: int, shown: str) -> OfferedHook:
    """Return the hook of an entry. **Raises** `ValueError`."""
    kind = entry.get("type", "command")
    if kind not in TYPES:
        raise ValueError(f"hooks of the type {kind!r} are not known here, only {', '.join(TYPES)}")
    _check_program(entry)
    said: dict[str, Any] = {"event": event_named(event), "matcher": entry["matcher"] or ""}
    said |= {ours: entry[theirs] for theirs, ours in (MEMBERS | FLAGS).items() if theirs in entry}
    if kind == "agent":
        said["agent"] = True
    if isinstance(model := said.get("model"), str):
        said["model"] = model_in(model)
    if isinstance(limit := said.get("timeout"), int | float):
        said["timeout"] = min(limit, LONGEST_TIME)  # elsewhere it may be longer
    if (
        isinstance(folder := entry.get("cwd"), str)
        and isinstance(said.get("command"), str)
        and folder not in {"", "."}
    ):
        said["command"] = f"cd {shlex.quote(folder)} && {said['command']}"
    try:
        setting = HookSetting.model_validate(said)
    except ValidationError as error:
        written = {ours: theirs for theirs, ours in MEMBERS.items() if theirs in entry}
        raise ValueError(plain_fault(error, written)) from None
    definition: JsonObject = {"file": shown, **setting.model_dump(mode="json", exclude_defaults=True)}
    line = shlex.join([setting.command, *setting.args]) if setting.args else setting.command
    offer = Offer("hook", f"{event} {number} of {shown}", shown, definition, commands=(line,))
    return OfferedHook(Hook(setting, shown), offer)


def _check_program(entry: JsonObject) -> None:
    """**Raises** `ValueError` for a hook that has no program here, or that is said to be another kind."""
    kind = entry.get("type", "command")
    if any(entry.get(name) for name in PROGRAMS):
        return
    if kind == "command" and entry.get("powershell"):
        raise ValueError(ONLY_POWERSHELL)
    raise ValueError(NOTHING.format(kind, OF_KIND[kind]))


def event_named(said: str) -> Event:
    """**Returns** our name of an event: some products begin theirs with a small letter.

    **Raises** `ValueError` for one that there is not.
    """
    name = said[:1].upper() + said[1:]
    name = OTHER_EVENTS.get(name, name)
    for event in EVENTS:
        if event == name:
            return event
    if name in NEWER:
        raise ValueError(NOT_YET.format(name))
    raise ValueError(NO_EVENT.format(said[:60], ", ".join(EVENTS)))
