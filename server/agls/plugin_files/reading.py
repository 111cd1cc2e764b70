"""Reads the folder of a plugin: one reader for the manifests of several products. Nothing of it is run."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from agls.front_matter import key_remarks
from agls.json_values import is_list, is_object, list_in, object_in, objects_in, text_in
from agls.plain_file import read_plain
from agls.plugin_files.content import Dialect, OptionType, PluginContent, PluginOption, PluginProblem
from agls.regex import regex

MANIFESTS: Sequence[tuple[str, Dialect]] = (
    (".claude-plugin/plugin.json", "claude"),
    (".codex-plugin/plugin.json", "codex"),
    ("gemini-extension.json", "gemini"),
    (".cursor-plugin/plugin.json", "cursor"),
    (".github/plugin/plugin.json", "claude"),
    (".plugin/plugin.json", "claude"),
    (".claw-plugin/plugin.json", "claw"),
    ("plugin.json", "claw"),
)
LARGEST = 1_000_000  # bytes of a manifest
LONGEST = 1_000  # characters of a text
NAME = regex(r"[a-z0-9][a-z0-9-]{0,49}")
OPTION = regex(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")
_PARTS = "skills commands agents hooks mcpServers lspServers userConfig"
_ABOUT = "name version description author homepage repository license keywords displayName defaultEnabled"
_OF_GEMINI = "settings contextFileName excludeTools"
_TEXTS = "tools toolAliases virtualTools runtimeTools blockedTools toolHooks"
KNOWN = frozenset(
    f"{_PARTS} {_ABOUT} {_OF_GEMINI} {_TEXTS} interface strict source category tags logo $schema".split()
)
UNUSED_FOLDERS = ("bin", "monitors", "output-styles", "themes", "workflows", "policies", "rules")
UNUSED_FILES = ("settings.json",)
UNUSED_KEYS = (
    "outputStyles",
    "themes",
    "monitors",
    "workflows",
    "channels",
    "apps",
    "dependencies",
    "rules",
    "experimental",
    "plan",
    "migratedTo",
)
BAD_NAME = "{!r} is no name of a plugin: use up to 50 lower-case letters, digits and hyphens"
WRITTEN = "its name {!r} is written {} here"
NO_MANIFEST = "{} has no manifest of a plugin: none of {} is there"
OUTSIDE = "{}: {!r} leads out of the plugin"
CONTEXT = "GEMINI.md"
PARTLY = "excludeTools: single calls of a tool cannot be left out here ({}): write deny rules of your own"
ABSENT = "{}: there is no {}"


def own_name(name: str) -> str:
    """**Returns** the name of a plugin as it is written here."""
    return name.lower().replace("_", "-")


def read_plugin(root: str, entry: Mapping[str, Any] | None = None, name: str = "") -> PluginContent:
    """Return the plugin in a folder. **Raises** `PluginProblem`.

    `entry` is what a catalogue says of it, which stands in for keys that its manifest lacks. One without a
    manifest has the `name` that it was given, or that of its folder.
    """
    root = str(Path(root).resolve())
    file, dialect, said = _manifest(root)
    if not file and entry is None and not _has_parts(root):
        raise PluginProblem(NO_MANIFEST.format(root, ", ".join(each for each, _ in MANIFESTS)))
    values = {**(entry or {}), **said}
    said_name = text_in(values.get("name")) or name or Path(root).name
    own = own_name(said_name)
    if not NAME.fullmatch(own):
        raise PluginProblem(BAD_NAME.format(said_name[:100]))
    remarks = [] if own == said_name else [WRITTEN.format(said_name, own)]
    return _ManifestParts(root, values, dialect, remarks).content(own, file)


def _manifest(root: str) -> tuple[str, Dialect, Mapping[str, Any]]:
    for name, dialect in MANIFESTS:
        path = f"{root}/{name}"
        if Path(path).is_symlink() or Path(path).exists():
            return path, dialect, _object(path, root, name)
    return "", "plain", {}


def _has_parts(root: str) -> bool:
    parts = ("skills", "commands", "agents", "hooks/hooks.json", ".mcp.json", "SKILL.md")
    return any(Path(root, part).exists() for part in parts)


def _object(path: str, root: str, shown: str) -> Mapping[str, Any]:
    """Return the object in a file of JSON. **Raises** `PluginProblem`."""
    if not _is_inside(path, root):
        raise PluginProblem(OUTSIDE.format(shown, str(Path(path).resolve())))
    try:
        data = read_plain(path, LARGEST + 1)
        if len(data) > LARGEST:
            raise PluginProblem(f"{shown} has more than {LARGEST:,} bytes")
        said: Any = json.loads(data.decode("utf-8-sig"))
    except json.JSONDecodeError as problem:
        raise PluginProblem(f"{shown}, line {problem.lineno}: it is no JSON: {problem.msg}") from None
    except (OSError, ValueError, RecursionError) as problem:
        raise PluginProblem(f"{shown} cannot be read: {problem}") from None
    if not is_object(said):
        raise PluginProblem(f"{shown}, line 1: it is no JSON object")
    return said


def _is_inside(path: str, root: str) -> bool:
    real = str(Path(path).resolve())
    return real == root or real.startswith(f"{root}/")


class _ManifestParts:
    """Reads the parts that a manifest names, and those in their usual places."""

    def __init__(self, root: str, said: Mapping[str, Any], dialect: Dialect, remarks: list[str]) -> None:
        self._root, self._said = root, said
        self._dialect: Dialect = dialect
        self._remarks = remarks

    def content(self, name: str, file: str) -> PluginContent:
        """Return all of it."""
        said = self._said
        return PluginContent(
            name=name,
            root=self._root,
            dialect=self._dialect,
            manifest=file,
            version=_text(said, "version"),
            description=_text(said, "description"),
            skills=self._skills(),
            commands=self._commands(),
            agents=self._places("agents"),
            hooks=tuple(self._hooks()),
            servers=self._servers(),
            languages=self._entries("lspServers", (".lsp.json",)),
            options=tuple(self._options()),
            context=tuple(self._context()),
            blocked=self._blocked(),
            unused=tuple(self._unused()),
            remarks=self._remarks,
        )

    def _skills(self) -> Sequence[str]:
        named = list(self._named("skills"))
        if named and self._said.get("strict") is False:  # several plugins of a catalogue share its folder
            return tuple(dict.fromkeys(named))
        usual = [self._root] if self._is_file("SKILL.md") else self._usual("skills")
        return tuple(
            dict.fromkeys((*usual, *(path for path in named if str(Path(path).parent) not in usual)))
        )

    def _is_file(self, name: str) -> bool:
        return Path(self._root, name).is_file()

    def _places(self, part: str) -> Sequence[str]:
        return tuple(self._named(part)) if part in self._said else tuple(self._usual(part))

    def _commands(self) -> Sequence[str]:
        """Return folders and files of commands; an object names a file for each."""
        said = self._said.get("commands")
        if not is_object(said):
            return self._places("commands")
        found: list[str] = []
        for name, each in said.items():
            source = text_in(object_in(each).get("source"))
            if not source:
                self._remarks.append(f"commands: {name[:60]}: write it into a file, and that as its source")
            elif path := self._path("commands", source):
                found.append(path)
                if Path(path).stem != name:
                    self._remarks.append(f"commands: {name[:60]}: it is called {Path(path).stem[:60]} here")
        return found

    def _usual(self, part: str) -> Sequence[str]:
        path = f"{self._root}/{part}"
        return [path] if Path(path).is_dir() and self._path(part, f"./{part}") else []

    def _named(self, part: str) -> Iterator[str]:
        said = self._said.get(part)
        for each in said if is_list(said) else [said]:
            if isinstance(each, str) and (path := self._path(part, each)):
                yield path
            elif each is not None and not isinstance(each, str):
                self._remarks.append(f"{part}: write paths such as ./{part}")

    def _path(self, part: str, said: str) -> str:
        """Return the path that is meant, "" with a remark where there is none inside."""
        path = os.path.normpath(f"{self._root}/{said.replace('${CLAUDE_PLUGIN_ROOT}', '.')}")
        if not _is_inside(path, self._root):
            self._remarks.append(OUTSIDE.format(part, said[:100]))
        elif not Path(path).exists():
            self._remarks.append(ABSENT.format(part, said[:100]))
        else:
            return path
        return ""

    def _hooks(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        usual = f"{self._root}/hooks/hooks.json"
        said = self._said.get("hooks")
        named = said if is_list(said) else [said]
        paths = [path for each in named if isinstance(each, str) and (path := self._path("hooks", each))]
        for path in dict.fromkeys((*((usual,) if Path(usual).is_file() else ()), *paths)):
            if found := self._read(path):
                yield self._shown(path), object_in(found, "hooks") or found
        for each in objects_in(named):
            inline = object_in(each, "hooks") or each
            if groups := {
                event: value for event, value in inline.items() if is_list(value) and self._is_event(event)
            }:
                yield "the manifest", groups

    def _is_event(self, key: str) -> bool:
        """Return whether a key of inline hooks is an event; texts of a manifest begin with a small letter."""
        return self._dialect == "cursor" or key[:1].isupper()

    def _context(self) -> Iterator[str]:
        """Yield the files that an extension for Gemini wants read."""
        if self._dialect != "gemini":
            return
        said = self._said.get("contextFileName") or [CONTEXT] * self._is_file(CONTEXT)
        for each in said if is_list(said) else [said]:
            if isinstance(each, str) and (path := self._path("contextFileName", each)):
                yield path

    def _blocked(self) -> Sequence[str]:
        """Return the tools that an extension for Gemini leaves out, by its names."""
        if self._dialect != "gemini":
            return ()
        said = [each for each in list_in(self._said.get("excludeTools")) if isinstance(each, str)]
        if partly := [each for each in said if "(" in each]:
            self._remarks.append(PARTLY.format(", ".join(partly)[:200]))
        return tuple(each for each in said if "(" not in each)

    def _servers(self) -> Mapping[str, Any]:
        usual = (".mcp.json", "mcp.json") if self._dialect == "cursor" else (".mcp.json",)
        return self._entries("mcpServers", usual)

    def _entries(self, part: str, usual: Sequence[str]) -> Mapping[str, Any]:
        """Return the entries that the manifest has, or the files that it names, or those in usual places."""
        found: dict[str, Any] = {}
        said = self._said.get(part)
        files = [f"{self._root}/{name}" for name in usual if self._is_file(name)]
        for each in said if is_list(said) else [said]:
            if isinstance(each, str) and (path := self._path(part, each)):
                files.append(path)
            elif is_object(each):
                found |= each
        for path in dict.fromkeys(files):
            read = self._read(path)
            found = {**(object_in(read, part) or object_in(read, "mcp_servers") or read), **found}
        return found

    def _read(self, path: str) -> Mapping[str, Any]:
        try:
            return _object(path, self._root, self._shown(path))
        except PluginProblem as problem:
            self._remarks.append(str(problem))
            return {}

    def _shown(self, path: str) -> str:
        return path.removeprefix(f"{self._root}/")

    def _options(self) -> Iterator[PluginOption]:
        for name, said in object_in(self._said, "userConfig").items():
            if OPTION.fullmatch(name) and is_object(said):
                yield _option(name, said)
            else:
                self._remarks.append(f"userConfig: {name[:60]!r} needs a name of letters and an object")
        for said in objects_in(self._said.get("settings")):  # of an extension for Gemini
            name = text_in(said.get("envVar")) or text_in(said.get("name"))
            if OPTION.fullmatch(name):
                yield PluginOption(
                    name,
                    title=_text(said, "name"),
                    description=_text(said, "description"),
                    sensitive=said.get("sensitive") is True,
                    variable=text_in(said.get("envVar")),
                )

    def _unused(self) -> Iterator[str]:
        yield from (f"{name}/" for name in UNUSED_FOLDERS if Path(self._root, name).is_dir())
        yield from (name for name in UNUSED_FILES if self._is_file(name))
        named = (key for key in UNUSED_KEYS if self._said.get(key))
        yield from (key for key in named if not Path(self._root, key).is_dir())
        self._remarks += key_remarks(self._said, {*KNOWN, *UNUSED_KEYS})


def _option(name: str, said: Mapping[str, Any]) -> PluginOption:
    kind: Any = said.get("type")
    default = said.get("default")
    return PluginOption(
        name,
        kind if kind in get_args(OptionType) else "string",
        _text(said, "title"),
        _text(said, "description"),
        str(default).lower() if isinstance(default, bool) else str(default) if default is not None else "",
        said.get("required") is True,
        said.get("sensitive") is True,
    )


def _text(said: Mapping[str, Any], key: str) -> str:
    value = said.get(key)
    return " ".join(str(value).split())[:LONGEST] if isinstance(value, str | int | float) else ""
