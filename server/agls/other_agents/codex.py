"""Codex: `~/.codex`, and `.codex` of the project."""

from collections.abc import Iterator
from pathlib import Path

from agls.json_values import object_in, text_in
from agls.other_agents.claude import instructions
from agls.other_agents.findings import (
    CommandText,
    Finding,
    LeftOut,
    RuleFound,
    hooks_in_place,
    unread_settings,
    without_room,
)
from agls.other_agents.foreign_files import ForeignFiles
from agls.other_agents.rules import codex_rules
from agls.regex import regex

KNOWN = {"model", "mcp_servers", "hooks", "agents", "approval_policy", "sandbox_mode", "projects"}
ASKING = "agls asks in its own modes (docs/config.md); {} = {} is not switched on by an import"
NAMED = "in agls they have a place, not a name: write `arguments: [{}]` into its front matter"
_NAMED = regex(r"(?<!\$)\$([A-Z][A-Z0-9_]+)\b")
TRUST = "a folder is trusted for each agent apart: agls trust"


def home(files: ForeignFiles) -> Path:
    """**Returns** its folder."""
    return files.at_home("CODEX_HOME", ".codex")


def look(files: ForeignFiles) -> Iterator[Finding]:
    """Yield what it keeps."""
    own = home(files)
    override = own / "AGENTS.override.md"
    yield from instructions(files, override if files.text(override).strip() else own / "AGENTS.md")
    for path in files.below(own / "prompts", ".md"):
        if path.parent == own / "prompts":  # those below it are none there either
            text = files.text(path)
            yield CommandText(files.shown(path), path.name, text)
            if named := sorted(set(_NAMED.findall(text)) - {"ARGUMENTS"}):
                yield LeftOut(files.shown(path), "named arguments", NAMED.format(", ".join(named)))
    yield from _layer(files, own, project=False)
    yield from without_room(files.shown(own / "skills"), "skills", files.names_in(own / "skills"))
    if remembered := files.names_in(own / "memories"):
        why = "they are the notes of Codex about its own sessions, in a form of its own"
        yield LeftOut(files.shown(own / "memories"), f"memories: {', '.join(remembered)}", why)
    if files.folder:
        yield from _layer(files, files.folder / ".codex", project=True)


def _layer(files: ForeignFiles, own: Path, *, project: bool) -> Iterator[Finding]:
    path = own / "config.toml"
    values, source = files.toml(path), files.shown(path)
    yield from without_room(source, "mcp", object_in(values, "mcp_servers"))
    yield from without_room(source, "hooks", object_in(values, "hooks"))
    yield from without_room(source, "model", [text_in(values["model"])] if values.get("model") else [])
    for name in ("approval_policy", "sandbox_mode"):
        if value := values.get(name):
            yield LeftOut(source, f"{name}", ASKING.format(name, value))
    if values.get("projects"):
        yield LeftOut(source, "trusted projects", TRUST)
    yield from unread_settings(source, values, KNOWN)
    yield from without_room(files.shown(own / "agents"), "agents", files.names_in(own / "agents"))
    yield from hooks_in_place(
        files.shown(own / "hooks.json"), object_in(files.json(own / "hooks.json"), "hooks")
    )
    for each in files.below(own / "rules", ".rules"):
        yield from _rules(files, each, project=project)


def _rules(files: ForeignFiles, path: Path, *, project: bool) -> Iterator[Finding]:
    source = files.shown(path)
    try:
        for shown, kind, rules in codex_rules(files.text(path)):
            for rule in rules or ("",):
                yield RuleFound(source, kind, rule, shown, project)
    except (SyntaxError, ValueError, RecursionError) as problem:
        yield LeftOut(source, "the file", f"it cannot be read: {problem}")
