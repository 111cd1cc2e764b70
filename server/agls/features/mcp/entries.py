"""Servers in the files of other agents and editors: each product spells the same things in its own way."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from pydantic import ValidationError

from agls.engine.vocabulary import JsonObject
from agls.features.mcp.settings import ServerSetting
from agls.json_values import is_list, is_object, object_in, objects_in
from agls.regex import regex

COMMON = {"command", "args", "env", "cwd", "url", "headers"}
TYPES = {"local": "stdio", "streamable-http": "http", "streamableHttp": "http", "remote": "http"}
NO_INPUT = "it asks for {}, which agls does not: put the server into your own config file"
_EDITOR = regex(r"\$\{(env:)?(workspaceFolder|userHome|input:[^}]*|[A-Za-z_][A-Za-z0-9_]*)\}")
Said = dict[str, Any]


def usual(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of an entry of `.mcp.json`."""
    said = {name: entry[name] for name in COMMON if name in entry}
    if kind := entry.get("type"):
        said["type"] = TYPES.get(str(kind), kind)
    if isinstance(limit := entry.get("timeout"), int | float):
        said["timeout"] = limit / 1_000
    if entry.get("alwaysLoad") is True:
        said["always_load"] = True
    if entry.get("disabled") is True or entry.get("enabled") is False:
        said["enabled"] = False
    return said


def of_editor(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of an entry of VS Code or Cursor. **Raises** `ValueError`."""

    def named(found: re.Match[str]) -> str:
        name = str(found[2])
        if found[1]:
            return f"${{{name}}}"
        if name.startswith("input:"):
            raise ValueError(NO_INPUT.format(found[0]))
        return {"workspaceFolder": folder, "userHome": home}.get(name, str(found[0]))

    if entry.get("envFile"):
        raise ValueError("it has an envFile, which agls does not read: name the variables in env")
    return _with_texts(usual(entry, folder, home), lambda text: _EDITOR.sub(named, text))


def of_codex(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of an entry of Codex, where `${…}` stands for itself."""
    literal = {name: _escaped(entry[name]) for name in COMMON - {"headers"} if name in entry}
    variables = {name: f"${{{name}}}" for name in entry.get("env_vars", ()) if isinstance(name, str)}
    headers: Said = dict(_escaped(object_in(entry, "http_headers")))
    headers |= {name: f"${{{held}}}" for name, held in object_in(entry, "env_http_headers").items()}
    if key := entry.get("bearer_token_env_var"):
        headers["Authorization"] = f"Bearer ${{{key}}}"
    said: Said = {**literal, "headers": headers, "env": {**variables, **literal.get("env", {})}}
    names = {
        "enabled": "enabled",
        "startup_timeout_sec": "startup_timeout",
        "tool_timeout_sec": "timeout",
        "enabled_tools": "enabled_tools",
        "disabled_tools": "disabled_tools",
    }
    return said | {ours: entry[theirs] for theirs, ours in names.items() if theirs in entry}


def of_gemini(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of an entry of Gemini, where `url` is SSE and `httpUrl` streamable HTTP."""
    said = usual({name: value for name, value in entry.items() if name not in {"type", "url"}}, folder, home)
    if url := entry.get("httpUrl") or entry.get("url"):
        said |= {"url": url, "type": "http" if entry.get("httpUrl") else "sse"}
    names = {"includeTools": "enabled_tools", "excludeTools": "disabled_tools"}
    return said | {ours: entry[theirs] for theirs, ours in names.items() if theirs in entry}


def of_client(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of a server that a client brings: its values stand for themselves."""
    said = dict(entry)
    for name in ("env", "headers"):
        if is_list(pairs := entry.get(name)):  # [{"name": …, "value": …}]
            said[name] = {str(one.get("name")): one.get("value", "") for one in objects_in(pairs)}
    return dict(_escaped(usual(said, folder, home)))


def _escaped(value: Any) -> Any:
    return _with_texts(value, lambda text: text.replace("${", "$${"))


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """**Returns** a value with its texts changed, also those inside of it."""
    if is_object(value):
        return {name: _with_texts(each, change) for name, each in value.items()}
    if is_list(value):
        return [_with_texts(each, change) for each in value]
    return change(value) if isinstance(value, str) else value


Reading = Callable[[JsonObject, str, str], Said]


def settings_in(
    servers: object, read: Reading, folder: str, home: str
) -> Iterator[tuple[str, ServerSetting | str]]:
    """Yield each server by its name, or what is wrong with it."""
    if not is_object(servers):
        yield "", "its servers are no object with a member for each"
        return
    for name, entry in servers.items():
        yield name, setting_of(entry, read, folder, home)


def setting_of(entry: object, read: Reading, folder: str, home: str) -> ServerSetting | str:
    """**Returns** the settings of an entry, or what is wrong with it."""
    if not is_object(entry):
        return "it is no object"
    try:
        return ServerSetting.model_validate(_plain(read(entry, folder, home)))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg'].removeprefix('Value error, ')}".lstrip(
            ": "
        )
    except ValueError as problem:
        return str(problem)


def _plain(said: Mapping[str, Any]) -> Said:
    """**Returns** settings with numbers of `env` and `headers` as text, which people write."""
    texts = {
        name: {key: value if isinstance(value, str) else str(value) for key, value in said[name].items()}
        for name in ("env", "headers")
        if is_object(said.get(name))
    }
    return {**said, **texts}
