"""Cursor: `~/.cursor`, and `.cursor` of the project."""

from collections.abc import Iterator
from pathlib import Path

from agls.json_values import list_in, object_in, text_in
from agls.other_agents.findings import (
    DECISION_KINDS,
    CommandText,
    Finding,
    LeftOut,
    RuleFound,
    hooks_in_place,
    unread_settings,
    without_room,
)
from agls.other_agents.foreign_files import ForeignFiles
from agls.other_agents.rules import cursor_rule

USER_RULES = "Cursor keeps your own rules and memories in its settings and not in files: copy them from there"
RULES_READ = "agls reads a project's .cursor/rules where they are (docs/instructions.md)"
KNOWN = {"permissions", "model", "version", "authInfo"}


def home(files: ForeignFiles) -> Path:
    """**Returns** its folder."""
    return files.home / ".cursor"


def look(files: ForeignFiles) -> Iterator[Finding]:
    """Yield what it keeps."""
    own = home(files)
    if own.is_dir():
        yield LeftOut(files.shown(own), "your rules and memories", USER_RULES)
    yield from _layer(files, own, "cli-config.json", project=False)
    if files.folder:
        project = files.folder / ".cursor"
        if files.names_in(project / "rules"):
            yield LeftOut(files.shown(project / "rules"), "rules", RULES_READ, stays=True)
        yield from _layer(files, project, "cli.json", project=True)


def _layer(files: ForeignFiles, own: Path, name: str, *, project: bool) -> Iterator[Finding]:
    for path in files.below(own / "commands", ".md"):
        yield CommandText(
            files.shown(path), str(path.relative_to(own / "commands")), files.text(path), project
        )
    values, source = files.json(own / name), files.shown(own / name)
    for kind in DECISION_KINDS:
        for text in filter(None, map(text_in, list_in(object_in(values, "permissions").get(kind)))):
            yield RuleFound(source, kind, cursor_rule(text, kind, str(files.home)) or "", text, project)
    yield from unread_settings(source, values, KNOWN)
    lists, source = files.json(own / "permissions.json"), files.shown(own / "permissions.json")
    for text in filter(None, map(text_in, list_in(lists.get("terminalAllowlist")))):
        yield RuleFound(source, "allow", cursor_rule(f"Shell({text})", "allow", "") or "", text, project)
    yield from unread_settings(source, lists, {"terminalAllowlist"})
    servers, hooks = (own / name for name in ("mcp.json", "hooks.json"))
    yield from without_room(files.shown(servers), "mcp", object_in(files.json(servers), "mcpServers"))
    names = object_in(files.json(hooks), "hooks")
    if project:
        yield from hooks_in_place(files.shown(hooks), names)
    else:
        yield from without_room(files.shown(hooks), "hooks", names)
    for kind in ("agents", "skills"):
        yield from without_room(files.shown(own / kind), kind, files.names_in(own / kind))
