"""`agls import PRODUCT`: what other agents keep is shown first, and written only when somebody agrees."""

import json
import os
import pty
import shutil
from pathlib import Path

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply
from support.patience import wait_until


def place(folder: Path, files: dict[str, str]) -> None:
    """Write files below a folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def files_of(agls: Agls) -> dict[str, str]:
    """All files of the user and of the workspace but the state."""
    found = (path for root in (agls.home, agls.workspace) for path in root.rglob("*") if path.is_file())
    return {str(path): path.read_text() for path in found if not path.is_relative_to(agls.state)}


def slug(folder: Path) -> str:
    """How Claude Code names the folder of a project."""
    return "".join(letter if letter.isalnum() else "-" for letter in str(folder))


@pytest.fixture
def claude(agls: Agls) -> Agls:
    """A user of Claude Code."""
    settings = {
        "permissions": {
            "allow": ["Bash(npm run *)", "Bash(git * main)", "Bash(python:*)", "mcp__issues__list"],
            "deny": ["Read(.env)", "Bash(curl:*)", "Read(//etc/shadow)", "WebFetch(domain:example.com)"],
            "defaultMode": "bypassPermissions",
        },
        "hooks": {"Stop": []},
        "theme": "dark",
    }
    memory = "# Notes\n\n- The database listens on port 5433.\n- Tests need\n  a running redis.\n"
    place(
        agls.home / ".claude",
        {
            "CLAUDE.md": "Answer in French.\n",
            "rules/push.md": "Never push.\n",
            "rules/python.md": "---\npaths: ['*.py']\n---\nUse tabs.\n",
            "commands/fix.md": "Fix it.\n",
            "skills/sing/SKILL.md": "La.\n",
            "settings.json": json.dumps(settings),
            f"projects/{slug(agls.workspace)}/memory/MEMORY.md": memory,
        },
    )
    (agls.home / ".claude.json").write_text('{"mcpServers": {"issues": {}}}')
    project = {"permissions": {"deny": ["Bash(rm *)"], "allow": ["Bash(make)"]}}
    place(agls.workspace, {".claude/settings.json": json.dumps(project), "CLAUDE.md": "Be brief.\n"})
    return agls


def test_dry_view_shows_every_change_and_writes_nothing(claude: Agls) -> None:
    before = files_of(claude)
    shown = claude.run("import", "claude", "--trust")
    assert shown.code == 0
    assert "Nothing was written. To write it: agls import claude --yes" in shown.err
    for line in (
        "+Answer in French.",
        "+Never push.",
        '+allow = ["shell(npm run *)"]',
        "+ Tests need a running redis.",
    ):
        assert line in shown.out
    assert (
        '+deny = ["read(**/.env)", "shell(curl *)", "read(/etc/shadow)", "web_fetch(domain:example.com)"]'
        in shown.out
    )
    assert claude.run("import", "claude", "--trust", "--yes", "--dry-run").out == shown.out
    assert files_of(claude) == before


def test_what_cannot_be_taken_is_named_with_its_reason(claude: Agls) -> None:
    whole = claude.run("import", "claude", "--trust", "--json").whole
    left = {row["what"]: row["why"] for row in whole["leftOut"]}
    assert (
        left["mcp: issues"]
        == "servers are not imported: write them into your config.toml, as [mcp.servers.NAME]"
    )
    assert left["skills: sing"] == "this version has no skills"
    assert "for some files only (*.py)" in left["a rule"]
    assert "does not switch questions off" in left["permission mode"]
    assert left["settings: theme"] == "agls has no such settings, or others of its own"
    assert "cannot say this exactly" in left["allow Bash(git * main)"]
    assert "python runs others" in left["allow Bash(python:*)"]
    assert "a project's file grants nothing" in left["allow Bash(make)"]
    stays = {row["what"]: row["why"] for row in whole["stays"]}
    assert stays["hooks: Stop"] == "agls reads these itself; /hooks shows them"
    assert any("commands" in what for what in stays)


def test_what_was_written_counts_in_the_next_run(claude: Agls) -> None:
    done = claude.run("import", "claude", "--trust", "--yes")
    assert (done.code, "Written." in done.err) == (0, True)
    rules = claude.run("permissions", "list", "--json", "--trust").whole["rules"]
    said = {(row["kind"], row["rule"]) for row in rules}
    assert {("allow", "shell(npm run *)"), ("deny", "shell(curl *)"), ("deny", "shell(rm *)")} <= said
    with ModelServer([Reply("Done.")]) as server:
        claude.run("run", "go", "--base-url", server.url, "--model", "m")
        told = json.dumps(server.posts[0].body["messages"])
    for words in ("Answer in French.", "Never push.", "The database listens on port 5433."):
        assert words in told
    again = claude.run("import", "claude", "--trust", "--yes")
    assert "There is nothing to write." in again.err
    assert "it is there already" in again.out


def test_files_of_a_folder_that_is_not_trusted_are_not_opened(claude: Agls) -> None:
    (claude.workspace / ".claude/settings.json").chmod(0)  # to open it would be a problem that is shown
    shown = claude.run("import", "claude", "--yes")
    assert "is not trusted, so none of its files was opened" in shown.out
    assert "shell(rm *)" not in shown.out
    assert not (claude.workspace / ".agls").exists()


def test_command_of_another_text_is_never_overwritten(agls: Agls) -> None:
    place(
        agls.home,
        {
            ".codex/prompts/fix.md": "Fix $ISSUE.\n",
            ".codex/prompts/new.md": "New.\n",
            "commands/fix.md": "Mine.\n",
        },
    )
    done = agls.run("import", "codex", "--yes")
    assert "fix.md is there already and says something else" in done.out
    assert "write `arguments: [ISSUE]` into its front matter" in done.out
    assert (agls.home / "commands/fix.md").read_text() == "Mine.\n"
    assert (agls.home / "commands/new.md").read_text() == "New.\n"
    assert "/new" in agls.run("run", "/help").out


def test_codex_gives_its_instructions_commands_and_rules(agls: Agls) -> None:
    forbidden = 'prefix_rule(pattern=["git", ["push", "fetch"]], decision="forbidden")\n'
    rules = forbidden + 'prefix_rule(pattern=["ls"], decision="prompt")\n'
    config = 'model = "m"\napproval_policy = "never"\n[mcp_servers.docs]\ncommand = "x"\n'
    place(
        agls.home / ".codex", {"AGENTS.md": "Short.\n", "rules/default.rules": rules, "config.toml": config}
    )
    done = agls.run("import", "codex", "--yes")
    written = agls.config_file.read_text()
    assert 'deny = ["shell(git push *)", "shell(git fetch *)"]' in written
    assert 'ask = ["shell(ls *)"]' in written
    assert "Short." in (agls.home / "AGENTS.md").read_text()
    assert "approval_policy = never is not switched on by an import" in done.out
    assert "mcp: docs" in done.out


def test_gemini_gives_its_words_memories_and_denials(agls: Agls) -> None:
    settings = (
        '{ // with comments\n"tools": {"exclude": ["run_shell_command(rm -rf)"]}, "mcpServers": {"m": {}},}'
    )
    asking = '[[rule]]\ntoolName = ["write_file", "replace"]\ndecision = "ask_user"\n'
    policy = asking + '[[rule]]\ncommandRegex = "x"\ndecision = "deny"\n'
    place(
        agls.home / ".gemini",
        {
            "GEMINI.md": "Be kind.\n\n## Gemini Added Memories\n- Likes tea.\n",
            "settings.json": settings,
            "policies/mine.toml": policy,
        },
    )
    done = agls.run("import", "gemini", "--yes")
    assert 'deny = ["shell(rm -rf *)"]' in agls.config_file.read_text()
    assert 'ask = ["edit"]' in agls.config_file.read_text()
    assert (agls.home / "AGENTS.md").read_text().endswith("Be kind.\n")
    assert [row["text"] for row in agls.run("memory", "--json").whole["entries"]] == ["Likes tea."]
    assert "deny x: a rule of agls cannot say this exactly" in done.out


def test_cursor_gives_commands_of_both_and_rules(agls: Agls) -> None:
    config = {"version": 1, "permissions": {"allow": ["Shell(ls)"], "deny": ["Shell(rm)", "Write(**/*.key)"]}}
    place(agls.home / ".cursor", {"commands/do.md": "Do.\n", "cli-config.json": json.dumps(config)})
    place(agls.workspace / ".cursor", {"commands/ours.md": "Ours.\n", "rules/a.mdc": "Rule.\n"})
    done = agls.run("import", "cursor", "--trust", "--yes")
    assert "your rules and memories" in done.out
    assert (agls.home / "commands/do.md").read_text() == "Do.\n"
    assert (agls.workspace / ".agls/commands/ours.md").read_text() == "Ours.\n"
    assert 'deny = ["shell(rm *)", "edit(**/*.key)"]' in agls.config_file.read_text()


@pytest.mark.parametrize("link", [".cursor/commands/taken.md", ".cursor/commands", ".agls/commands"])
def test_commands_are_neither_read_nor_written_through_a_link_of_the_project(agls: Agls, link: str) -> None:
    place(agls.home, {"private/taken.md": "Private.\n", ".cursor/commands/do.md": "Do.\n"})
    place(agls.workspace / ".cursor", {"commands/ours.md": "Ours.\n", "rules/a.mdc": "Rule.\n"})
    if link == ".cursor/commands":
        shutil.rmtree(agls.workspace / link)
    (agls.workspace / link).parent.mkdir(exist_ok=True)
    (agls.workspace / link).symlink_to(agls.home / "private" / ("taken.md" if link.endswith("md") else ""))
    done = agls.run("import", "cursor", "--trust", "--yes")
    assert "a link leads" in done.out
    assert sorted(path.name for path in (agls.home / "private").iterdir()) == ["taken.md"]
    assert not (agls.workspace / ".agls/commands/taken.md").exists() or link == ".agls/commands"


def test_opencode_rule_with_later_exceptions_is_not_taken(agls: Agls) -> None:
    permission = {"bash": {"*": "ask", "make test": "allow", "rm *": "deny"}, "edit": "ask"}
    config = json.dumps({"permission": permission, "instructions": ["docs/a.md"], "mcp": {"z": {}}})
    place(agls.home / ".config/opencode", {"AGENTS.md": "Hello.\n", "opencode.json": config})
    done = agls.run("import", "opencode", "--yes")
    assert "ask bash: *: a rule of agls cannot say this exactly" in done.out
    written = agls.config_file.read_text()
    assert ('deny = ["shell(rm *)"]' in written, 'allow = ["shell(make test)"]' in written) == (True, True)
    assert 'ask = ["edit"]' in written


def test_products_that_are_there_are_listed_and_others_refused(claude: Agls) -> None:
    assert claude.run("import").out == "agls import claude     Claude Code\n"
    refused = claude.run("import", "gemini")
    assert (refused.code, "Gemini CLI has no files here" in refused.err) == (1, True)
    assert claude.run("import", "vim").code == 2


def test_broken_file_is_named_and_its_neighbours_are_taken(claude: Agls) -> None:
    (claude.home / ".claude/settings.json").write_text("{nonsense")
    done = claude.run("import", "claude", "--yes")
    assert "~/.claude/settings.json: the file: it cannot be read" in done.out
    assert "Answer in French." in (claude.home / "AGENTS.md").read_text()


@pytest.mark.parametrize(("answer", "written"), [("y\n", True), ("\n", False)])
def test_terminal_is_asked_before_anything_is_written(claude: Agls, answer: str, *, written: bool) -> None:
    ours, theirs = pty.openpty()
    process = claude.start("import", "claude", stdin=theirs)
    os.close(theirs)
    os.write(ours, answer.encode())
    wait_until(lambda: process.poll() is not None)
    os.close(ours)
    assert process.stderr is not None
    assert "Write this? [y/N]" in process.stderr.read()
    assert (claude.home / "AGENTS.md").exists() is written
