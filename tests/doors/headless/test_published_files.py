"""Files that people wrote for other agents, in the shapes of published ones, through the command line."""

import json
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls

pytestmark = pytest.mark.timeout(300)


def place(folder: Path, files: dict[str, str | bytes]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def said(agls: Agls, command: str) -> dict[str, Any]:
    """Return the data of an action in the trusted folder."""
    done = agls.run("run", command, "--trust", "--output", "json")
    assert done.code == 0, done.err
    data: dict[str, Any] = done.whole["action"]["data"]
    return data


@pytest.mark.row(47)
def test_skills_with_odd_front_matter_are_read(agls: Agls) -> None:
    heads = {
        "bom": b"\xef\xbb\xbf---\r\ndescription: With: colon\r\n---\r\nDo.\r\n",
        "quoted": '---\ndescription: "Quoted" then: more\n---\nDo.\n',
        "tabs": "---\ndescription: Tabs.\nmetadata:\n\tauthor: me\n---\nDo.\n",
        "late": "\n\n---\ndescription: After blank lines.\n---\nDo.\n",
        "fenced": "```skill\n---\ndescription: In a block of code.\n---\nDo.\n```\n",
        "bracket": "---\ndescription: [OLD] Use another.\nargument-hint: [a] [b]\n---\nDo.\n",
        "nested/deep/inner": "---\ndescription: Deep.\n---\nDo.\n",
    }
    place(agls.workspace, {f".claude/skills/{name}/SKILL.md": text for name, text in heads.items()})
    found = {row["name"]: row for row in said(agls, "/skills")["skills"]}
    assert {name: found[name.rpartition("/")[2]]["problem"] for name in heads} == dict.fromkeys(heads, "")
    assert found["quoted"]["description"] == '"Quoted" then: more'
    assert found["fenced"]["description"] == "In a block of code."
    more = {f".claude/skills/m{at}/SKILL.md": "---\ndescription: D.\nteam: x\n---\nDo.\n" for at in range(5)}
    place(
        agls.workspace,
        {name: text.replace("---", f"---\nname: {name[15:17]}", 1) for name, text in more.items()},
    )
    agls.run("trust", str(agls.workspace))
    (told,) = [line for line in agls.run("doctor", "--offline").out.splitlines() if "team" in line]
    assert (
        "5 files, .claude/skills/m0/SKILL.md, .claude/skills/m1/SKILL.md …: these keys have no effect" in told
    )


@pytest.mark.row(52)
def test_agents_of_every_product_are_found_with_names_that_can_be_written(agls: Agls) -> None:
    place(
        agls.workspace,
        {
            ".claude/agents/team/back.md": "---\nname: back\ndescription: Nested.\n---\nDo.\n",
            ".claude/agents/ui.md": "---\nname: UI/UX Designer 🎨\ndescription: Draws.\n---\nDo.\n",
            ".claude/agents/all.md": "---\nname: all\ndescription: Does.\ntools: All tools\n---\nDo.\n",
            ".github/agents/plain.md": "---\ndescription: Plain.\ntools: ['read', 'github/*']\n---\nDo.\n",
            ".github/agents/sol.agent.md": "---\nname: Deep Sol\ndescription: Thinks.\n---\nDo.\n",
            ".github/agents/wrapped.agent.md": "```chatagent\n---\ndescription: Wrapped.\n---\nDo.\n```\n",
            ".github/chatmodes/Plan Mode.chatmode.md": "---\ndescription: Plans.\n---\nDo.\n",
            ".cursor/agents/cur.md": "---\nname: cur\ndescription: C.\nreadonly: true\n---\nDo.\n",
            ".opencode/agent/sub/inner.md": "---\ndescription: Inner.\nmode: subagent\n---\nDo.\n",
            ".opencode/agent/off.md": "---\ndescription: Off.\ndisable: true\n---\nDo.\n",
            ".claude/agents/long.md": "---\nname: long\ndescription: L.\nmodel: opus[1m]\n---\nDo.\n",
            ".claude/agents/full.md": "---\nname: full\ndescription: F.\nmodel: claude-opus-9\n---\nDo.\n",
            ".codex/config.toml": """[agents]\nmax_threads = 2
[agents.scout]\ndescription = "Looks."\nconfig_file = "agents/scout.toml"
[agents.short]\ndescription = "Short."\ndeveloper_instructions = "Do."\n""",
            ".codex/agents/scout.toml": "sandbox_mode = 'read-only'\ndeveloper_instructions = 'Look.'\n",
            ".gemini/agents/far.md": "---\nkind: remote\nname: far\ndescription: R.\n---\nDo.\n",
        },
    )
    found = {row["name"]: row for row in said(agls, "/agent.list")["agents"]}
    expected = {"back", "ui-ux-designer", "all", "plain", "deep-sol", "wrapped", "plan-mode", "cur", "inner"}
    expected |= {"scout", "short"}
    assert expected <= found.keys()
    assert {found[name]["problem"] for name in expected} == {""}
    assert found["deep-sol"]["remarks"] == ["its name 'Deep Sol' is written deep-sol here"]
    assert (found["scout"]["description"], found["scout"]["active"]) == ("Looks.", True)
    assert found["off"]["problem"] == "it is switched off by its key disable"
    assert "(kind: remote), and agls does not call such" in found["far"]["problem"]
    assert found["long"]["remarks"] == []
    assert found["full"]["remarks"] == [
        "there is no model 'claude-opus-9' here, so it works with the model of its caller"
    ]
    agls.run("trust", str(agls.workspace))
    doctor = agls.run("doctor", "--offline").out
    assert "so they work with that of their caller: full.md (claude-opus-9)." in doctor
    assert "off.md" not in doctor, "as its author wants it"


@pytest.mark.row(47)
def test_commands_of_every_product_are_found(agls: Agls) -> None:
    place(
        agls.workspace,
        {
            ".opencode/command/open.md": "---\ndescription: O.\n---\nDo.\n",
            ".cursor/commands/cur.md": "Do.\n",
            ".roo/commands/roo.md": "---\nargument-hint: <x>\n---\nDo.\n",
            ".windsurf/workflows/wind.md": "---\ndescription: W.\n---\nDo.\n",
            ".clinerules/workflows/cline.md": "Do.\n",
            ".github/prompts/file.prompt.md": "---\nname: said\nmode: agent\n---\nDo.\n",
        },
    )
    found = {row["name"] for row in said(agls, "/command.list")["commands"]}
    assert {"open", "cur", "roo", "wind", "cline", "said"} <= found
    assert "cline" not in str(said(agls, "/instructions")), "a workflow is no rule"


def test_rules_of_claude_that_deny_count_in_a_trusted_folder_and_those_that_allow_do_not(agls: Agls) -> None:
    rules = {
        "allow": ["Bash(*)"],
        "deny": ["Bash(curl:*)", "Read(./.env)", "mcp__db__drop", "Read(!a)"],
        "ask": ["Bash(git push:*)"],
    }
    text = json.dumps({"model": "opus", "permissions": rules}, indent=1)
    place(agls.workspace, {".claude/settings.json": f"// remark\n{text}"})
    assert agls.run("run", "/permissions", "--output", "json").whole["action"]["data"]["deny"] == []
    agls.run("trust", str(agls.workspace))
    held = said(agls, "/permissions")
    assert held["allow"] == []
    assert held["ask"] == ["shell(git push *)"]
    assert held["deny"] == ["shell(curl *)", "read(**/.env)", "edit(**/.env)", "mcp__db__drop"]
    doctor = agls.run("doctor", "--offline").out
    assert "settings.json: the rule 'Read(!a)' (deny) cannot be followed here" in doctor


def test_rules_of_claude_that_are_no_list_or_too_many_are_named_and_one_alone_counts(agls: Agls) -> None:
    many = [f"Bash(tool-{number}:*)" for number in range(201)]
    rules = {"deny": "Bash(curl:*)", "ask": {"Bash": True}}
    place(
        agls.workspace,
        {
            ".claude/settings.json": json.dumps({"permissions": rules, "hooks": {"Nope": 3}}),
            ".claude/settings.local.json": json.dumps({"permissions": {"deny": [*many, 5]}}),
        },
    )
    agls.run("trust", str(agls.workspace))
    held = said(agls, "/permissions")["deny"]
    assert "shell(curl *)" in held
    assert len(held) == 201
    doctor = agls.run("doctor", "--offline").out
    assert "permissions.ask is no list of rules, so none of it counts: write [ ... ]" in doctor
    assert "permissions.deny has 202 rules, of which only the first 200 count" in doctor
    assert ".claude/settings.json: the hooks of Nope are no list" in doctor


@pytest.mark.row(49)
def test_what_hooks_of_a_plugin_do_is_shown_whatever_their_type(agls: Agls) -> None:
    hooks = {
        "UserPromptSubmit": [{"hooks": [{"type": "prompt", "prompt": "Is this fine? $ARGUMENTS"}]}],
        "Stop": [{"hooks": [{"type": "http", "url": "https://hooks.example/stop"}]}],
        "PreToolUse": [{"hooks": [{"type": "mcp_tool", "server": "guard", "tool": "check"}]}],
    }
    server = {"type": "http", "url": "https://mcp.example/mcp", "headers": {"Authorization": "Bearer ${KEY}"}}
    plugin = agls.home / "guarded"
    place(
        plugin,
        {
            ".claude-plugin/plugin.json": json.dumps({"name": "guarded"}),
            "hooks/hooks.json": json.dumps({"description": "Guards.", "hooks": hooks}),
            ".mcp.json": json.dumps({"guard": server}),
        },
    )
    shown = agls.run("plugin", "show", str(plugin)).out
    assert "hook UserPromptSubmit (hooks/hooks.json): asks a model: Is this fine? $ARGUMENTS" in shown
    assert "hook Stop (hooks/hooks.json): connects to https://hooks.example/stop" in shown
    assert "hook PreToolUse (hooks/hooks.json): calls the tool check of the server guard" in shown
    assert "server guard: connects to https://mcp.example/mcp\n    with the headers: Authorization" in shown


@pytest.mark.row(49)
@pytest.mark.parametrize("manifest", [".cursor-plugin", ".github/plugin", ".plugin"])
def test_manifests_of_more_products_name_a_plugin(agls: Agls, manifest: str) -> None:
    about = {
        "name": "fine-tools",
        "version": "2.0.0",
        "skills": "./skills",
        "rules": "./rules/",
        "logo": "x.svg",
    }
    entry = {"url": "https://mcp.example/mcp", "bearer_token_env_var": "SOME_TOKEN"}
    plugin = agls.home / "other-name"
    place(
        plugin,
        {
            f"{manifest}/plugin.json": json.dumps(about),
            "skills/fine/SKILL.md": "---\nname: fine\ndescription: Fine.\n---\nDo.\n",
            "rules/a.mdc": "---\nalwaysApply: true\n---\nBe brief.\n",
            ".mcp.json": json.dumps({"mcpServers": {"far": entry}}),
        },
    )
    assert agls.run("plugin", "add", str(plugin), "--yes").code == 0
    listed = agls.run("run", "/plugin").out
    assert "**fine-tools** 2.0.0" in listed
    assert "Of no use here: rules/\n" in listed
    assert "plugin_fine-tools_far: stopped (the plugin fine-tools): the variable SOME_TOKEN is not set" in (
        agls.run("run", "/mcp").out
    )


@pytest.mark.row(49)
def test_skills_that_an_entry_of_a_catalogue_names_one_by_one_are_skills_of_a_run(agls: Agls) -> None:
    catalogue = agls.home / "document-skills"
    named = ["./skills/pdf", "./skills/docx"]
    entry = {"name": "document-skills", "source": "./", "strict": False, "skills": named}
    texts = {
        f"skills/{name}/SKILL.md": f"---\nname: {name}\ndescription: For {name}.\n---\nRead reference.md.\n"
        for name in ("pdf", "docx", "art")
    }
    said = {"name": "c", "owner": {"name": "A"}, "plugins": [entry]}
    place(catalogue, {**texts, ".claude-plugin/marketplace.json": json.dumps(said)})
    assert agls.run("plugin", "add", f"document-skills@{catalogue}", "--yes").code == 0
    found = [row["name"] for row in agls.run("skills", "--json").whole["skills"]]
    assert [name for name in found if name.startswith("document")] == [
        "document-skills:pdf",
        "document-skills:docx",
    ]
    names = ("document-skills:pdf", "docx")  # the last part is enough where it is the only one
    calls = [{"name": "skill", "arguments": {"name": name}} for name in names]
    agls.prompts([{"calls": calls}, {"text": "done"}])
    loaded = agls.run("run", "go", "--output", "jsonl").out
    for name in ("pdf", "docx"):
        assert f'<skill name=\\"document-skills:{name}\\"' in loaded


@pytest.mark.row(49)
def test_hooks_of_a_plugin_that_never_run_are_shown_as_such(agls: Agls) -> None:
    plugin = agls.home / "mixed"
    handler = {"type": "command", "command": "true"}
    agent, unknown = ({"type": kind, "prompt": "check"} for kind in ("agent", "workflow"))
    hooks = {event: [{"hooks": [handler]}] for event in ("FileChanged", "BeforeTool", "PreToolUse")}
    place(
        plugin,
        {
            ".claude-plugin/plugin.json": json.dumps({"name": "mixed"}),
            "hooks/hooks.json": json.dumps({"hooks": {**hooks, "Stop": [{"hooks": [agent, unknown]}]}}),
            "agents/bicep.agent.md": "---\ndescription: Builds.\n---\nDo.\n",
        },
    )
    shown = agls.run("plugin", "show", str(plugin)).out
    for event in ("FileChanged", "BeforeTool"):  # the second is one of Gemini's, and this is no extension
        assert f"hook {event} (hooks/hooks.json): of no effect: agls has no such event\n" in shown
    assert "hook PreToolUse (hooks/hooks.json): runs true\n" in shown
    assert "hook Stop (hooks/hooks.json): asks a model: check\n" in shown
    assert "hook Stop (hooks/hooks.json): of no effect: agls has no hooks of the type workflow\n" in shown
    assert "agent mixed__bicep: tools" in shown
    assert agls.run("plugin", "add", str(plugin), "--yes").code == 0
    doctor = agls.run("doctor", "--offline").out
    assert "hook 1 (FileChanged) is of no effect: agls has no such event." in doctor
    assert "its author can change it" in doctor


@pytest.mark.row(49)
def test_plugin_for_cursor_refuses_by_the_names_and_the_answers_of_cursor(agls: Agls) -> None:
    plugin = agls.home / "guard"
    refuse = """cat > /dev/null; echo '{"permission": "deny", "agent_message": "Not with this plugin."}'"""
    hooks = {"preToolUse": [{"command": refuse, "matcher": "Shell|Write"}]}
    place(
        plugin,
        {
            ".cursor-plugin/plugin.json": json.dumps({"name": "guard"}),
            "hooks/hooks.json": json.dumps({"version": 1, "hooks": hooks}),
        },
    )
    assert agls.run("plugin", "add", str(plugin), "--yes").code == 0
    (agls.workspace / "a.txt").write_text("one\n")
    calls = [
        {"name": "shell", "arguments": {"command": "touch made"}},
        {"name": "edit_file", "arguments": {"path": "a.txt", "old_text": "one", "new_text": "two"}},
        {"name": "read_file", "arguments": {"path": "a.txt"}},
    ]
    agls.prompts([{"calls": calls}, {"text": "done"}])
    done = agls.run("run", "--mode", "allowAll", "go")
    assert done.err.count("Not with this plugin.") == 2
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    assert not (agls.workspace / "made").exists()


GEMINI = r"""
import json, sys
d = json.load(sys.stdin)
tool, said = d.get("tool_name"), d.get("tool_input", {})
if d["hook_event_name"] == "BeforeTool" and "made" in said.get("command", ""):
    print(json.dumps({"decision": "deny", "reason": f"{tool} may not"}))
elif d["hook_event_name"] == "BeforeTool" and tool == "write_file":
    print(json.dumps({"hookSpecificOutput": {"tool_input": {"content": said["content"].upper()}}}))
elif d["hook_event_name"] == "AfterTool":
    sys.stderr.write("hidden: " + d["tool_response"]["llmContent"].split()[0])
    sys.exit(2)
elif d["hook_event_name"] == "AfterAgent" and not d["stop_hook_active"]:
    print(json.dumps({"decision": "deny", "reason": "again: " + d["prompt"] + d["prompt_response"]}))
"""


@pytest.mark.row(49)
def test_extension_for_gemini_has_its_own_events_names_and_answers(agls: Agls) -> None:
    extension = agls.home / "guard"
    run = {"type": "command", "command": "python3 ${extensionPath}${/}hooks${/}h.py", "timeout": 9_000}
    hooks = {
        "BeforeTool": [{"matcher": "run_shell.*|write_file", "hooks": [run]}],
        "AfterTool": [{"matcher": "read_file", "hooks": [run]}],
        "AfterAgent": [{"hooks": [run]}],
        "BeforeModel": [{"hooks": [run]}],
    }
    place(
        extension,
        {
            "gemini-extension.json": json.dumps({"name": "guard", "version": "1.0.0"}),
            "hooks/hooks.json": json.dumps({"hooks": hooks}),
            "hooks/h.py": GEMINI,
        },
    )
    shown = agls.run("plugin", "add", str(extension), "--yes").out
    assert "hook BeforeTool run_shell.*|write_file (hooks/hooks.json): runs python3" in shown
    assert "hook BeforeModel (hooks/hooks.json): of no effect: agls has no such event" in shown
    calls = [
        {"name": "shell", "arguments": {"command": "touch made"}},
        {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}},
        {"name": "read_file", "arguments": {"path": "b.txt"}},
        {"name": "read_file", "arguments": {"path": "gone.txt"}},
    ]
    (agls.workspace / "b.txt").write_text("secret\n")
    agls.prompts([{"calls": calls}, {"text": "done"}, {"text": "really done"}])
    told = agls.run("run", "--mode", "allowAll", "--output", "jsonl", "go").out
    assert not (agls.workspace / "made").exists()
    assert (agls.workspace / "a.txt").read_text() == "ONE\n"
    for words in ("run_shell_command may not", "hidden: ", "again: godone", "really done"):
        assert words in told
    assert "secret" not in told.replace("b.txt", "")


