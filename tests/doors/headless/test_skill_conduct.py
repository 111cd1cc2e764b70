"""How skills say that they are worked on: by a helper, for some files, without some tools."""

import json

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply
from support.skill_folders import offered_skills, results_read, write_skill

pytestmark = [pytest.mark.row(55), pytest.mark.timeout(300)]
FORKED = """---
name: research
description: Look into things, when asked.
context: fork
agent: Explore
{}---
Look into $ARGUMENTS.
"""
FOR_STYLES = (
    "---\nname: styles\ndescription: Write styles.\npaths: 'src/**/*.css, *.scss'\n---\nUse variables.\n"
)


def _said(server: ModelServer, request: int) -> str:
    return json.dumps(server.posts[request].body["messages"], ensure_ascii=False)


def test_skill_in_a_fork_is_done_by_its_agent_and_gives_back_the_answer_alone(agls: Agls) -> None:
    write_skill(agls.home / ".claude/skills", "research", FORKED.format(""))
    load = ("skill", {"name": "research", "arguments": "the parser"})
    replies = [Reply(calls=[load]), Reply("The parser has two bugs."), Reply("Done.")]
    with ModelServer(replies) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert (done.code, len(server.posts)) == (0, 3), done.err
        child, result = _said(server, 1), results_read(server)[0]
        tools = {each["function"]["name"] for each in server.posts[1].body["tools"]}
    assert "Look into the parser." in child
    assert "Look into the parser." not in _said(server, 2), "its text is the helper's alone"
    assert "The parser has two bugs." in result
    assert "write_file" not in tools, "the agent explore only reads"


@pytest.mark.parametrize(("place", "model"), [("home", "small"), ("workspace", "m")])
def test_skill_in_a_fork_that_the_model_loads_has_its_own_model_where_it_is_the_users(
    agls: Agls, place: str, model: str
) -> None:
    text = FORKED.replace("Explore", "general").format("model: small\n")
    write_skill(getattr(agls, place) / ".claude/skills", "research", text)
    load = ("skill", {"name": "research", "arguments": "the parser"})
    with ModelServer([Reply(calls=[load]), Reply("Two bugs."), Reply("Done.")]) as server:
        models = "".join(f'[models.{name}]\nbase_url = "{server.url}"\n' for name in ("m", "small"))
        agls.configure(f'model = "m"\n{models}')
        done = agls.run("run", "--trust", "go")
        assert done.code == 0, done.err
        assert [post.body["model"] for post in server.posts] == ["m", model, "m"]


@pytest.mark.parametrize("hidden", ["", "disable-model-invocation: true\n"])
def test_typed_skill_in_a_fork_begins_with_its_helper(agls: Agls, hidden: str) -> None:
    write_skill(agls.home / ".claude/skills", "research", FORKED.format(hidden))
    with ModelServer([Reply("Two bugs."), Reply("There are two bugs.")]) as server:
        done = agls.run("run", "/research the parser", "--base-url", server.url, "--model", "m")
        assert (done.code, len(server.posts)) == (0, 2), done.err
        assert "Look into the parser." in _said(server, 0)
        assert "Look into the parser." not in _said(server, 1)
        assert "Two bugs." in _said(server, 1)
    assert "There are two bugs." in done.out


def test_fork_with_an_agent_that_is_not_there_says_so_and_without_helpers_it_is_loaded(agls: Agls) -> None:
    write_skill(agls.home / ".claude/skills", "research", FORKED.replace("Explore", "nobody").format(""))
    load = ("skill", {"name": "research"})
    with ModelServer([Reply(calls=[load]), Reply("Two."), Reply("Done.")]) as server:
        agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert "it names the agent 'nobody', which is not known here" in results_read(server)[0]
    (agls.home / "config.toml").write_text("[subagents]\ndelegate = false\n")
    with ModelServer([Reply(calls=[load]), Reply("Done.")]) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        assert results_read(server)[0].startswith('<skill name="research"')


