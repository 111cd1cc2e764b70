"""A folder with the files of six products: which agents, commands, skills, hooks, servers and texts count."""

import json
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply

pytestmark = pytest.mark.timeout(300)
AGENT = "---\nname: {0}\ndescription: Of {0}.\n---\nYou are {0}.\n"
SKILL = "---\nname: {0}\ndescription: Skill of {0}.\n---\nDo it.\n"
HOOK = {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./check.sh"}]}]}
SERVER = {"command": "no-such-program"}
FILES: dict[str, Any] = {
    ".claude/agents/claude.md": AGENT.format("claude"),
    ".claude/commands/fix.md": "---\ndescription: Fix it\n---\nFix $1.\n",
    ".claude/skills/of-claude/SKILL.md": SKILL.format("of-claude"),
    ".claude/settings.json": {"hooks": HOOK, "permissions": {"deny": ["Bash(curl *)"], "allow": ["Bash"]}},
    ".mcp.json": {"mcpServers": {"of-claude": {**SERVER, "args": ["claude"]}}},
    ".claude/rules/style.md": "Use tabs.\n",
    ".codex/agents/codex.toml": 'name = "codex"\ndescription = "D."\ndeveloper_instructions = "Do."\n',
    ".codex/skills/of-codex/SKILL.md": SKILL.format("of-codex"),
    ".codex/hooks.json": {"hooks": HOOK},
    ".codex/config.toml": '[mcp_servers.of-codex]\ncommand = "no-such-program"\nargs = ["codex"]\n',
    ".gemini/agents/gemini.md": AGENT.format("gemini"),
    ".gemini/commands/plan-it.toml": 'description = "Plan it"\nprompt = "Plan {{args}}."\n',
    ".gemini/skills/of-gemini/SKILL.md": SKILL.format("of-gemini"),
    ".gemini/settings.json": {"mcpServers": {"of-gemini": {**SERVER, "args": ["gemini"]}}},
    ".codex/prompts/draft.md": "---\ndescription: Draft it\nargument-hint: TITLE=...\n---\nDraft $TITLE.\n",
    "opencode.json": {
        "instructions": [
            "docs/**/h*.md",
            "docs/one.md",
            "https://x.example/a.md",
            "../a.md",
            "none.md",
            ".env",
        ]
    },
    "docs/more/habits.md": "House rules.\n",
    "docs/one.md": "One more.\n",
    "docs/two.md": "Nobody names it.\n",
    ".env": "KEY=sesame\n",
    ".opencode/agents/opencode.md": AGENT.format("opencode"),
    ".opencode/commands/ship.md": "---\ndescription: Ship it\n---\nShip $1.\n",
    ".opencode/skills/of-opencode/SKILL.md": SKILL.format("of-opencode"),
    ".opencode/skill/also-opencode/SKILL.md": SKILL.format("also-opencode"),
    ".github/agents/copilot.agent.md": AGENT.format("copilot"),
    ".github/prompts/explain-it.prompt.md": "---\ndescription: Explain it\n---\nExplain.\n",
    ".github/skills/of-copilot/SKILL.md": SKILL.format("of-copilot"),
    ".github/instructions/all.instructions.md": "---\napplyTo: '**'\n---\nWrite tests.\n",
    ".vscode/mcp.json": {"servers": {"of-editor": {**SERVER, "type": "stdio", "args": ["editor"]}}},
    ".cursor/skills/of-cursor/SKILL.md": SKILL.format("of-cursor"),
    ".cursor/mcp.json": {"mcpServers": {"of-cursor": {**SERVER, "args": ["cursor"]}}},
    ".cursor/hooks.json": {"version": 1, "hooks": {"stop": [{"command": "./cursor.sh"}]}},
    ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nBe brief.\n",
    ".cursor/rules/python.mdc": "---\nglobs: *.py\nalwaysApply: false\n---\nUse types.\n",
    ".github/copilot-instructions.md": "Of Copilot.\n",
    "GEMINI.md": "Of Gemini.\n",
    "CLAUDE.md": "Of Claude.\n",
    "AGENTS.md": "Everybody reads this.\n",
}
INSTRUCTIONS = [
    ("AGENTS.md", "used"),
    (".claude/rules/style.md", "used"),
    (".cursor/rules/always.mdc", "used"),
    (".github/instructions/all.instructions.md", "used"),
    ("docs/more/habits.md", "used"),
    ("docs/one.md", "used"),
    (".cursor/rules/python.mdc", "waiting"),
    ("CLAUDE.md", "left out"),
    ("https://x.example/a.md", "left out"),
    ("../a.md", "left out"),
    ("none.md", "left out"),
    (".env", "left out"),
    (".github/copilot-instructions.md", "left out"),
    ("GEMINI.md", "left out"),
]


def write(root: Path) -> None:
    for name, content in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content))


def data(agls: Agls, action: str) -> dict[str, Any]:
    """What an action lists."""
    return agls.run("run", action, "--output", "json").whole["action"]["data"]


