"""A folder's own instructions count when its user trusts it, and the user is asked or told."""

import json
import subprocess
from pathlib import Path

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_terminal import FakeTerminal, begin, terminal
from support.model_server import ModelServer, Reply
from support.patience import PATIENCE

__all__ = ["terminal"]  # a fixture
SAID = "Use tabs, says the root."


@pytest.fixture
def sub(agls: Agls) -> Path:
    """A subfolder of a repository whose root has instructions."""
    subprocess.run(["git", "init", "-q"], cwd=agls.workspace, check=True)
    (agls.workspace / "AGENTS.md").write_text(SAID)
    folder = agls.workspace / "deep" / "sub"
    folder.mkdir(parents=True)
    return folder


def told(agls: Agls, *arguments: str) -> tuple[bool, str]:
    """Whether the model is told what the root says, and what is on standard error."""
    with ModelServer([Reply("Done.")]) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m", *arguments)
        return SAID in str(server.posts[0].body["messages"]), done.err


def test_untrusted_instructions_are_named_in_one_line_and_followed_after_agls_trust(
    agls: Agls, sub: Path
) -> None:
    here = ("--cwd", str(sub))
    followed, errors = told(agls, *here)
    assert not followed
    lines = [line for line in errors.splitlines() if "ignored, because" in line]
    assert len(lines) == 1
    assert str(agls.workspace / "AGENTS.md") in lines[0]
    assert "agls trust" in lines[0]
    assert agls.run("trust", str(sub)).code == 0
    assert agls.run("trust", "--list").out == f"{sub}\n"
    followed, errors = told(agls, *here)
    assert (followed, "ignored, because" in errors) == (True, False)
    assert not told(agls)[0], "trust is in the very folder"
    assert agls.run("trust", "--revoke", str(sub)).code == 0
    assert not told(agls, *here)[0]
    assert agls.run("trust", "--revoke", str(sub)).code == 1


def test_lines_for_programs_are_kept_clean_of_the_line_about_trust(agls: Agls, sub: Path) -> None:
    with ModelServer([Reply("Done.")]) as server:
        where = ("--base-url", server.url, "--model", "m", "--output", "jsonl")
        done = agls.run("run", "go", *where)
    assert "ignored, because" in done.err
    assert done.events[-1]["type"] == "runEnded"


def test_files_of_an_untrusted_folder_are_named_by_each_new_session_and_not_again_in_it(
    agls: Agls, sub: Path
) -> None:
    assert ["ignored, because" in told(agls)[1] for _ in range(2)] == [True, True]
    with ModelServer([Reply("Done.")]) as server:
        done = agls.run("resume", "more", "--base-url", server.url, "--model", "m")
    assert "ignored, because" not in done.err


def test_trusting_a_folder_names_the_files_that_count(agls: Agls, sub: Path) -> None:
    done = agls.run("trust")
    assert "these count: AGENTS.md." in done.err
    assert "agls trust --revoke" in done.err
    (agls.workspace / "AGENTS.md").unlink()
    assert "It has no files for agents yet." in agls.run("trust").err


def test_trusting_a_folder_names_what_each_product_has_in_it_and_one_of_several_texts(agls: Agls) -> None:
    servers = [".mcp.json", ".cursor/mcp.json", ".gemini/settings.json"]
    folders = [".claude/agents", ".opencode/agents", ".gemini/commands", ".cursor/rules"]
    texts = ("AGENTS.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md")
    for name in (*servers, *texts, ".codex/config.toml"):
        (agls.workspace / name).parent.mkdir(exist_ok=True)
        (agls.workspace / name).write_text("{}" if name.endswith("json") else "")
    for name in folders:
        (agls.workspace / name).mkdir(parents=True)
    named = agls.run("trust").err.partition("these count: ")[2].partition(". What")[0].split(", ")
    assert sorted(named) == sorted((*servers, *folders, "AGENTS.md", "CLAUDE.local.md", ".codex/config.toml"))


def test_added_folder_that_is_not_trusted_is_named_and_followed_after_agls_trust(agls: Agls) -> None:
    added = agls.home / "one more"
    added.mkdir()
    (added / "AGENTS.md").write_text(SAID)
    followed, errors = told(agls, "--trust", "--add-dir", str(added))
    assert not followed, "--trust is about the folder of the run"
    assert f"AGENTS.md: ignored, because {added} is not trusted. To trust it: agls trust '{added}'" in errors
    assert agls.run("trust", str(added)).code == 0
    followed, errors = told(agls, "--add-dir", str(added))
    assert followed and "ignored" not in errors


