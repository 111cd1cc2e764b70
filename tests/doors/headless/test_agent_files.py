"""Agents as files, through the command line: which count, making and changing them, and their powers."""

from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply

pytestmark = pytest.mark.timeout(300)
AGENT = "---\nname: {}\ndescription: From {}.\n{}\n---\nYou are {}.\n"


def write(file: Path, name: str, more: str = "shade: red") -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(AGENT.format(name, file.parent.parent.name, more, name))


def listed(agls: Agls) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of `/agent.list` by the names of the agents."""
    done = agls.run("run", "/agent.list", "--output", "json")
    assert done.code == 0, done.err
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in done.whole["action"]["data"]["agents"]:
        rows.setdefault(row["name"], []).append(row)
    return rows


def hand(name: str, words: str = "Do it.") -> Reply:
    return Reply(calls=[("delegate", {"tasks": [{"prompt": words, "agent": name}]})])


def names(server: ModelServer, request: int) -> set[str]:
    return {tool["function"]["name"] for tool in server.posts[request].body["tools"]}


def results(server: ModelServer, request: int) -> str:
    return "\n".join(str(m["content"]) for m in server.posts[request].body["messages"] if m["role"] == "tool")


@pytest.mark.row(52)
def test_agents_of_all_folders_count_once_in_their_order_and_broken_ones_are_named(agls: Agls) -> None:
    project = agls.workspace
    for place in (".agls", ".claude", ".gemini", ".opencode"):
        write(project / place / "agents/one.md", "one")
        write(project / place / f"agents/of-{place[1:]}.md", f"of-{place[1:]}")
    write(project / ".github/agents/hub.agent.md", "hub")
    codex = project / ".codex/agents/codex.toml"
    codex.parent.mkdir(parents=True)
    codex.write_text('name = "codex"\ndescription = "Does."\ndeveloper_instructions = "Do."\n')
    write(agls.home / ".claude/agents/one.md", "one")
    write(agls.home / ".claude/agents/mine.md", "mine")
    write(agls.home / "agents/explore.md", "explore")
    write(agls.home / "agents/set.md", "set")
    (agls.home / "agents/bad.md").write_text("---\nname: bad\ndescription: 'x\n---\nx")
    agls.configure(agls.config_file.read_text() + '[agents.set]\ndescription = "Set."\n')
    before = listed(agls)
    assert "of-claude" not in before, "nobody trusts the folder"
    agls.run("trust", str(project))
    rows = listed(agls)
    active = {name: row["file"] for name, found in rows.items() for row in found if row["active"]}
    expected = {"one", "of-agls", "of-claude", "of-gemini", "of-opencode", "hub", "codex", "mine"}
    built_in = {"explore", "plan", "general", "verify", "review", "help"}
    assert active.keys() == expected | built_in
    assert active["one"] == f"{project}/.agls/agents/one.md"
    assert active["explore"] == f"{agls.home}/agents/explore.md"
    assert [row["hiddenBy"] for row in rows["one"]] == ["", *[active["one"]] * 4]
    assert rows["set"][0]["hiddenBy"] == "the configuration"
    assert "line " in rows["bad"][0]["problem"]
    assert rows["mine"][0]["remarks"] == ["these keys have no effect here: shade"]
    doctor = agls.run("doctor", "--offline").out
    assert f"{agls.home}/agents/bad.md cannot be used: line " in doctor


@pytest.mark.row(52)
def test_agents_are_created_changed_deleted_and_used_from_the_next_prompt_on(agls: Agls) -> None:
    made = agls.run("run", '/agent.create sql description="Reviews SQL." prompt="You review." tools=Read')
    assert made.code == 0, made.err
    file = agls.home / "agents/sql.md"
    assert "tools: Read\n" in file.read_text()
    assert agls.run("run", "/agent.create sql description=x prompt=y").code != 0, "it is there already"
    wrong = agls.run("run", '/agent.create two description="Does it." prompt=Do tools=Computer')
    assert "none of its tools exists here: Computer" in wrong.err
    assert agls.run("run", '/agent.update sql description="Reviews SQL: all."').code == 0
    with ModelServer([Reply("Fine.")]) as server:
        done = agls.run("run", "go", "--agent", "sql", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        assert names(server, 0) == {"read_file"}
        assert "You review." in str(server.posts[0].body["messages"][0]["content"])
    assert listed(agls)["sql"][0]["description"] == "Reviews SQL: all."
    assert "is part of agls" in agls.run("run", "/agent.delete explore").err
    assert agls.run("run", "/agent.delete sql").code == 0
    assert not file.exists()
    refused = agls.run("run", '/agent.create two description="Does it." prompt=Do project=true')
    assert "nobody trusts the folder" in refused.err


@pytest.mark.row(54)
@pytest.mark.parametrize("name", ["explore", "plan", "review", "help"])
def test_built_in_agents_that_only_read_write_by_no_tool_and_no_command(agls: Agls, name: str) -> None:
    (agls.workspace / "a.txt").write_text("A text.\n")
    tries = Reply(
        calls=[
            ("write_file", {"path": "made.txt", "content": "x"}),
            ("shell", {"command": "touch made.txt"}),
            ("delegate", {"tasks": [{"prompt": "Write it."}]}),
            ("read_file", {"path": "a.txt"}),
        ]
    )
    below = Reply(calls=[("write_file", {"path": "made.txt", "content": "x"})])
    with ModelServer([hand(name), tries, below, Reply("No."), Reply("Read."), Reply("End.")]) as server:
        done = agls.run("run", "go", "--mode", "allowAll", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        assert "reading only" in results(server, 3)
        assert "A text." in results(server, 4)
        assert results(server, 4).count("reading only") >= 2
    assert not (agls.workspace / "made.txt").exists()


@pytest.mark.row(54)
def test_verify_runs_commands_without_tools_that_edit_and_general_has_all(agls: Agls) -> None:
    run = Reply(calls=[("shell", {"command": "echo it works"})])
    with ModelServer(
        [hand("verify"), run, Reply("Works."), hand("general"), Reply("Done."), Reply("End.")]
    ) as server:
        done = agls.run("run", "go", "--mode", "allowAll", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        assert "it works" in results(server, 2)
        assert not names(server, 1) & {"write_file", "edit_file", "apply_patch"}
        assert {"write_file", "edit_file", "shell"} <= names(server, 4)
        said = next(t for t in server.posts[0].body["tools"] if t["function"]["name"] == "delegate")
        assert "- verify: Check that something works" in said["function"]["description"]


@pytest.mark.promise("P2")
@pytest.mark.row(53)
def test_file_makes_powers_smaller_and_never_larger(agls: Agls) -> None:
    write(agls.home / "agents/lead.md", "lead", "tools: Read, Task(wide)")
    write(agls.home / "agents/wide.md", "wide", "permissionMode: bypassPermissions\nmaxTurns: 3")
    write(agls.home / "skills/pdf/SKILL.md", "pdf")
    write(agls.home / "agents/skilled.md", "skilled", "skills: pdf\ntools: Bash, Read")
    shell = Reply(calls=[("shell", {"command": "touch made.txt"})])
    handed = Reply(calls=[("agent__wide", {"task": "Do it."})])
    with ModelServer(
        [Reply(calls=[("agent__lead", {"task": "x"})]), handed, Reply("W."), Reply("L."), Reply("E.")]
    ) as server:
        agls.run("run", "go", "--mode", "allowAll", "--base-url", server.url, "--model", "m")
        assert {"read_file"} == names(server, 2) - {"agent__wide", "delegate"}
    with ModelServer(
        [Reply(calls=[("agent__wide", {"task": "x"})]), shell, Reply("W."), Reply("E.")]
    ) as server:
        agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert "Not run" in results(server, 2), "its caller's mode holds"
    skilled = Reply(calls=[("agent__skilled", {"task": "x"})])
    with ModelServer([skilled, Reply("S."), Reply("E.")]) as server:
        agls.run("run", "go", "--mode", "allowAll", "--base-url", server.url, "--model", "m")
        assert '<skill name="pdf"' in str(server.posts[1].body["messages"])
        assert "grep" not in names(server, 1)
    assert not (agls.workspace / "made.txt").exists()


def test_agents_behind_the_two_hundredth_of_a_folder_are_named_as_left_out(agls: Agls) -> None:
    for number in range(203):
        write(agls.home / f".claude/agents/a{number:03}.md", f"a{number:03}")
    (left_out,) = listed(agls)["a200"]
    assert "it and all behind it (3 files) are left out, as a folder has at most 200" in left_out["problem"]
    assert "a201" not in listed(agls)
    assert "/a200.md cannot be used: it and all behind it (3 files)" in agls.run("doctor", "--offline").out
