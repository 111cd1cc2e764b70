"""Servers in the files of other agents and editors: each product spells the same things in its own way."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from agls.argument_faults import plain_fault
from agls.engine.vocabulary import JsonObject
from agls.features.mcp.settings import ServerSetting
from agls.json_values import is_list, is_object, object_in, objects_in
from agls.regex import regex

COMMON = {"command", "args", "env", "cwd", "url", "headers"}
TYPES = {
    "local": "stdio",
    "remote": "http",
    "streamable": "http",
    "httpstream": "http",
    "streamablehttp": "http",
}
OF_CODEX = {
    "bearer_token_env_var",
    "disabled_tools",
    "enabled_tools",
    "env_http_headers",
    "env_vars",
    "http_headers",
    "startup_timeout_sec",
    "tool_timeout_sec",
}
KINDS = {"stdio", "http", "sse"}
NO_KIND = "servers of the type {} are not known here, only stdio, http and sse"
NO_INPUT = "it asks for {}, which is none of the inputs of its file: add it there, or write ${{env:VAR}}"
NO_EDITOR = "only the editor knows {}: write the value itself"
NO_LIST = 'its args are no list: write one, ["a", "b"]'
NO_HELPER = "it has a headersHelper, which agls does not run: write headers, with ${VAR} for what is secret"
NO_FILE = "agls does not read {} into settings: write {{env:VAR}}, and set the variable where agls is started"
NO_CALLBACK = "agls takes no login at its callback_url {}: write http://127.0.0.1:PORT/callback"
HERE, CALLBACK = {"127.0.0.1", "localhost"}, "/callback"
LOGIN = {
    "client_id": ("client_id", "clientId"),
    "client_secret": ("client_secret", "clientSecret"),
    "scope": ("scope", "scopes"),
}
LONGEST_SECONDS = 1_000  # a time below is in seconds, as nobody waits for a part of one
_EDITOR = regex(r"\$\{(env:)?(workspaceFolder|userHome|(?:input|command|config):[^}]*|/|[A-Za-z_]\w*)\}")
_PROJECT = regex(r"(?<!\$)\$\{(?:workspaceFolder|(?:CLAUDE_)?PROJECT_DIR(?::-[^}]*)?)\}")
_BARE = regex(r"\$([A-Za-z_][A-Za-z0-9_]*)")
_OPENCODE = regex(r"\{(env|file):([^}]*)\}")
_OF_EDITOR = frozenset({"file", "fileDirname", "fileBasename", "relativeFile", "lineNumber", "selectedText"})
Said = dict[str, Any]


def usual(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of an entry of `.mcp.json`. **Raises** `ValueError`."""
    if is_object(inner := entry.get("transport")):
        entry = {**entry, **inner}
    if entry.get("headersHelper"):
        raise ValueError(NO_HELPER)
    said: Said = {name: entry[name] for name in COMMON if entry.get(name) is not None}
    if (url := entry.get("serverUrl")) and "url" not in said:
        said["url"] = url
    said |= _started(said) | _kind(entry) | _login(entry, lambda text: text)
    if isinstance(limit := entry.get("timeout"), int | float) and limit > 0:
        said["timeout"] = limit if limit < LONGEST_SECONDS else limit / 1_000
    if entry.get("alwaysLoad") is True:
        said["always_load"] = True
    if entry.get("disabled") is True or entry.get("enabled") is False:
        said["enabled"] = False
    return with_texts(said, lambda text: _PROJECT.sub(lambda _: folder or ".", text))


def _started(said: Said) -> Said:
    """**Returns** the program and its arguments: some write both as one list, or numbers among them.

    **Raises** `ValueError`.
    """
    command, args = said.get("command"), said.get("args", [])
    if is_list(command) and command:
        command, args = command[0], [*command[1:], *(args if is_list(args) else [])]
    if not is_list(args):
        raise ValueError(NO_LIST)
    return {} if not command else {"command": command, "args": [_as_text(each) for each in args]}


def _kind(entry: JsonObject) -> Said:
    """**Returns** how a server is spoken to, where its entry says so. **Raises** `ValueError`."""
    said = entry.get("type") or entry.get("transport")
    if not said or is_object(said):
        return {}
    word = re.sub(r"[-_ ]", "", str(said)).lower()
    kind = TYPES.get(word, word)
    if kind not in KINDS:
        raise ValueError(NO_KIND.format(said))
    return {"type": kind}


def _login(entry: JsonObject, written: Callable[[object], object]) -> Said:
    """**Returns** how agls logs in, as Claude Code and Codex say it. **Raises** `ValueError`."""
    said = object_in(entry, "oauth")
    found: Said = {
        ours: written(said[key])
        for ours, keys in LOGIN.items()
        for key in keys
        if isinstance(said.get(key), str)
    }
    if isinstance(port := said.get("callbackPort"), int):
        found["port"] = port
    if is_list(scopes := said.get("scopes")):
        found["scope"] = " ".join(map(str, scopes))
    if address := said.get("callback_url"):
        found["port"] = _port_of(str(address))
    return {"oauth": found} if found else {}


def _port_of(address: str) -> int:
    """**Returns** the port to which a login comes back. **Raises** `ValueError` for an address elsewhere."""
    parts = urlsplit(address)
    port = parts.port if parts.hostname in HERE and parts.path == CALLBACK else None
    if not port:
        raise ValueError(NO_CALLBACK.format(address))
    return port


def _as_text(value: object) -> object:
    return str(value) if type(value) in {int, float} else value


