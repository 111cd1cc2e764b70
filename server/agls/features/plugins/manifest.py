"""What the manifest of a plugin says: only texts, names and templates. Nothing of it is ever run."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.instruction_files import FolderReader, plain
from agls.instruction_files.folder_texts import FolderTexts
from agls.json_values import is_list, is_object
from agls.prompt_files.agent_tools import tools_in
from agls.regex import regex
from agls.short_text import cut

if TYPE_CHECKING:
    from agls.plugin_files import PluginContent

FILE = "plugin.json"
OF_PROJECT = (".codex-plugin/plugin.json", ".claw-plugin/plugin.json")
LONGEST = 4_000  # characters of a text
LONGEST_CONTEXT = 20_000  # characters of a whole file
MOST = 50  # of each kind in one manifest
NAME = regex(r"[A-Za-z0-9_-]{1,64}")
TEXTS = ("beforePrompt", "afterTurn", "onResume", "beforePersist", "beforeDelegate", "afterDelegate")
TOOL_TEXTS = ("beforeTool", "afterResult", "blockMessage")
_KEYS = """
    name version description tools hooks toolAliases virtualTools runtimeTools blockedTools toolHooks
    author homepage repository license keywords displayName"""
OF_INSTALLED = frozenset(["agents", "apps", "commands", "interface", "mcpServers", "skills"])
KEYS = frozenset(_KEYS.split())
NO_SCHEMA: Mapping[str, Any] = {"type": "object", "properties": {}}
_SNAKE = regex(r"_([a-z])")


@frozen
class OtherName:
    """Another name for a tool."""

    name: str
    base: str
    description: str = ""


@frozen
class VirtualTool:
    """A tool that answers with a template, in which `{name}` stands for an argument."""

    name: str
    description: str
    template: str
    schema: Mapping[str, Any]


@frozen
class PluginManifest:
    """A manifest: `texts` by their moment, `tool_texts` by tool and moment, and what is wrong with it."""

    name: str
    shown: str
    version: str = ""
    description: str = ""
    tools: Sequence[str] = ()
    texts: Mapping[str, str] = field(default_factory=dict[str, str])
    tool_texts: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])
    aliases: Sequence[OtherName] = ()
    virtual: Sequence[VirtualTool] = ()
    blocked: Sequence[str] = ()
    problem: str = ""
    remarks: Sequence[str] = ()

    @property
    def acts(self) -> bool:
        """Whether a run is another with it."""
        return bool(self.texts or self.tool_texts or self.aliases or self.virtual or self.blocked)

    def refusal(self, tool: str) -> str | None:
        """**Returns** why a tool is blocked, "" without a reason, `None` when it is not."""
        message = self.tool_texts.get(tool, {}).get("blockMessage")
        return message if message is not None else "" if tool in self.blocked else None


def manifests(texts: FolderTexts) -> Sequence[PluginManifest]:
    """**Returns** the manifests of trusted folders, broken ones too; of one name the first counts."""
    roots = tuple(texts.folders.project)
    found = texts.get(("plugins",), (), lambda reader: find_manifests(roots, reader))
    plugins = tuple(each for each in texts.folders.plugins if each.manifest)
    if not plugins:
        return found
    files = tuple(path for each in plugins for path in (each.manifest, *each.context))
    own = texts.get(("plugins", "installed"), files, lambda reader: of_installed(plugins, reader))
    names = {each.name for each in own}
    return (*own, *(each for each in found if each.problem or each.name not in names))


def of_installed(plugins: Sequence["PluginContent"], reader: FolderReader) -> Sequence[PluginManifest]:
    """**Returns** what the manifests of installed plugins say to models and of tools, if they do.

    Their other keys, and what is wrong with any, are those of the whole plugin.
    """
    found = (
        _with_parts(each, plugin, reader) for plugin in plugins if (each := _read(plugin.manifest, reader))
    )
    return tuple(replace(each, remarks=()) for each in found if not each.problem and each.acts)


def _with_parts(manifest: PluginManifest, plugin: "PluginContent", reader: FolderReader) -> PluginManifest:
    """**Returns** a manifest with what an extension for Gemini says in other words."""
    read = [each for path in plugin.context if (each := reader.text(path))]
    if not (read or plugin.blocked):
        return manifest
    context = "\n\n".join(cut(plain(text), LONGEST_CONTEXT) for _, _, text in read)
    said = {"beforePrompt": context, **manifest.texts} if context else manifest.texts
    tools = tools_in({"disallowedTools": [*plugin.blocked]})
    blocked = [*manifest.blocked, *tools.denied, *tools.unknown]
    return replace(manifest, texts=said, blocked=blocked)


def find_manifests(roots: Sequence[str], reader: FolderReader) -> Sequence[PluginManifest]:
    """**Returns** the manifests in these folders."""
    found: dict[str, PluginManifest] = {}
    for root in roots:
        own = [f"{root}/{name}" for name in OF_PROJECT]
        for path in (*own, *reader.holders(f"{root}/plugins", (FILE,), 1)):
            each = _read(path, reader)
            if each and (each.problem or each.name not in found):
                found[each.shown if each.problem else each.name] = each
    return tuple(found.values())


def _read(path: str, reader: FolderReader) -> PluginManifest | None:
    shown = reader.shown(path)
    try:
        read = reader.text(path)
        if read is None:
            return None
        said = json.loads(read[2])
    except json.JSONDecodeError as problem:
        why = f"line {problem.lineno}: it is no JSON: {problem.msg}"
        return PluginManifest(PurePath(path).parent.name, shown, problem=why)
    except (WorkspaceError, ValueError, RecursionError) as problem:
        return PluginManifest(PurePath(path).parent.name, shown, problem=str(problem))
    if not is_object(said):
        return PluginManifest(PurePath(path).parent.name, shown, problem="line 1: it is no JSON object")
    return manifest_of(_camel(said), shown)


def manifest_of(said: Mapping[str, Any], shown: str) -> PluginManifest:
    """**Returns** what the object of a manifest says; its keys are in camel case."""
    name = _text(said.get("name"))
    if not name:
        return PluginManifest("", shown, problem='it has no name: write "name": "..."')
    hooks, tool_hooks = _object(said, "hooks"), _object(said, "toolHooks")
    remarks = [
        *_later(said),
        *_unknown(said, KEYS | OF_INSTALLED, ""),
        *_unknown(hooks, frozenset(TEXTS), "hooks."),
    ]
    for tool, each in tool_hooks.items():
        remarks += _unknown(each if is_object(each) else {}, frozenset(TOOL_TEXTS), f"toolHooks.{tool}.")
    aliases, virtual = [*_aliases(said, remarks)], [*_virtual(said, remarks)]
    return PluginManifest(
        name=name[:64],
        shown=shown,
        version=_text(said.get("version")),
        description=_text(said.get("description")),
        tools=_texts(said.get("tools")),
        texts={key: text for key in TEXTS if (text := _text(hooks.get(key)))},
        tool_texts={
            tool: {key: _text(each.get(key)) for key in TOOL_TEXTS if key in each}
            for tool, each in tool_hooks.items()
            if is_object(each)
        },
        aliases=aliases,
        virtual=virtual,
        blocked=_texts(said.get("blockedTools")),
        remarks=remarks,
    )


def _aliases(said: Mapping[str, Any], remarks: list[str]) -> Iterator[OtherName]:
    for each in _objects(said, "toolAliases"):
        name, base = _text(each.get("name")), _text(each.get("baseTool"))
        if NAME.fullmatch(name) and base:
            yield OtherName(name, base, _text(each.get("description")))
        else:
            remarks.append(f"toolAliases: {name or '?'} needs a name of letters and digits, and a baseTool")


def _virtual(said: Mapping[str, Any], remarks: list[str]) -> Iterator[VirtualTool]:
    for each in (*_objects(said, "virtualTools"), *_objects(said, "runtimeTools")):
        name, template = _text(each.get("name")), _text(each.get("responseTemplate"))
        schema = each.get("parameters")
        if NAME.fullmatch(name) and template:
            kept = schema if is_object(schema) and schema.get("type") == "object" else NO_SCHEMA
            yield VirtualTool(name, _text(each.get("description")) or name, template, kept)
        else:
            remarks.append(f"virtualTools: {name or '?'} needs a name of letters and digits, and a template")


def _later(said: Mapping[str, Any]) -> Iterator[str]:
    if named := sorted(OF_INSTALLED & said.keys()):
        yield f"what it says of {', '.join(named)} counts once it is installed: agls plugin add FOLDER"


def _unknown(said: Mapping[str, Any], known: frozenset[str], where: str) -> Iterator[str]:
    if unknown := [f"{where}{plain(key)[:40]}" for key in said if key not in known]:
        yield f"these keys have no effect here: {', '.join(unknown[:10])}"


def _camel(value: Any, *, names: bool = False) -> Any:
    """**Returns** the object with its keys in camel case, but for the names of tools and parameters."""
    if not is_object(value):
        return [_camel(each) for each in value] if is_list(value) else value
    made: dict[str, Any] = {}
    for key, each in value.items():
        short = key if names else _SNAKE.sub(lambda found: found[1].upper(), key)
        made[short] = (
            each if short in {"parameters", "metadata"} else _camel(each, names=short == "toolHooks")
        )
    return made


def _object(said: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = said.get(key)
    return value if is_object(value) else {}


def _objects(said: Mapping[str, Any], key: str) -> Sequence[Mapping[str, Any]]:
    value = said.get(key)
    return [each for each in value if is_object(each)][:MOST] if is_list(value) else ()


def _texts(value: object) -> Sequence[str]:
    return (
        [plain(str(each))[:200] for each in value if isinstance(each, str)][:MOST] if is_list(value) else ()
    )


def _text(value: object) -> str:
    """**Returns** a text; several are lines of one."""
    if is_list(value):
        return cut("\n".join(plain(each) for each in value if isinstance(each, str)), LONGEST)
    return cut(plain(value), LONGEST) if isinstance(value, str) else ""