COPILOT = r"""
import json, sys
d = json.load(sys.stdin)
assert {"timestamp", "cwd"} <= d.keys() and "tool_name" not in d
if d.get("toolName") == "bash" and "made" in json.loads(d["toolArgs"])["command"]:
    print(json.dumps({"permissionDecision": "deny", "permissionDecisionReason": "not with Copilot's names"}))
elif d.get("toolName") == "create":
    text = json.loads(d["toolArgs"])["file_text"].upper()
    print(json.dumps({"modifiedArgs": {**json.loads(d["toolArgs"]), "file_text": text}}))
"""


@pytest.mark.row(49)
def test_hooks_of_copilot_get_its_names_and_its_form(agls: Agls) -> None:
    plugin = agls.home / "guard"
    run = {"type": "command", "bash": "python3 $CLAUDE_PLUGIN_ROOT/h.py", "timeoutSec": 9}
    hooks = {"version": 1, "hooks": {"preToolUse": [run], "sessionStart": [run]}}
    place(
        plugin,
        {
            ".github/plugin/plugin.json": json.dumps({"name": "guard", "hooks": "./hooks.json"}),
            "hooks.json": json.dumps(hooks),
            "h.py": COPILOT,
        },
    )
    assert agls.run("plugin", "add", str(plugin), "--yes").code == 0
    calls = [
        {"name": "shell", "arguments": {"command": "touch made"}},
        {"name": "write_file", "arguments": {"path": "a.txt", "content": "one\n"}},
    ]
    agls.prompts([{"calls": calls}, {"text": "done"}])
    told = agls.run("run", "--mode", "allowAll", "--output", "jsonl", "go").out
    assert "not with Copilot's names" in told
    assert "A hook failed" not in told
    assert not (agls.workspace / "made").exists()
    assert (agls.workspace / "a.txt").read_text() == "ONE\n"