def test_folders_of_six_products_give_one_list_of_each_kind(agls: Agls) -> None:
    write(agls.workspace)
    agls.run("trust")
    agents = {row["name"] for row in data(agls, "/agent.list")["agents"] if row["origin"] == "project"}
    assert agents == {"claude", "codex", "gemini", "opencode", "copilot"}
    commands = {row["name"]: row["file"] for row in data(agls, "/command.list")["commands"]}
    assert commands == {
        "fix": ".claude/commands/fix.md",
        "ship": ".opencode/commands/ship.md",
        "explain-it": ".github/prompts/explain-it.prompt.md",
        "plan-it": ".gemini/commands/plan-it.toml",
        "draft": ".codex/prompts/draft.md",
    }
    with ModelServer([Reply("Done.")]) as server:
        model = ("--base-url", server.url, "--model", "m")
        assert agls.run("run", "/prompts:draft TITLE='a page'", *model).code == 0
        assert "Draft a page." in str(server.posts[0].body["messages"])
    skills = {row["name"] for row in data(agls, "/skills")["skills"] if row["origin"] == "project"}
    products = ("claude", "codex", "copilot", "cursor", "gemini", "opencode")
    assert skills == {*(f"of-{name}" for name in products), "also-opencode"}
    hooks = [(row["event"], row["name"], row["origin"]) for row in data(agls, "/hooks")["hooks"]]
    assert hooks == [
        ("PreToolUse", "./check.sh", ".claude/settings.json"),
        ("PreToolUse", "./check.sh", ".codex/hooks.json"),
        ("Stop", "./cursor.sh", ".cursor/hooks.json"),
    ]
    servers = agls.run("run", "/mcp").out
    names = [line.split(":")[0].removeprefix("- ") for line in servers.splitlines() if line.startswith("- ")]
    assert sorted(names) == ["of-claude", "of-codex", "of-cursor", "of-editor", "of-gemini"]
    rules = [
        (each["kind"], each["rule"]) for each in agls.run("permissions", "list", "--json").whole["rules"]
    ]
    assert rules == [("deny", "shell(curl *)")]
    rows = [line.split(" | ") for line in agls.run("explain").out.splitlines() if " | " in line]
    assert [(name.removeprefix("| "), state) for name, state, _ in rows[1:]] == INSTRUCTIONS


def test_folders_of_more_products_are_read(agls: Agls) -> None:
    tools = ("agent", "factory", "junie", "kilo", "kilocode", "kiro", "qwen")
    agents = ("windsurf/agents", "factory/droids", *(f"{tool}/agents" for tool in ("junie", "kilo", "kiro")))
    agents = (*agents, "qwen/agents", "agent/agents")
    commands = {
        ".agent/workflows/ship.md": "Ship.\n",
        ".factory/commands/fix.md": "Fix.\n",
        ".junie/commands/tidy.md": "Tidy.\n",
        ".kilo/command/draft.md": "Draft.\n",
        ".kilocode/workflows/port.md": "Port.\n",
        ".kiro/prompts/spec.md": "Specify.\n",
        ".qwen/commands/sum.toml": 'prompt = "Sum up {{args}}."\n',
        ".qwen/commands/list.md": "List.\n",
    }
    servers = {
        ".factory/mcp.json": "factory",
        ".junie/mcp/mcp.json": "junie",
        ".kilocode/mcp.json": "kilocode",
        ".kiro/settings/mcp.json": "kiro",
        ".qwen/settings.json": "qwen",
    }
    files = {
        **{f".{tool}/skills/of-{tool}/SKILL.md": SKILL.format(f"of-{tool}") for tool in tools},
        **{f".{place}/a.md": AGENT.format(place.replace("/", "-")) for place in agents},
        **commands,
        **{
            file: json.dumps({"mcpServers": {name: {**SERVER, "args": [name]}}})
            for file, name in servers.items()
        },
        ".opencode/opencode.json": json.dumps({"mcp": {"code": {"type": "local", "command": ["no-such"]}}}),
        "QWEN.md": "Of Qwen.\n",
    }
    for name, content in files.items():
        (agls.workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (agls.workspace / name).write_text(content)
    assert ".qwen/commands" in agls.run("trust").err
    found = {row["name"] for row in data(agls, "/agent.list")["agents"] if row["origin"] == "project"}
    assert found == {place.replace("/", "-") for place in agents}
    assert {row["file"] for row in data(agls, "/command.list")["commands"]} == {*commands}
    skills = {row["name"] for row in data(agls, "/skills")["skills"] if row["origin"] == "project"}
    assert skills == {f"of-{tool}" for tool in tools}
    listed = agls.run("run", "/mcp").out
    assert {name for name in (*servers.values(), "code") if f"- {name}: " in listed} == {
        *servers.values(),
        "code",
    }
    assert "| QWEN.md | used |" in agls.run("explain").out
