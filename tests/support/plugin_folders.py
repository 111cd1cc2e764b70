"""Plugins in folders, in the dialects of several products."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = str(Path(__file__).with_name("mcp_program.py"))
SKILL = "---\nname: pdf\ndescription: Handle PDFs.\n---\nRun ${CLAUDE_PLUGIN_ROOT}/scripts/fill.sh.\n"
COMMAND = "---\ndescription: Say hello\n---\nSay hello to $1 from ${CLAUDE_PLUGIN_ROOT}.\n"
AGENT = "---\nname: looker\ndescription: Looks.\ntools: Read, Grep\n---\nLook well.\n"
REFUSE = 'printf "%s" "$CLAUDE_PLUGIN_OPTION_WORD" >> "$CLAUDE_PLUGIN_DATA/seen"; echo no >&2; exit 2'
HOOKS = {
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Write",
                "hooks": [{"type": "command", "command": 'sh "${CLAUDE_PLUGIN_ROOT}/scripts/guard.sh"'}],
            }
        ]
    }
}
GUARD = 'sh "${extensionPath}${/}scripts${/}guard.sh"'
HOOKS_OF_GEMINI = {
    "hooks": {
        "BeforeTool": [{"matcher": "write_file", "hooks": [{"type": "command", "command": GUARD}]}],
    }
}


def write_plugin(folder: Path, dialect: str = "claude", **manifest: Any) -> Path:
    """Write a plugin with one of each: a skill, a command, an agent, a hook and a server."""
    place = {"claude": ".claude-plugin/plugin.json", "codex": ".codex-plugin/plugin.json"}
    end = "toml" if dialect == "gemini" else "md"
    prompt = "Say hello to {{args}}."
    command = f'description = "Say hello"\nprompt = "{prompt}"\n' if dialect == "gemini" else COMMAND
    root = "${extensionPath}" if dialect == "gemini" else "${CLAUDE_PLUGIN_ROOT}"
    server = {"command": sys.executable, "args": [PROGRAM, "${CLAUDE_PLUGIN_DATA}"], "env": {"AT": root}}
    said: dict[str, Any] = {"name": "tools", "version": "1.0.0", "description": "Many things.", **manifest}
    files = {
        "skills/pdf/SKILL.md": SKILL,
        f"commands/greet.{end}": command,
        "agents/looker.md": AGENT,
        "hooks/hooks.json": json.dumps(HOOKS_OF_GEMINI if dialect == "gemini" else HOOKS),
        "scripts/guard.sh": REFUSE,
        "scripts/fill.sh": "touch filled",
    }
    if dialect == "gemini":
        said["mcpServers"] = {"small": server}
    else:
        files[".mcp.json"] = json.dumps({"mcpServers": {"small": server}})
    files[place.get(dialect, "gemini-extension.json")] = json.dumps(said)
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


def commit_all(folder: Path, *, tag: str = "") -> str:
    """Make a commit of all files in a repository of its own. **Returns** it."""
    who = "-c user.name=A -c user.email=a@example.org -c commit.gpgsign=false"
    lines = ["git init -q -b main", "git add -A", f"git {who} commit -qm x"]
    for line in [*lines, *([f"git tag {tag}"] if tag else [])]:
        subprocess.run(shlex.split(line), cwd=folder, check=True, capture_output=True)
    shown = subprocess.run(
        ["git", "rev-parse", "HEAD"], cwd=folder, check=True, capture_output=True, text=True
    )
    return shown.stdout.strip()