def test_hooks_that_their_user_switched_off_are_left_out_and_named(agls: Agls) -> None:
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "true"}]}]}
    commands = ({"type": "command", "command": name} for name in ("guard", "loud"))
    guard = {"BeforeTool": [{"matcher": "x", "hooks": [*commands]}], "disabled": ["loud"]}
    place(
        agls.workspace,
        {
            ".claude/settings.json": json.dumps({"hooks": hooks}),
            ".claude/settings.local.json": '{"disableAllHooks": true}',
            ".gemini/settings.json": json.dumps({"hooks": guard}),
        },
    )
    listed = agls.run("hooks", "list", "--trust").out
    assert "- PreToolUse: `guard` (.gemini/settings.json" in listed
    assert "true" not in listed.replace("disableAllHooks", "")
    assert "`loud`" not in listed
    assert "Left out: .gemini/settings.json: the hook loud is switched off by its name" in listed
    assert "Cannot be used" not in listed
    assert "Left out: .claude/settings.local.json: all hooks of Claude are switched off by disable" in listed


def test_files_of_cursor_are_read_as_cursor_means_them(agls: Agls) -> None:
    place(
        agls.workspace,
        {
            ".cursor/rules/style/RULE.md": "---\nalwaysApply: true\n---\nFollow @docs/style.md\n",
            "docs/style.md": "Short names.\n",
            ".cursor/hooks.json": json.dumps({"version": 1, "hooks": {"preToolUse": [{"command": "true"}]}}),
        },
    )
    listed = str(said(agls, "/instructions"))
    assert ".cursor/rules/style/RULE.md" in listed
    assert "there is no such file" not in listed
    assert "PreToolUse: `true` (.cursor/hooks.json" in agls.run("hooks", "list", "--trust").out


