"""Servers that a trusted folder offers, in files of several products: none is used without consent."""

import json
import shlex
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.features.mcp.entries import (
    Reading,
    env_file_of,
    literal,
    of_codex,
    of_editor,
    of_gemini,
    of_opencode,
    setting_of,
    settings_in,
    usual,
    usual_or_codex,
)
from agls.features.mcp.env_file import variables_in
from agls.features.mcp.inputs import ServerInput, inputs_in, named_by, with_inputs
from agls.features.mcp.local_resources import LocalResource, listed_servers, resources_in
from agls.features.mcp.settings import PROJECT_FILES, ServerSetting, Settings
from agls.frozen import frozen
from agls.instruction_files import FolderReader
from agls.instruction_files.folder_texts import FolderTexts, TextFolders
from agls.json_values import is_object, object_in, value_in, with_comments
from agls.room.offers import Offer

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

MOST = 100  # servers
NO_ENV_FILE = "its envFile {} is not there: write it, or leave envFile out"
BAD_ENV_FILE = "its envFile {} is not read: {}"
NO_OBJECT = 'it is no object: write {{ "{}": {{ ... }} }}'
OTHER_MEMBER = "its servers are in {!r}, and this file has them in {!r}: rename that"
OF_PLUGIN = "plugin_{}_{}"


@frozen
class ServerFile:
    """A file that may name servers, below a folder: the member that has them, and how an entry is read."""

    name: str
    member: str
    read: Reading


READ: Sequence[tuple[str, Reading]] = (
    ("mcpServers", usual),
    ("servers", of_editor),
    ("mcpServers", of_editor),
    ("mcp_servers", of_codex),
    ("mcpServers", of_gemini),
    *[("mcp", of_opencode)] * 4,
    *[("mcpServers", of_editor)] * 5,
    ("mcpServers", of_gemini),
    *[("mcpServers", usual)] * 3,
)
MANIFESTS = (".mcp.json", ".claw-mcp.json", ".codex-mcp.json", "mcp.json")  # with resources, too
FILES = tuple(ServerFile(name, *how) for name, how in zip(PROJECT_FILES, READ, strict=True))
OURS = FILES[:1]


@frozen
class OfferedServer:
    """A server that a folder offers, the offer that the user must consent to, and what it asks of them.

    One with a `holder`, a session, is for that alone.
    """

    name: str
    setting: ServerSetting
    offer: Offer
    inputs: Sequence[ServerInput] = ()
    holder: str = ""


@frozen
class BrokenEntry:
    """Why a file, or a server in it, cannot be used; `line` is 0 where that is not known."""

    file: str
    name: str
    problem: str
    line: int = 0

    @property
    def place(self) -> str:
        """The file, the line and the name, for people."""
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}" + (f" ({self.name})" if self.name else "")


@frozen
class FolderServerFiles:
    """The servers of files, and what cannot be used of them."""

    offered: Sequence[OfferedServer] = ()
    broken: Sequence[BrokenEntry] = ()
    resources: Sequence[LocalResource] = ()


def folder_servers(settings: Settings, texts: FolderTexts) -> FolderServerFiles:
    """**Returns** the servers that the folder offers."""
    if not settings.enabled:
        return FolderServerFiles()
    files = FILES if settings.other_tools else OURS
    key = ("mcp", settings.other_tools)
    found = texts.get(key, [], lambda reader: find_servers(files, texts.folders, reader))
    plugins = texts.folders.plugins
    if not plugins:
        return found
    more = [one for each in plugins for one in servers_of_plugin(each, texts.folders.home)]
    return FolderServerFiles(
        [*found.offered, *(each for each in more if isinstance(each, OfferedServer))],
        [*found.broken, *(each for each in more if isinstance(each, BrokenEntry))],
        found.resources,
    )


@lru_cache(maxsize=64)  # every run asks
def servers_of_plugin(plugin: "PluginContent", home: str) -> Sequence[OfferedServer | BrokenEntry]:
    """**Returns** the servers of a plugin, to which its user consented with the plugin."""
    from agls.plugin_files import filled  # noqa: PLC0415 - few users have plugins

    origin = f"the plugin {plugin.name}"
    read = of_gemini if plugin.dialect == "gemini" else usual_or_codex
    made: list[OfferedServer | BrokenEntry] = []
    for name, entry in plugin.servers.items():
        known = filled(entry, plugin)
        setting = known.problem or setting_of(known.value, read, plugin.root, home)
        if isinstance(setting, str):
            made.append(BrokenEntry(origin, name, setting))
            continue
        if setting.command:
            setting = setting.model_copy(update={"env": {**plugin.environment, **setting.env}})
        definition: JsonObject = {
            "plugin": plugin.name,
            **setting.model_dump(mode="json", exclude_defaults=True),
        }
        offer = Offer("server", name, origin, definition, plugin=plugin.root)
        made.append(OfferedServer(OF_PLUGIN.format(plugin.name, name), setting, offer))
    return made