def test_skill_for_some_files_is_told_when_such_a_file_is_touched_and_once(agls: Agls) -> None:
    write_skill(agls.workspace / ".claude/skills", "styles", FOR_STYLES)
    write_skill(agls.workspace / ".claude/skills")
    for name in ("src/a/b.css", "src/a.txt", "c.scss"):
        (agls.workspace / name).parent.mkdir(parents=True, exist_ok=True)
        (agls.workspace / name).write_text("x")
    agls.run("trust", str(agls.workspace))
    reads = [("read_file", {"path": name}) for name in ("src/a.txt", "src/a/b.css", "c.scss")]
    replies = [*(Reply(calls=[each]) for each in reads), Reply(calls=[("skill", {"name": "styles"})])]
    with ModelServer([*replies, Reply("Done.")]) as server:
        done = agls.run("run", "go", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        tool = offered_skills(server)
        told = [_said(server, number).count("These skills are for files") for number in range(4)]
        assert told == [0, 0, 1, 1], "not for the text, and not again for the second one"
        assert "- styles: Write styles. (project)" in _said(server, 2)
        assert "Use variables." in results_read(server)[-1]
    assert "- styles" not in tool["description"]
    assert "styles" in tool["parameters"]["properties"]["name"]["enum"]
    assert "The model is told of it when it works on src/**/*.css, *.scss" in agls.run("run", "/skills").out


def test_tools_that_a_used_skill_denies_do_not_run_for_it_nor_for_its_helpers(agls: Agls) -> None:
    text = "---\nname: {name}\ndescription: Do.\ndisallowed-tools: Bash Write\n---\nDo it.\n"
    write_skill(agls.workspace / ".agls/skills", "careful", text)
    agls.run("trust", str(agls.workspace))
    run, write = ("shell", {"command": "touch made"}), ("write_file", {"path": "made", "content": "x"})
    load, delegate = ("skill", {"name": "careful"}), ("delegate", {"tasks": [{"prompt": "touch"}]})
    replies = [Reply(calls=[load]), Reply(calls=[run, write]), Reply(calls=[delegate]), Reply(calls=[run])]
    with ModelServer([*replies, Reply("No."), Reply("Done.")]) as server:
        done = agls.run("run", "go", "--mode", "allowAll", "--base-url", server.url, "--model", "m")
        assert done.code == 0, done.err
        whose = "the skill careful (.agls/skills/careful/SKILL.md) says to do without the tool"
        assert f"Not run: {whose} shell" in results_read(server, 2)[-2]
        assert f"Not run: {whose} write_file" in results_read(server, 2)[-1]
        assert f"{whose} shell" in results_read(server, 4)[-1], "the helper's"
    assert not (agls.workspace / "made").exists()
    with ModelServer([Reply(calls=[write]), Reply("Done.")]) as server:
        agls.run("resume", "more", "--mode", "allowAll", "--base-url", server.url, "--model", "m")
    assert (agls.workspace / "made").exists(), "the next run does not use the skill"


def test_skill_is_tested_with_prompts_of_a_file_and_nothing_runs(agls: Agls) -> None:
    write_skill(agls.home / "skills")
    prompts = agls.workspace / "prompts.txt"
    prompts.write_text("# what users write\nFill this form\n\nList the files\nHello\n")
    chosen = Reply(calls=[("skill", {"name": "pdf"})])
    replies = [chosen, Reply(calls=[("shell", {"command": "touch made"})]), Reply("Hi.")]
    model = ("--base-url",)
    with ModelServer([*replies, *replies]) as server:
        model = ("--base-url", server.url, "--model", "m")
        done = agls.run("skills", "test", "pdf", "--prompts", "prompts.txt", *model)
        assert done.code == 0, done.err
        assert "Fill this form" in _said(server, 0)
        assert "Fill this form" not in _said(server, 1)
        tried = json.loads(agls.run("skills", "test", "pdf", "--prompts", str(prompts), "--json", *model).out)
    assert done.out.splitlines() == [
        "pdf was chosen for 1 of 3 prompts.",
        "",
        "- ✓ Fill this form: chose pdf",
        "- ✗ List the files: called shell",
        "- ✗ Hello: answered in words",
    ]
    assert (tried["chosen"], tried["of"]) == (1, 3)
    assert not (agls.workspace / "made").exists()
    assert agls.run("sessions", "list", "--json").out.strip() in {"", "[]"}, "no session is kept"
    missing = agls.run("skills", "test", "pfd", "--prompts", str(prompts), *model)
    assert (missing.code, "There is no skill 'pfd'" in missing.err) == (2, True)
    (agls.workspace / "empty.txt").write_text("# nothing\n")
    empty = agls.run("skills", "test", "pdf", "--prompts", "empty.txt", *model)
    assert (empty.code, "write one per line" in empty.err) == (2, True)
    assert "- `pdf`: Handle pdf: when asked." in agls.run("skills", "list").out
    write_skill(
        agls.home / "skills", "snakes", "---\ndescription: For Python.\npaths: '**/*.py'\n---\nTabs.\n"
    )
    for_files = agls.run("skills", "test", "snakes", "--prompts", str(prompts), *model)
    assert (for_files.code, "here no file is read" in for_files.err) == (2, True), for_files.err