@pytest.mark.row(47)
def test_unknown_agent_of_a_skill_that_forks_is_told_to_the_user(agls: Agls) -> None:
    place(
        agls.workspace,
        {".claude/skills/far/SKILL.md": "---\ndescription: F.\ncontext: fork\nagent: nosuch\n---\nDo.\n"},
    )
    agls.prompts([{"calls": [{"name": "skill", "arguments": {"name": "far"}}]}, {"text": "done"}])
    done = agls.run("run", "go", "--trust", "--mode", "allowAll")
    assert "A skill names an agent that there is not" in done.err
    assert "'nosuch': a usual helper does it" in done.err


OPENCODE = """{
  // comments and last commas are usual
  "agent": {
    "build": {"model": "anthropic/some", "permission": {"bash": "ask"}},
    "code-reviewer": {
      "description": "Reviews: all of it", "mode": "subagent", "temperature": 0.1,
      "prompt": "{file:./prompts/review.txt}", "tools": {"write": false, "edit": false},
    },
    "docs": {"description": "Writes.", "prompt": "You write \\"docs\\".\\nAlways.", "color": "#ff6b6b"},
    "far": {"description": "Far.", "prompt": "{file:../outside.txt}"},
    "old": {"disable": true, "description": "Old.", "prompt": "Do."},
  },
  "command": {
    "test": {"template": "Run the suite for $ARGUMENTS.", "description": "Run: tests", "agent": "build"},
    "bad name": {"template": "Do."},
  },
}
"""