def find_servers(
    files: Sequence[ServerFile], folders: TextFolders, reader: FolderReader
) -> FolderServerFiles:
    """**Returns** the servers in these files, below each folder of the project."""
    found = [
        each
        for folder in folders.project
        for file in files
        for each in _in_file(file, folder, folders.home, reader)
    ]
    offered = [each for each in found if isinstance(each, OfferedServer)]
    return FolderServerFiles(
        offered[:MOST],
        [each for each in found if isinstance(each, BrokenEntry)],
        [each for each in found if isinstance(each, LocalResource)],
    )


def _in_file(
    file: ServerFile, folder: str, home: str, reader: FolderReader
) -> Iterator[OfferedServer | BrokenEntry | LocalResource]:
    path = f"{folder}/{file.name}"
    shown = reader.shown(path)
    try:
        found = reader.text(path)
        said: object = _parsed(path, found[2]) if found else {}
    except json.JSONDecodeError as problem:
        yield BrokenEntry(shown, "", f"it is no JSON: {problem.msg}", problem.lineno)
        return
    except (WorkspaceError, ValueError, RecursionError) as problem:
        yield BrokenEntry(shown, "", str(problem))
        return
    if not is_object(said):
        yield BrokenEntry(shown, "", NO_OBJECT.format(file.member))
        return
    servers = value_in(said, file.member)
    if file.name in MANIFESTS:
        yield from _resources(said, folder, shown)
        servers = listed_servers(said) if servers is None else servers
    if servers is None or not found:
        if found and (other := _other_member(file, said)):
            problem = OTHER_MEMBER.format(other, file.member)
            yield BrokenEntry(shown, "", problem, _line_of(f'"{other}"', found[2]))
        return
    inputs = inputs_in(value_in(said, "inputs"), folder, shown) if file.read is of_editor else ()
    servers = with_inputs(servers, inputs)
    for name, setting in settings_in(servers, file.read, folder, home):
        if isinstance(setting, str):
            yield BrokenEntry(shown, name, setting, _line_of(name, found[2]))
            continue
        path = env_file_of(object_in(servers, name), folder, home) if file.read is of_editor else ""
        try:
            offered = offered_server(name, setting, shown, _env_file(path, reader))
            yield replace(offered, inputs=named_by(setting, inputs)) if inputs else offered
        except WorkspaceError as problem:
            yield BrokenEntry(shown, name, str(problem), _line_of(name, found[2]))


def _resources(said: object, folder: str, shown: str) -> Iterator[BrokenEntry | LocalResource]:
    for each in resources_in(said, folder, shown):
        yield BrokenEntry(shown, "", each) if isinstance(each, str) else each


def _other_member(file: ServerFile, said: object) -> str:
    """**Returns** the member in which another product would have the servers of such a file, "" for none."""
    is_for_servers = file.name.endswith("mcp.json")  # the others are settings, with members of their own
    return next((each for each in ("mcpServers", "servers") if is_for_servers and value_in(said, each)), "")


@frozen
class _EnvFile:
    """The file of variables of a server ("": none)."""

    path: str = ""
    shown: str = ""
    variables: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)


_NO_ENV_FILE = _EnvFile()


def _env_file(path: str, reader: FolderReader) -> _EnvFile:
    """**Returns** the variables in a file. **Raises** `WorkspaceError`."""
    if not path:
        return _EnvFile()
    try:
        found = reader.text(path)
    except WorkspaceError as problem:
        raise WorkspaceError(BAD_ENV_FILE.format(reader.shown(path), problem)) from None
    if found is None:
        raise WorkspaceError(NO_ENV_FILE.format(reader.shown(path)))
    return _EnvFile(path, reader.shown(path), variables_in(found[2]))


def offered_server(
    name: str, setting: ServerSetting, shown: str, more: _EnvFile = _NO_ENV_FILE, *, holder: str = ""
) -> OfferedServer:
    """**Returns** a server of a file. The values of a file of variables are not shown; it may not change."""
    definition: JsonObject = {"file": shown, **setting.model_dump(mode="json", exclude_defaults=True)}
    if more.path:
        definition |= {"envFile": more.shown, "variables": sorted(more.variables)}
        known = literal(dict(more.variables))
        setting = setting.model_copy(update={"env": {**known, **setting.env}})
    lines = (shlex.join([setting.command, *setting.args]),) if setting.command else ()
    files = (more.path,) if more.path else ()
    offer = Offer("server", name, shown, definition, commands=lines, files=files, folder=setting.cwd)
    return OfferedServer(name, setting, offer, holder=holder)


def _parsed(path: str, text: str) -> object:
    """**Returns** the values of a file; comments and last commas in JSON are left out."""
    if path.endswith(".toml"):
        return tomllib.loads(text)
    return with_comments(text)


def _line_of(name: str, text: str) -> int:
    """**Returns** the line that names a server first, 0 for none."""
    lines = enumerate(text.splitlines(), 1)
    return next((number for number, line in lines if name and name in line), 0)