def of_editor(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of an entry of VS Code or Cursor. **Raises** `ValueError`."""

    def named(found: re.Match[str]) -> str:
        name = str(found[2])
        if found[1]:
            return f"${{{name}}}"
        if name.startswith("input:"):
            raise ValueError(NO_INPUT.format(found[0]))
        if ":" in name or name in _OF_EDITOR:
            raise ValueError(NO_EDITOR.format(found[0]))
        base = folder.rpartition("/")[2]
        known = {"workspaceFolder": folder, "userHome": home, "workspaceFolderBasename": base}
        return {**known, "/": "/", "pathSeparator": "/"}.get(name, str(found[0]))

    return usual(with_texts(dict(entry), lambda text: _EDITOR.sub(named, text)), folder, home)


def env_file_of(entry: object, folder: str, home: str) -> str:
    """**Returns** the path of the file of variables that an entry of an editor names, "" for none."""
    said = object_in(entry).get("envFile")
    if not isinstance(said, str) or not said:
        return ""
    for name, value in (("workspaceFolder", folder), ("userHome", home), ("pathSeparator", "/"), ("/", "/")):
        said = said.replace(f"${{{name}}}", value)
    return posixpath.normpath(posixpath.join(folder, said))


def of_codex(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of an entry of Codex, where `${…}` stands for itself."""
    kept = {name: literal(entry[name]) for name in COMMON - {"headers"} if name in entry}
    variables = {name: f"${{{name}}}" for name in entry.get("env_vars", ()) if isinstance(name, str)}
    headers: Said = dict(literal(object_in(entry, "http_headers")))
    headers |= {name: f"${{{held}}}" for name, held in object_in(entry, "env_http_headers").items()}
    if key := entry.get("bearer_token_env_var"):
        headers["Authorization"] = f"Bearer ${{{key}}}"
    said: Said = {**kept, "headers": headers, "env": {**variables, **kept.get("env", {})}}
    names = {
        "enabled": "enabled",
        "startup_timeout_sec": "startup_timeout",
        "tool_timeout_sec": "timeout",
        "enabled_tools": "enabled_tools",
        "disabled_tools": "disabled_tools",
    }
    said |= _login(entry, literal)
    if isinstance(limit := entry.get("startup_timeout_ms"), int | float):
        said["startup_timeout"] = limit / 1_000
    return said | {ours: entry[theirs] for theirs, ours in names.items() if theirs in entry}


def usual_or_codex(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of an entry with keys of Codex, or of `.mcp.json`. **Raises** `ValueError`."""
    return (of_codex if entry.keys() & OF_CODEX else usual)(entry, folder, home)


def of_gemini(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of an entry of Gemini. **Raises** `ValueError`.

    There `httpUrl` is streamable HTTP, `url` is SSE without a `type`, and `$VAR` is a variable, too.
    """
    said = usual({name: value for name, value in entry.items() if name != "url"}, folder, home)
    if url := entry.get("httpUrl") or entry.get("url"):
        kind = said.get("type", "sse")
        said |= {"url": url, "type": "http" if entry.get("httpUrl") else kind}
    names = {"includeTools": "enabled_tools", "excludeTools": "disabled_tools"}
    said |= {ours: entry[theirs] for theirs, ours in names.items() if theirs in entry}
    return said | with_texts(
        {name: said[name] for name in ("env", "headers") if name in said},
        lambda text: _BARE.sub(r"${\1}", text),
    )


def of_opencode(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of an entry of OpenCode, with `{env:VAR}`. **Raises** `ValueError`."""

    def named(found: re.Match[str]) -> str:
        if found[1] == "file":
            raise ValueError(NO_FILE.format(found[0]))
        return f"${{{found[2]}}}"

    said = usual({**entry, "env": entry.get("environment")}, folder, home)
    return with_texts(said, lambda text: _OPENCODE.sub(named, text.replace("${", "$${")))


def of_client(entry: JsonObject, folder: str, home: str) -> Said:
    """**Returns** the settings of a server that a client brings: its values stand for themselves."""
    said = dict(entry)
    for name in ("env", "headers"):
        if is_list(pairs := entry.get(name)):  # [{"name": …, "value": …}]
            said[name] = {str(one.get("name")): one.get("value", "") for one in objects_in(pairs)}
    return usual(dict(literal(said)), folder, home)


def literal(value: Any) -> Any:
    """**Returns** a value whose texts stand for themselves, and name no variables."""
    return with_texts(value, lambda text: text.replace("${", "$${"))


def with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """**Returns** a value with its texts changed, also those inside of it."""
    if is_object(value):
        return {name: with_texts(each, change) for name, each in value.items()}
    if is_list(value):
        return [with_texts(each, change) for each in value]
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
        if name.startswith(("_", "/", "$", "#")) and not is_object(entry):
            continue  # people write remarks so
        yield name, setting_of(entry, read, folder, home)


def setting_of(entry: object, read: Reading, folder: str, home: str) -> ServerSetting | str:
    """**Returns** the settings of an entry, or what is wrong with it."""
    if not is_object(entry):
        return "it is no object"
    try:
        return ServerSetting.model_validate(_plain(read(entry, folder, home)))
    except ValidationError as error:
        return plain_fault(error)
    except ValueError as problem:
        return str(problem)


def _plain(said: Mapping[str, Any]) -> Said:
    """**Returns** settings with numbers of `env` and `headers` as text, which people write."""
    texts = {
        name: {key: _written(value) for key, value in said[name].items() if value is not None}
        for name in ("env", "headers")
        if is_object(said.get(name))
    }
    return {**said, **texts}


def _written(value: object) -> str:
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