@pytest.mark.row(52)
def test_agents_and_commands_in_the_configuration_of_opencode_are_found(agls: Agls) -> None:
    near = '{"agent": {"near": {"description": "N.", "prompt": "Do."}}}'
    place(agls.workspace, {"opencode.jsonc": OPENCODE, "prompts/review.txt": "You review."})
    place(agls.workspace, {".opencode/opencode.json": near})
    agents = {row["name"]: row for row in said(agls, "/agent.list")["agents"]}
    assert {"code-reviewer", "docs", "far", "near"} <= agents.keys()
    assert not {"build", "old"} & agents.keys()
    reviewer = agents["code-reviewer"]
    assert (reviewer["description"], reviewer["problem"]) == ("Reviews: all of it", "")
    assert reviewer["file"].endswith("opencode.jsonc (agent.code-reviewer)")
    commands = {row["name"]: row for row in said(agls, "/command.list")["commands"]}
    assert commands["test"]["file"] == "opencode.jsonc (command.test)"
    assert "cannot be typed" in commands["bad name"]["problem"]
    changed = agls.run("run", "/agent.delete docs", "--trust")
    assert "in its own format: change it there" in changed.out + changed.err
    agls.script({"text": "done"})
    typed = agls.run("run", "/test unit", "--trust", "--output", "jsonl")
    assert "Run the suite for unit." in str(typed.events)