def test_folder_without_files_for_agents_is_not_mentioned(agls: Agls) -> None:
    assert "trust" not in told(agls)[1]


def test_instructions_of_a_folder_that_is_no_repository_stay_there(agls: Agls) -> None:
    (agls.workspace / "AGENTS.md").write_text(SAID)
    below = agls.workspace / "below"
    below.mkdir()
    assert not told(agls, "--cwd", str(below), "--trust")[0]


def test_link_above_is_not_read(agls: Agls, sub: Path) -> None:
    (agls.workspace / "AGENTS.md").rename(agls.home / "secret.md")
    (agls.workspace / "AGENTS.md").symlink_to(agls.home / "secret.md")
    assert not told(agls, "--cwd", str(sub), "--trust")[0]


@pytest.mark.parametrize(("answer", "trusted"), [("y", True), ("n", False)])
def test_terminal_is_asked_once_and_the_answer_is_remembered(
    agls: Agls, terminal: FakeTerminal, answer: str, *, trusted: bool
) -> None:
    (agls.workspace / "AGENTS.md").write_text(SAID)
    agls.script({"text": "Done."})
    process = begin(agls, terminal)
    terminal.wait_for("Trust this folder from now on?")
    terminal.type("what\n")
    terminal.wait_for("what")
    terminal.type(f"{answer}\n")
    assert process.wait(PATIENCE) == 0
    assert terminal.rest().count("Trust this folder") == 2
    assert terminal.screen.count("[y] Trust it") == 2
    assert terminal.screen.count("Your answer (y, n): ") == 2, "it is not written again behind other lines"
    assert bool(agls.run("trust", "--list").out) is trusted
    again = begin(agls, terminal)
    assert again.wait(PATIENCE) == 0
    assert terminal.rest().count("Trust this folder") == 2


def test_saved_permission_is_listed_explained_and_taken_back(agls: Agls, terminal: FakeTerminal) -> None:
    command = {"name": "shell", "arguments": {"command": "touch b.txt"}}
    agls.script({"calls": [command]}, {"text": "Done."})
    process = begin(agls, terminal)
    terminal.wait_for("n): ")
    terminal.type("p\n")
    assert process.wait(PATIENCE) == 0
    rule = "shell(touch b.txt)"
    assert rule in agls.run("permissions", "list").out
    listed = json.loads(agls.run("permissions", "list", "--json").out)
    assert listed["rules"] == [{"kind": "allow", "rule": rule, "where": "saved for this folder"}]
    assert "permissions.saved" in agls.run("config", "explain").out
    assert "runs without a question: the rule" in agls.run("permissions", "explain", "touch b.txt").out
    assert "asked about" in agls.run("permissions", "explain", "touch c.txt").out
    assert agls.run("permissions", "revoke", rule).code == 0
    assert agls.run("permissions", "revoke", rule).code == 1
    assert "asked about" in agls.run("permissions", "explain", "touch b.txt").out
    assert "permissions.saved" not in agls.run("config", "explain").out


def test_explain_says_what_a_mode_and_a_rule_do(agls: Agls) -> None:
    agls.configure('[permissions]\ndeny = ["read(.env)"]\n')
    explain = ("permissions", "explain")
    assert "refused: The rule deny read(.env)" in agls.run(*explain, "--kind", "read", ".env").out
    allowed = agls.run(*explain, "--kind", "edit", "a", "--mode", "acceptEdits").out
    assert "without a question: mode acceptEdits" in allowed
    assert "plan mode" in agls.run(*explain, "touch a", "--mode", "plan").out


def test_changed_files_are_listed_until_they_are_accepted(agls: Agls) -> None:
    agls.configure(agls.config_file.read_text() + '[permissions]\nallow = ["shell(./build.sh)"]\n')
    program = agls.workspace / "build.sh"
    program.write_text(f"#!/bin/sh\necho '#' >> {agls.config_file}\necho x >> done\n")
    program.chmod(0o755)
    agls.script({"calls": [{"name": "shell", "arguments": {"command": "./build.sh"}}]}, {"text": "Done."})
    agls.run("run", "go")
    assert f"{agls.config_file} changed while a command ran" in agls.run("permissions", "list").err
    assert agls.run("run", "go").code == 3
    assert agls.run("permissions", "accept").out == f"{agls.config_file}\n"
    agls.run("run", "go")
    assert (agls.workspace / "done").read_text() == "x\nx\n"
