"""MCP servers written into the user's config file or the `.mcp.json` of a folder, and taken out again."""

import json
from collections.abc import Mapping
from pathlib import Path

from agls.config.editing import PreparedSettings, SettingsEditor
from agls.config.errors import ConfigError
from agls.config.setup import Setup
from agls.config.sources import Rank
from agls.config.tables import KeyPath, value_at
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.json_values import is_object, object_in
from agls.plain_file import read_plain
from agls.regex import regex
from agls.stores.disk import replace_whole

PROJECT_FILE, MEMBER = ".mcp.json", "mcpServers"
TABLE: KeyPath = ("mcp", "servers")
MEMBERS = ("type", "command", "args", "env", "cwd", "url", "headers")
OTHER_TYPES = {"streamable-http": "http", "local": "stdio", "remote": "http"}
THERE = "{} has a server {!r} already. Take it out first: agls mcp remove {}"
ABSENT = "no server {!r} stands in {}. agls mcp list names the file of each"
UNTRUSTED = "The folder {} is not trusted, so its servers are not read. Trust it first: agls trust"
ELSEWHERE = "{} leads out of the folder {}, so it is left alone"
NO_OBJECT = "this is no JSON object without comments; change it by hand"
BOTH = "{0!r} stands in {1} and in {2}. Say which one: agls mcp remove {0} --scope user, or --scope project"
UNKNOWN = "an entry has the members {} here, not {!r}; write it into the file yourself"
NOT_JSON = "this is no JSON object: {}"
SECRET = (
    "{} stands there as it is, for everybody who reads the file. Better name a variable, "
    "${{{}}}, and set that where agls is started."
)
NAMES = "{!r} cannot be the name of a server: letters and digits, then also . _ - and blanks, at most 60"
_NAME = regex(r"[A-Za-z0-9][A-Za-z0-9 ._-]{0,59}")
_SECRET = regex(r"(?i)authorization|token|secret|passw|api[-_]?key")
NO_FILE_MODE = 0o644  # of a new file of a project
LARGEST = 1_000_000  # bytes of a file of servers


@frozen
class ServerChange:
    """What was changed: the file, and a remark on it."""

    file: Path
    remark: str = ""


def entry_from(text: str) -> JsonObject:
    """**Returns** a server that is written as in `.mcp.json`. **Raises** `ConfigError`."""
    try:
        said: object = json.loads(text)
    except ValueError as problem:
        raise ConfigError(NOT_JSON.format(problem)) from None
    if not is_object(said):
        raise ConfigError(NOT_JSON.format(text[:60]))
    if other := sorted(said.keys() - {*MEMBERS}):
        raise ConfigError(UNKNOWN.format(", ".join(MEMBERS), other[0]))
    kind = said.get("type", "")
    return {**said, "type": OTHER_TYPES.get(kind, kind)} if "type" in said else said


class ServerEntries:
    """Writes servers where they are configured. Everything is checked before."""

    def __init__(self, setup: Setup, folder: str, editor: SettingsEditor) -> None:
        self._setup, self._editor = setup, editor
        self._folder = folder

    def add(self, name: str, entry: JsonObject, *, project: bool) -> ServerChange:
        """Write a server. **Raises** `ConfigError` and `OSError`."""
        before = self._of_project() if project else {}
        file = self._project_file if project else self._setup.config_file
        if name in (object_in(before, MEMBER) if project else self._of_user()):
            raise ConfigError(THERE.format(file, name, name))
        prepared = self._checked(name, entry)
        if project:
            _write(file, {**before, MEMBER: {**object_in(before, MEMBER), name: entry}})
        else:
            self._editor.apply(prepared)
        return ServerChange(file, _remark(entry))

    def _checked(self, name: str, entry: JsonObject) -> PreparedSettings:
        """**Returns** the user's file with the server in it. **Raises** `ConfigError` and `OSError`."""
        if not _NAME.fullmatch(name):
            raise ConfigError(NAMES.format(name))
        try:
            return self._editor.prepare({(*TABLE, name, key): value for key, value in entry.items()})
        except ConfigError as problem:
            if not problem.key.startswith(".".join((*TABLE, name))):
                raise
            raise ConfigError(problem.message, key=name) from None  # its line is in no file yet

    def remove(self, name: str, scope: str = "") -> ServerChange:
        """Take a server out of the file that it stands in. **Raises** `ConfigError` and `OSError`."""
        of_user = scope != "project" and name in self._of_user()
        before = self._of_project() if scope == "project" or self._may_look(scope) else {}
        of_project = name in object_in(before, MEMBER)
        if of_user and of_project:
            raise ConfigError(BOTH.format(name, self._setup.config_file, self._project_file))
        if of_project:
            servers = {key: each for key, each in object_in(before, MEMBER).items() if key != name}
            _write(self._project_file, {**before, MEMBER: servers})
            return ServerChange(self._project_file)
        if not of_user:
            own, shared = str(self._setup.config_file), str(self._project_file)
            raise ConfigError(ABSENT.format(name, {"user": own, "project": shared}.get(scope, own)))
        self._editor.apply(self._editor.prepare({(*TABLE, name): None}))
        return ServerChange(self._setup.config_file)

    @property
    def _project_file(self) -> Path:
        return Path(self._folder, PROJECT_FILE)

    def _may_look(self, scope: str) -> bool:
        return not scope and self._setup.trusts_folder(self._folder) and self._project_file.exists()

    def _of_user(self) -> JsonObject:
        mine = next((each.values for each in self._setup.sources if each.rank is Rank.USER), JsonObject())
        found = value_at(mine, TABLE)
        return found if is_object(found) else {}

    def _of_project(self) -> JsonObject:
        """**Returns** what the folder's file says. **Raises** `ConfigError` and `OSError`."""
        file = self._project_file
        if not self._setup.trusts_folder(self._folder):
            raise ConfigError(UNTRUSTED.format(self._folder))
        if not file.resolve().is_relative_to(Path(self._folder).resolve()):
            raise ConfigError(ELSEWHERE.format(file, self._folder))
        try:
            said: object = json.loads(read_plain(file, LARGEST).decode("utf-8-sig") or "{}")
        except FileNotFoundError:
            return {}
        except (ValueError, RecursionError):
            raise ConfigError(NO_OBJECT, file=str(file)) from None
        if not is_object(said) or not is_object(said.get(MEMBER, {})):
            raise ConfigError(NO_OBJECT, file=str(file))
        return said


def _write(file: Path, said: JsonObject) -> None:
    """Replace the file as a whole, with its mode; where a link leads, its target. **Raises** `OSError`."""
    file = file.resolve()
    mode = file.stat().st_mode & 0o777 if file.exists() else NO_FILE_MODE
    replace_whole(file, (json.dumps(said, indent=2, ensure_ascii=False) + "\n").encode())
    file.chmod(mode)


def _remark(entry: Mapping[str, object]) -> str:
    """**Returns** that a value looks like a secret, "" where none does."""
    for member in ("env", "headers"):
        for name, value in object_in(entry, member).items():
            if _SECRET.search(name) and "${" not in str(value):
                variable = name.upper().replace("-", "_")
                return SECRET.format(f"The value of {name}", variable)
    return ""