@pytest.mark.row(49)
def test_commands_that_a_manifest_describes_one_by_one_are_those_of_the_plugin(agls: Agls) -> None:
    plugin = agls.home / "described"
    commands = {
        "about": {"source": "./texts/about.md", "description": "Says what it is."},
        "hello": {"source": "./texts/greeting.md"},
        "inline": {"content": "Say $ARGUMENTS."},
    }
    place(
        plugin,
        {
            ".claude-plugin/plugin.json": json.dumps({"name": "described", "commands": commands}),
            "texts/about.md": "---\ndescription: About.\n---\nDo.\n",
            "texts/greeting.md": "Greet.\n",
        },
    )
    shown = agls.run("plugin", "show", str(plugin)).out
    assert "command /described:about\n" in shown
    assert "commands: hello: it is called greeting here" in shown
    assert "commands: inline: write it into a file, and that as its source" in shown
    assert agls.run("plugin", "add", str(plugin), "--yes").code == 0
    found = [row["name"] for row in said(agls, "/command.list")["commands"]]
    assert found == ["described:about", "described:greeting"]


@pytest.mark.row(49)
def test_command_of_a_hook_for_copilot_is_shown_before_anybody_consents_to_it(agls: Agls) -> None:
    plugin = agls.home / "copilot"
    hook = {"type": "command", "bash": "./audit.sh --all", "powershell": "./audit.ps1"}
    place(
        plugin,
        {
            "plugin.json": json.dumps({"name": "copilot", "hooks": "hooks.json"}),
            "hooks.json": json.dumps({"version": 1, "hooks": {"sessionStart": [hook]}}),
        },
    )
    assert (
        "hook sessionStart (hooks.json): runs ./audit.sh --all\n"
        in agls.run("plugin", "show", str(plugin)).out
    )


@pytest.mark.row(52)
def test_tool_that_searches_tools_has_the_name_of_claude_in_files(agls: Agls) -> None:
    head = "---\nname: finder\ndescription: Finds.\ntools: Read, ToolSearch\n---\nDo.\n"
    place(agls.workspace, {".claude/agents/finder.md": head})
    agls.configure(SCRIPTED + '[tools]\nload = "search"\n')
    assert "no such tools" not in agls.run("run", "/agent.list", "--trust").out


@pytest.mark.row(47)
def test_command_without_a_name_that_is_left_says_in_data_how_it_is_called(agls: Agls) -> None:
    place(agls.workspace, {".claude/commands/ship.md": "One.\n", ".opencode/command/ship.md": "Two.\n"})
    rows = said(agls, "/command.list")["commands"]
    assert [(row["name"], row["ownName"]) for row in rows] == [("ship", "ship"), ("", "ship")]
    assert rows[1]["hiddenBy"] == ".claude/commands/ship.md"
