"""Claude Code: `~/.claude`, and `.claude` of the project."""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from agls.front_matter import names, split
from agls.json_values import list_in, object_in, text_in
from agls.other_agents.findings import (
    DECISION_KINDS,
    Finding,
    ForeignInstructions,
    LeftOut,
    RuleFound,
    hooks_in_place,
    unread_settings,
    without_room,
)
from agls.other_agents.foreign_files import ForeignFiles
from agls.other_agents.notes import entries_of
from agls.other_agents.rules import claude_rule
from agls.regex import regex

MODES = {"acceptEdits": "acceptEdits", "plan": "plan"}
KNOWN = {"permissions", "hooks", "mcpServers", "model"}
SCOPED = (
    "it is for some files only ({}), and your own instructions hold for all: put it into a project's rules"
)
MODE = "its default mode is {}; to have it here: agls config set permissions.mode {}"
IN_PLACE = "agls reads these where they are (docs/commands.md)"
PROJECT_READ = (
    "agls reads a project's CLAUDE.md, its rules and its commands where they are (docs/instructions.md)"
)
IMPORTS = "it imports {}; copied, the import would lead elsewhere: write the text itself, or its whole path"
_IMPORT = regex(r"(?:^|(?<=\s))@(?!/|~/)([\w./-]+)")


def home(files: ForeignFiles) -> Path:
    """**Returns** its folder."""
    return files.at_home("CLAUDE_CONFIG_DIR", ".claude")


def look(files: ForeignFiles) -> Iterator[Finding]:
    """Yield what it keeps."""
    own = home(files)
    yield from instructions(files, own / "CLAUDE.md")
    for path in files.below(own / "rules", ".md"):
        yield from _rule_file(files, path)
    yield from _memory(files, own)
    if files.names_in(own / "commands"):
        yield LeftOut(files.shown(own / "commands"), "commands", IN_PLACE, stays=True)
    yield from _settings(files, own / "settings.json", project=False)
    for kind in ("agents", "skills"):
        yield from without_room(files.shown(own / kind), kind, files.names_in(own / kind))
    state = files.home / ".claude.json"
    servers = files.json(state)
    yield from without_room(files.shown(state), "mcp", object_in(servers, "mcpServers"))
    if files.folder:
        yield from _project(files, files.folder, object_in(servers, "projects", str(files.folder)))


def instructions(files: ForeignFiles, path: Path) -> Iterator[Finding]:
    """Yield a file of instructions, and what of it would not mean the same elsewhere."""
    text = files.text(path).strip()
    if not text:
        return
    yield ForeignInstructions(files.shown(path), text)
    if relative := sorted(set(_IMPORT.findall(text))):
        found = [each for each in relative if (path.parent / each).is_file()]
        if found:
            yield LeftOut(
                files.shown(path), "imports", IMPORTS.format(", ".join(f"@{each}" for each in found))
            )


def _rule_file(files: ForeignFiles, path: Path) -> Iterator[Finding]:
    values, body, _ = split(files.text(path))
    if globs := names(values.get("paths")):
        yield LeftOut(files.shown(path), "a rule", SCOPED.format(", ".join(globs)))
    elif body.strip():
        yield ForeignInstructions(files.shown(path), body.strip())


def _memory(files: ForeignFiles, own: Path) -> Iterator[Finding]:
    """Yield what it remembers of this project, which it names by its path."""
    if files.folder is None:
        return
    folder = own / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(files.folder)) / "memory"
    for path in files.below(folder, ".md"):
        yield from entries_of(split(files.text(path)).body, files.shown(path), project=True)


def _project(files: ForeignFiles, folder: Path, state: Mapping[str, Any]) -> Iterator[Finding]:
    own = folder / ".claude"
    if own.is_dir() or (folder / "CLAUDE.md").is_file():
        yield LeftOut(str(folder), "instructions and commands", PROJECT_READ, stays=True)
    for name in ("settings.json", "settings.local.json"):
        yield from _settings(files, own / name, project=True)
    for kind in ("agents", "skills"):
        yield from without_room(files.shown(own / kind), kind, files.names_in(own / kind))
    yield from without_room(
        files.shown(folder / ".mcp.json"), "mcp", object_in(files.json(folder / ".mcp.json"), "mcpServers")
    )
    yield from without_room("~/.claude.json", "mcp", object_in(state, "mcpServers"))


def _settings(files: ForeignFiles, path: Path, *, project: bool) -> Iterator[Finding]:
    values, source = files.json(path), files.shown(path)
    permissions = object_in(values, "permissions")
    for kind in DECISION_KINDS:
        for text in filter(None, map(text_in, list_in(permissions.get(kind)))):
            yield RuleFound(source, kind, claude_rule(text, kind, str(files.home)) or "", text, project)
    mode = text_in(permissions.get("defaultMode"))
    if mode in MODES:
        yield LeftOut(source, "permission mode", MODE.format(mode, MODES[mode]))
    elif mode not in {"", "default"}:
        yield LeftOut(source, "permission mode", f"an import does not switch questions off, as {mode} would")
    yield from hooks_in_place(source, object_in(values, "hooks"))
    yield from without_room(source, "mcp", object_in(values, "mcpServers"))
    yield from without_room(source, "model", [text_in(values.get("model"))] if values.get("model") else [])
    rest = set(permissions) - {*DECISION_KINDS, "defaultMode"}
    yield from unread_settings(
        source, {**values, **dict.fromkeys(f"permissions.{each}" for each in rest)}, KNOWN
    )
