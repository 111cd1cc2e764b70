"""The values that stand in a plugin's definitions: its own folders, and what its user gave."""

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from agls.frozen import frozen
from agls.json_values import is_list, is_object
from agls.plugin_files.content import PluginContent, PluginOption, PluginProblem
from agls.regex import regex

_NAMED = regex(r"\$\{(user_config\.)?([A-Za-z_][A-Za-z0-9_-]*|/)\}")
_TRUTHS = {"true": "true", "yes": "true", "1": "true", "false": "false", "no": "false", "0": "false"}
NO_VALUE = "it needs a value for {0}: agls plugin enable {1} --set {0}=..."
NO_OPTION = "{} has no option {!r}; it has: {}"


@frozen
class Substituted:
    """A definition with its values, or why it cannot be used."""

    value: Any
    problem: str = ""


def with_values(plugin: PluginContent, given: Mapping[str, str], data: str) -> PluginContent:
    """Return the plugin with the folder for its data and the values of its options."""
    values = {each.name: given.get(each.name, each.default) for each in plugin.options}
    return replace(plugin, data=data, values={name: text for name, text in values.items() if text})


def filled(value: object, plugin: PluginContent) -> Substituted:
    """Return a definition with the folders and values in the place of `${CLAUDE_PLUGIN_ROOT}` and others."""
    try:
        return Substituted(_with_texts(value, plugin))
    except PluginProblem as problem:
        return Substituted(None, str(problem))


def checked_value(option: PluginOption, text: str) -> str:
    """Return a value as its option wants it. **Raises** `PluginProblem`."""
    shown = "what was given" if option.sensitive else repr(text)
    if option.type == "boolean":
        if text.lower() not in _TRUTHS:
            raise PluginProblem(f"{option.name} is true or false, not {shown}")
        return _TRUTHS[text.lower()]
    if option.type == "number":
        try:
            float(text)
        except ValueError:
            raise PluginProblem(f"{option.name} is a number, not {shown}") from None
    if option.type in {"directory", "file"}:
        path = Path(text).expanduser()
        is_there = path.is_dir() if option.type == "directory" else path.is_file()
        if not is_there:
            raise PluginProblem(f"{option.name}: there is no {option.type} {shown}")
        return str(path.resolve())
    return text


def _with_texts(value: Any, plugin: PluginContent) -> Any:
    if is_object(value):
        return {name: _with_texts(each, plugin) for name, each in value.items()}
    if is_list(value):
        return [_with_texts(each, plugin) for each in value]
    return _NAMED.sub(lambda found: _value(found, plugin), value) if isinstance(value, str) else value


def _value(found: re.Match[str], plugin: PluginContent) -> str:
    name = str(found[2])
    if not found[1]:
        return "/" if name == "/" else plugin.variables.get(name, str(found[0]))
    if name not in {each.name for each in plugin.options}:
        there = ", ".join(each.name for each in plugin.options) or "none"
        raise PluginProblem(NO_OPTION.format(plugin.name, name, there))
    if name not in plugin.values:
        raise PluginProblem(NO_VALUE.format(name, plugin.name))
    return plugin.values[name]
