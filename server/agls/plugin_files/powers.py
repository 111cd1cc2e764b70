"""Everything that a plugin would bring, line by line: what its user consents to."""

import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from agls.front_matter import names, split
from agls.json_values import is_list, is_object, list_in, object_in, text_in
from agls.plain_file import read_plain
from agls.plugin_files.content import PluginContent
from agls.plugin_files.hook_events import why_never
from agls.regex import regex
from agls.short_text import cut

LARGEST = 200_000  # bytes of a text that is looked into
MOST = 500  # lines
_LINE = regex(r"(?m)(?:^|\s)!`([^`\n]+)`|!\{((?:[^{}\n]|\{\{?[^{}\n]*\}\}?)+)\}")
_SKILL_LINE = regex(r"(?m)(?:^|\s)!`([^`\n]+)`")
_SHOWN = regex(r"(?ms)^ {0,3}(`{3,}|~{3,})(?!!).*?(?:^ {0,3}\1[`~]* *$|\Z)")  # a block of code in a skill
_BLOCK = regex(r"(?ms)^```!\s*\n(.*?)^```")
SEPARATOR = "${/}"  # between the parts of a path, for Gemini
COMMANDS = ("command", "bash", "powershell")  # Copilot has one for each shell
LONGEST = 300  # characters of a prompt
PROGRAMS = (".sh", ".py", ".js", ".mjs", ".cjs", ".ts", ".rb", ".pl", ".ps1", ".bat", ".cmd", ".exe")


def powers_of(plugin: PluginContent) -> Sequence[str]:
    """Return a line for each thing that the plugin brings, with what it runs."""
    lines = [*_texts(plugin), *_agents(plugin), *_hooks(plugin), *_servers(plugin), *_languages(plugin)]
    return [*lines, *_of_manifest(plugin), *_programs(plugin)][:MOST]


def option_lines(plugin: PluginContent) -> Iterator[str]:
    """Yield a line for each option of the plugin: what it is, and whether it has a value; never the value."""
    for each in plugin.options:
        kind = "kept with the keys" if each.sensitive else each.type
        about = each.description or each.title
        state = (
            "set" if plugin.values.get(each.name) else "not set, and needed" if each.required else "not set"
        )
        yield f"option {each.name} ({kind}): {f'{about}: ' if about else ''}{state}"


def _texts(plugin: PluginContent) -> Iterator[str]:
    for folder in plugin.skills:
        for path in _files(folder, ("SKILL.md", "skill.md"), 4):
            name = plugin.name if Path(path).parent == Path(plugin.root) else Path(path).parent.name
            yield f"skill {plugin.name}:{name}: {_about(path)}"
            yield from (
                f"  it runs: {line}" for line in _shell_lines(_SHOWN.sub("", _text(path)), _SKILL_LINE)
            )
    end = ".toml" if plugin.dialect == "gemini" else ".md"
    seen: set[str] = set()  # some name a folder and files in it
    for place in plugin.commands:
        for path in (each for each in _files(place, (end,), 5) if each not in seen):
            seen.add(path)
            inside = path.removeprefix(f"{place}/") if path != place else Path(path).name
            yield f"command /{plugin.name}:{inside.removesuffix(end).replace('/', ':')}"
            yield from (f"  it runs: {line}" for line in _shell_lines(_text(path), _LINE))


def _agents(plugin: PluginContent) -> Iterator[str]:
    for place in plugin.agents:
        for path in _files(place, (".md",), 1):
            values = split(_text(path)).values
            tools = ", ".join(names(values.get("tools"))) or "those of the session"
            own = values.get("name") or Path(path).stem.removesuffix(".agent").removesuffix(".chatmode")
            yield f"agent {plugin.name}__{own}: tools: {tools}"


def _hooks(plugin: PluginContent) -> Iterator[str]:
    for place, groups in plugin.hooks:
        for event, group in ((event, one) for event, each in groups.items() for one in list_in(each)):
            matcher = f" {group['matcher']}" if is_object(group) and group.get("matcher") else ""
            for handler in list_in(object_in(group).get("hooks")) or [group]:
                never = why_never(event, handler, plugin.dialect)
                yield f"hook {event}{matcher} ({place}): {never or _does(handler)}"


