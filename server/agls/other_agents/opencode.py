"""OpenCode: `~/.config/opencode`, and `opencode.json` of the project."""

from collections.abc import Iterator
from pathlib import Path

from agls.json_values import list_in, object_in, text_in
from agls.other_agents.claude import IN_PLACE, instructions
from agls.other_agents.findings import Finding, LeftOut, RuleFound, unread_settings, without_room
from agls.other_agents.foreign_files import ForeignFiles
from agls.other_agents.rules import opencode_rules

KNOWN = {"permission", "mcp", "agent", "model", "small_model", "instructions", "command"}
IN_JSON = "they stand in the settings: write each as a file commands/NAME.md beside your config.toml"
ELSEWHERE = "they name more files of instructions: import them with @path in your AGENTS.md"


def home(files: ForeignFiles) -> Path:
    """**Returns** its folder."""
    return files.at_home("XDG_CONFIG_HOME", ".config") / "opencode"


def look(files: ForeignFiles) -> Iterator[Finding]:
    """Yield what it keeps."""
    own = home(files)
    yield from instructions(files, own / "AGENTS.md")
    if files.names_in(own / "commands"):
        yield LeftOut(files.shown(own / "commands"), "commands", IN_PLACE, stays=True)
    for name in ("opencode.json", "opencode.jsonc"):
        yield from _settings(files, own / name, project=False)
    for kind in ("agents", "skills"):
        yield from without_room(files.shown(own / kind), kind, files.names_in(own / kind))
    if files.folder:
        for name in ("opencode.json", "opencode.jsonc"):
            yield from _settings(files, files.folder / name, project=True)


def _settings(files: ForeignFiles, path: Path, *, project: bool) -> Iterator[Finding]:
    values, source = files.json(path), files.shown(path)
    for shown, kind, rule in opencode_rules(values.get("permission"), str(files.home)):
        yield RuleFound(source, kind, rule or "", shown, project)
    yield from without_room(source, "mcp", object_in(values, "mcp"))
    yield from without_room(source, "agents", object_in(values, "agent"))
    yield from without_room(source, "model", filter(None, [text_in(values.get("model"))]))
    if commands := object_in(values, "command"):
        yield LeftOut(source, f"commands: {', '.join(sorted(commands))}", IN_JSON)
    if more := list_in(values.get("instructions")):
        yield LeftOut(source, f"instructions: {', '.join(map(str, more))}", ELSEWHERE)
    yield from unread_settings(source, values, KNOWN)
