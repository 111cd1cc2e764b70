"""Gemini CLI: `~/.gemini`, and `.gemini` of the project."""

from collections.abc import Iterator
from pathlib import Path

from agls.json_values import is_list, list_in, object_in, objects_in, text_in
from agls.other_agents.claude import IN_PLACE
from agls.other_agents.findings import (
    Finding,
    ForeignInstructions,
    LeftOut,
    RuleFound,
    RuleKind,
    unread_settings,
    without_room,
)
from agls.other_agents.foreign_files import ForeignFiles
from agls.other_agents.notes import entries_of
from agls.other_agents.rules import DECISIONS, gemini_rules, gemini_tool

REMEMBERED = "## Gemini Added Memories"
KNOWN = {"mcpServers", "hooks", "tools", "excludeTools", "allowedTools", "model"}
LISTS: dict[str, RuleKind] = {"exclude": "deny", "allowed": "allow"}


def home(files: ForeignFiles) -> Path:
    """**Returns** its folder."""
    return files.home / ".gemini"


def look(files: ForeignFiles) -> Iterator[Finding]:
    """Yield what it keeps."""
    own = home(files)
    path = own / "GEMINI.md"
    words, _, remembered = files.text(path).partition(REMEMBERED)
    notes, heading, rest = remembered.partition("\n#")
    words = f"{words.strip()}\n\n#{rest}" if heading else words
    if words.strip():
        yield ForeignInstructions(files.shown(path), words.strip())
    yield from entries_of(notes, files.shown(path), project=False)
    if files.names_in(own / "commands"):
        yield LeftOut(files.shown(own / "commands"), "commands", IN_PLACE, stays=True)
    yield from _layer(files, own, project=False)
    yield from without_room(files.shown(own / "extensions"), "skills", files.names_in(own / "extensions"))
    if files.folder:
        yield from _layer(files, files.folder / ".gemini", project=True)


def _layer(files: ForeignFiles, own: Path, *, project: bool) -> Iterator[Finding]:
    path = own / "settings.json"
    values, source = files.json(path), files.shown(path)
    tools = object_in(values, "tools")
    named = {
        "exclude": [*list_in(tools.get("exclude")), *list_in(values.get("excludeTools"))],
        "allowed": [*list_in(tools.get("allowed")), *list_in(values.get("allowedTools"))],
    }
    for name, kind in LISTS.items():
        for text in filter(None, map(text_in, named[name])):
            yield RuleFound(source, kind, gemini_tool(text) or "", text, project)
    yield from without_room(source, "mcp", object_in(values, "mcpServers"))
    yield from without_room(source, "hooks", object_in(values, "hooks"))
    name = text_in(object_in(values, "model").get("name")) or text_in(values.get("model"))
    yield from without_room(source, "model", [name] if name else [])
    rest = {**values, **dict.fromkeys(f"tools.{each}" for each in set(tools) - set(LISTS))}
    yield from unread_settings(source, rest, KNOWN)
    yield from without_room(files.shown(own / "agents"), "agents", files.names_in(own / "agents"))
    yield from without_room(files.shown(own / "skills"), "skills", files.names_in(own / "skills"))
    for each in files.below(own / "policies", ".toml"):
        yield from _policies(files, each, project=project)


def _policies(files: ForeignFiles, path: Path, *, project: bool) -> Iterator[Finding]:
    for rule in objects_in(files.toml(path).get("rule")):
        kind = DECISIONS.get(text_in(rule.get("decision")), "ask")
        about = rule.get("commandPrefix") or rule.get("commandRegex") or rule.get("toolName") or "every tool"
        shown = ", ".join(map(str, about)) if is_list(about) else str(about)
        for each in gemini_rules(rule) or ("",):
            yield RuleFound(files.shown(path), kind, each, shown, project)