def _servers(plugin: PluginContent) -> Iterator[str]:
    for name, entry in plugin.servers.items():
        yield f"server {name}: {_does(entry)}"
        if variables := object_in(entry, "env"):
            yield f"  with the variables: {', '.join(variables)}"
        if headers := object_in(entry, "headers"):
            yield f"  with the headers: {', '.join(headers)}"


def _languages(plugin: PluginContent) -> Iterator[str]:
    for name, entry in plugin.languages.items():
        ends = ", ".join(object_in(entry, "extensionToLanguage"))
        yield f"language server {name}: {_does(entry)}{f', for {ends}' if ends else ''}"


def _of_manifest(plugin: PluginContent) -> Iterator[str]:
    """Yield the texts, names and refusals of the manifest itself (docs/plugins.md)."""
    said = _manifest(plugin)
    for key in ("toolAliases", "virtualTools", "runtimeTools"):
        found = [str(object_in(each).get("name")) for each in list_in(said.get(key))]
        yield from (f"tool {name} ({key})" for name in found)
    yield from (f"blocks the tool {name}" for name in list_in(said.get("blockedTools")))
    yield from (f"blocks the tool {name}" for name in plugin.blocked)
    for path in plugin.context:
        shown = path.removeprefix(f"{plugin.root}/")
        yield f"text before a prompt: {shown} ({len(_text(path)):,} characters)"
    hooks = object_in(said, "hooks")
    yield from (
        f"text {key}: {value}" for key, value in hooks.items() if not is_list(value) and key[:1].islower()
    )


def _manifest(plugin: PluginContent) -> Mapping[str, Any]:
    import json  # noqa: PLC0415 - only where a plugin is shown

    if not plugin.manifest:
        return {}
    said: Any = json.loads(_text(plugin.manifest))
    return said if is_object(said) else {}


def _programs(plugin: PluginContent) -> Iterator[str]:
    for folder, folders, files in os.walk(plugin.root):
        folders[:] = sorted(each for each in folders if each != ".git")
        for name in sorted(files):
            path = f"{folder}/{name}"
            if name.endswith(PROGRAMS) or os.access(path, os.X_OK):
                yield f"program {path.removeprefix(f'{plugin.root}/')}"


def _does(entry: object) -> str:
    said = object_in(entry)
    url = text_in(said.get("url")) or text_in(said.get("httpUrl"))
    if url:
        return f"connects to {url}"
    if tool := text_in(said.get("tool")):
        return f"calls the tool {tool} of the server {text_in(said.get('server'))}"
    if prompt := text_in(said.get("prompt")):
        return f"asks a model: {cut(prompt, LONGEST)}"
    words = [str(each).replace(SEPARATOR, "/") for each in list_in(said.get("args"))]
    written = next(filter(None, (text_in(said.get(key)) for key in COMMANDS)), "")
    command = written.replace(SEPARATOR, "/")
    return f"runs {shlex.join([command, *words]) if words else command}"


def _files(place: str, ends: tuple[str, ...], deepest: int) -> Sequence[str]:
    """Return the files below a folder that end so, or the file itself."""
    if Path(place).is_file():
        return [place]
    found: list[str] = []
    for folder, folders, files in os.walk(place):
        depth = folder.removeprefix(place).count("/")
        folders[:] = sorted(folders) if depth < deepest else []
        found += [f"{folder}/{name}" for name in sorted(files) if name.endswith(ends)]
    return found


def _about(path: str) -> str:
    value = split(_text(path)).values.get("description")
    return " ".join(str(value or "no description").split())[:200]


def _shell_lines(text: str, line: re.Pattern[str]) -> Iterator[str]:
    yield from (next(filter(None, found.groups())) for found in line.finditer(text))
    yield from (line for block in _BLOCK.findall(text) for line in block.splitlines() if line.strip())


def _text(path: str) -> str:
    try:
        return read_plain(path, LARGEST).decode("utf-8-sig", "replace")
    except OSError:
        return ""
