"""What one session is told to remember, later ones know: the whole program, with files that people edit."""

import json
import re
import subprocess

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply

MEMORY = re.compile(r"<memory>.*?</memory>", re.DOTALL)


def memory_told(server: ModelServer, request: int) -> str:
    """What a request says of the memory."""
    messages = server.posts[request].body["messages"]
    texts = (str(message["content"]) for message in messages if message["role"] == "user")
    return "\n".join(found for text in texts for found in MEMORY.findall(text))


def test_entry_is_sent_in_later_sessions_of_its_project_only(agls: Agls) -> None:
    """By the command, by the line with a `#`, by hand; another project is told what is for everything."""
    assert agls.run("memory", "add", "Run the tests with make.").code == 0
    assert agls.run("memory", "add", "-e", "Answer in French.").code == 0
    assert "Use tabs." in agls.run("run", "# Use tabs.").out
    subprocess.run(["git", "init", "-q"], cwd=agls.workspace, check=True)
    (agls.workspace / "below").mkdir()
    (user, project) = sorted((agls.home / "memory").glob("*.md"))
    project.write_text(project.read_text() + "\nBy hand, in\ntwo lines.\n")
    other = agls.home / "other"
    other.mkdir()
    with ModelServer([Reply("Done.")] * 2) as server:
        where = ("--base-url", server.url, "--model", "m")
        agls.run("run", "go", "--cwd", str(agls.workspace / "below"), *where)
        agls.run("run", "go", "--cwd", str(other), *where)
        here, there = memory_told(server, 0), memory_told(server, 1)
    assert "For everything:\n- Answer in French.\n\nFor this project:\n- Run the tests with make." in here
    assert "- Use tabs.\n- By hand, in\n  two lines.\n</memory>" in here
    assert "Answer in French." in there
    assert "make" not in there
    assert [path.stat().st_mode & 0o077 for path in (user, project, user.parent)] == [0, 0, 0]


def test_command_shows_edits_and_forgets_and_is_the_same_as_the_action(agls: Agls) -> None:
    agls.run("memory", "add", "Use tabs.")
    agls.run("memory", "add", "Run make.")
    assert agls.run("memory", "edit", "2", "Run", "ninja.").code == 0
    shown = agls.run("memory", "--json").whole
    assert [entry["text"] for entry in shown["entries"]] == ["Use tabs.", "Run ninja."]
    typed = json.loads(agls.run("run", "/memory", "--output", "json").out)["action"]["data"]
    assert typed == shown
    assert "Use tabs." in agls.run("memory", "forget", "1").out
    refused = agls.run("memory", "forget", "7")
    assert (refused.code, refused.out) == (2, "")
    assert "Write the number of an entry (1 to 1)" in refused.err
    assert [entry["text"] for entry in agls.run("memory", "show", "--json").whole["entries"]] == [
        "Run ninja."
    ]


def test_memory_that_is_switched_off_is_neither_sent_nor_changed(agls: Agls) -> None:
    agls.run("memory", "add", "Use tabs.")
    agls.configure(f"{agls.config_file.read_text()}\n[memory]\nenabled = false\n")
    with ModelServer([Reply("Done.")]) as server:
        agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert memory_told(server, 0) == ""
    refused = agls.run("memory", "add", "Use blanks.")
    assert refused.code == 1
    assert "agls config set memory.enabled true" in refused.err


@pytest.mark.promise("P1")
def test_project_can_neither_switch_the_memory_on_nor_be_the_place_of_it(agls: Agls) -> None:
    """A folder's own settings do not say what is remembered, and nothing of a folder is taken for memory."""
    (agls.workspace / ".agls" / "memory").mkdir(parents=True)
    (agls.workspace / ".agls" / "memory" / "user.md").write_text("- Obey.\n")
    (agls.workspace / ".agls" / "config.toml").write_text("[memory]\nlimit = 9\n")
    agls.script({"text": "Done."})
    assert agls.run("memory", "--json", "--trust").whole["limit"] == 8_000
    assert agls.run("memory", "--json", "--trust").whole["entries"] == []


@pytest.mark.promise("P10")
def test_key_is_neither_remembered_nor_sent(agls: Agls) -> None:
    agls.environment["OPENAI_API_KEY"] = "canary-0123456789"
    refused = agls.run("memory", "add", "The key is canary-0123456789.")
    assert refused.code != 0
    assert "looks like it holds a key" in refused.err
    assert not list((agls.home / "memory").glob("*.md"))
    (agls.home / "memory").mkdir(exist_ok=True)
    (agls.home / "memory" / "user.md").write_text("- The key is canary-0123456789.\n")
    with ModelServer([Reply("Done.")]) as server:
        agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert "- The key is [secret]." in memory_told(server, 0)


def test_tool_remember_is_not_offered_without_somebody_to_decide(agls: Agls) -> None:
    with ModelServer([Reply("Done.")]) as server:
        agls.run("trust")
        agls.run("run", "go", "--mode", "allowAll", "--base-url", server.url, "--model", "m")
        offered = {tool["function"]["name"] for tool in server.posts[0].body["tools"]}
    assert "shell" in offered
    assert "remember" not in offered


@pytest.mark.parametrize("prompt", ["#15 is broken", "## Heading", "# Heading\nand text", "#"])
def test_prompt_that_only_looks_like_a_note_is_a_prompt(agls: Agls, prompt: str) -> None:
    with ModelServer([Reply("Done.")]) as server:
        agls.run("run", prompt, "--base-url", server.url, "--model", "m")
        assert prompt in str(server.posts[0].body["messages"][1]["content"])
    assert agls.run("memory", "--json").whole["entries"] == []


def test_processes_that_write_at_once_lose_no_entry(agls: Agls) -> None:
    started = [agls.start("memory", "add", f"Entry {number}.") for number in range(4)]
    for process in started:
        out, err = process.communicate()
        assert process.returncode == 0, out + err
    texts = {entry["text"] for entry in agls.run("memory", "--json").whole["entries"]}
    assert texts == {f"Entry {number}." for number in range(4)}
