"""What the front matter of an agent's file says of its runs, through the command line."""

import re
import subprocess
from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_server import Failure, ModelServer, Reply, Request
from support.patience import wait_until

pytestmark = pytest.mark.timeout(300)
HAND = Reply(calls=[("agent__poet", {"task": "Write a verse."})])


def write_agent(agls: Agls, keys: str, name: str = "poet") -> None:
    file = agls.home / f"agents/{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"---\nname: {name}\ndescription: Writes.\n{keys}\n---\nYou write.\n")


def go(agls: Agls, server: ModelServer, *more: str) -> Any:
    done = agls.run("run", "go", "--base-url", server.url, "--model", "m", *more)
    assert done.code == 0, done.err
    return done


def remarks(agls: Agls, name: str = "poet") -> list[str]:
    rows = agls.run("run", "/agent.list", "--output", "json").whole["action"]["data"]["agents"]
    return next(row["remarks"] for row in rows if row["name"] == name)


@pytest.mark.row(53)
def test_temperature_of_an_agent_is_sent_with_its_requests_and_with_no_others(agls: Agls) -> None:
    write_agent(agls, "temperature: 0.3\ntop_p: '0.9'")
    assert remarks(agls) == []
    with ModelServer([HAND, Reply("A verse."), Reply("End.")]) as server:
        go(agls, server)
        sent = [(post.body.get("temperature"), post.body.get("top_p")) for post in server.posts]
    assert sent == [(None, None), (0.3, 0.9), (None, None)]
    write_agent(agls, "temperature: 7")
    assert remarks(agls) == ["these are no numbers in their range: write temperature from 0 to 2"]


@pytest.mark.row(53)
def test_model_that_takes_no_temperature_is_asked_without_it(agls: Agls) -> None:
    write_agent(agls, "temperature: 0.3")
    refusal = Failure(400, "Unsupported parameter: 'temperature' is not supported with this model.")
    look = Reply(calls=[("glob", {"pattern": "*"})])
    with ModelServer([refusal, look, Reply("A verse.")]) as server:
        assert "A verse." in go(agls, server, "--agent", "poet").out
        assert ["temperature" in post.body for post in server.posts] == [True, False, False]


@pytest.mark.row(53)
def test_initial_prompt_is_told_once_to_the_agent_of_the_session_and_to_no_helper(agls: Agls) -> None:
    write_agent(agls, "initialPrompt: Read the style guide first.")
    assert remarks(agls) == []
    with ModelServer([Reply("One."), Reply("Two."), HAND, Reply("A verse."), Reply("End.")]) as server:
        go(agls, server, "--agent", "poet")
        again = agls.run("resume", "more", "--agent", "poet", "--base-url", server.url, "--model", "m")
        assert again.code == 0, again.err
        go(agls, server)
        said = [str(post.body["messages"]).count("Read the style guide first.") for post in server.posts]
    assert said == [1, 1, 0, 0, 0]


@pytest.mark.row(53)
def test_model_prompt_turns_and_tools_of_an_agent_are_those_of_its_file(agls: Agls) -> None:
    write_agent(agls, "model: opus\nmaxTurns: 2\ndisallowedTools: Bash, Write")
    look = Reply(calls=[("glob", {"pattern": "*"})])
    with ModelServer([HAND, look, look, look, Reply("End."), Reply("End.")]) as server:
        models = "".join(
            f'[models.{name}]\nmodel = "{name}-1"\nbase_url = "{server.url}"\n' for name in ("one", "large")
        )
        agls.configure(f'model = "one"\n{models}[tiers]\nstrong = "large"\n')
        assert agls.run("run", "go", "--mode", "allowAll").code == 0
        own = [post.body for post in server.posts if "You write." in str(post.body["messages"][0])]
    assert [body["model"] for body in own] == ["large-1", "large-1"], "of its tier, and at most two turns"
    offered = {tool["function"]["name"] for tool in own[0]["tools"]}
    assert "glob" in offered and not {"shell", "write_file"} & offered


def repository(agls: Agls) -> None:
    git(agls, "init", "-q")
    (agls.workspace / "a.txt").write_text("A text.\n")
    git(agls, "add", "a.txt")
    git(agls, "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "First")


def git(agls: Agls, *arguments: str) -> str:
    done = subprocess.run(
        ("git", *arguments),
        cwd=agls.workspace,
        env=agls.variables,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


@pytest.mark.row(53)
@pytest.mark.row(60)
def test_helper_works_in_a_worktree_that_is_kept_with_its_changes_and_removed_without(agls: Agls) -> None:
    repository(agls)
    write_agent(agls, "isolation: worktree")
    assert remarks(agls) == []
    change = Reply(
        calls=[
            ("shell", {"command": "echo Another text. > a.txt && pwd && cat a.txt"}),
            ("write_file", {"path": "new/b.txt", "content": "New.\n"}),
            ("write_file", {"path": str(agls.workspace / "made.txt"), "content": "x"}),
        ]
    )
    outside = agls.workspace.parent / "workspace-worktrees"
    with ModelServer([HAND, Reply("End.")]) as server:
        refused = agls.run("run", "go", "--mode", "acceptEdits", "--base-url", server.url, "--model", "m")
        assert refused.code == 0, refused.err
        assert "none could be made: This folder is not trusted" in str(server.posts[1].body["messages"])
    with ModelServer(
        [HAND, change, Reply("Changed."), HAND, Reply("Nothing to do."), Reply("End.")]
    ) as server:
        go(agls, server, "--mode", "allowAll", "--trust")
        (tree,) = outside.iterdir()
        told = [m["content"] for m in server.posts[2].body["messages"] if m["role"] == "tool"]
        assert f"{tree}\nAnother text." in told[0]
        assert "the place is outside of it" in told[2]
        report, unchanged = [m["content"] for m in server.posts[5].body["messages"] if m["role"] == "tool"]
    assert (agls.workspace / "a.txt").read_text() == "A text.\n", "the folder of the session stays as it is"
    assert git(agls, "status", "--porcelain") == ""
    assert all(part in report for part in ("+Another text.", "+New.", str(tree), "agls/poet-"))
    assert "changed nothing there; the worktree is removed" in unchanged
    assert (tree / "new/b.txt").read_text() == "New.\n"
    assert git(agls, "branch", "--list", "agls/*").count("agls/") == 1
    doctor = agls.run("doctor", "--offline", "--trust").out
    assert f"{tree} (branch agls/{tree.name}) is a worktree that agls made" in doctor


@pytest.mark.row(60)
def test_worktree_of_a_helper_that_was_cut_off_is_named_and_taken_again(agls: Agls) -> None:
    repository(agls)
    write_agent(agls, "isolation: worktree")
    write = Reply(calls=[("write_file", {"path": "b.txt", "content": "Half.\n"})])
    waiting = Reply(calls=[("shell", {"command": "sleep 600"})])
    arguments = ("--mode", "allowAll", "--trust", "--model", "m", "--base-url")
    with ModelServer([HAND, write, waiting]) as server:
        process = agls.start("run", "go", *arguments, server.url)
        wait_until(lambda: len(server.posts) == 3)
        process.kill()
        process.wait()
    (tree,) = (agls.workspace.parent / "workspace-worktrees").iterdir()
    doctor = agls.run("doctor", "--offline", "--trust").out
    assert f"A helper worked in {tree} (branch agls/{tree.name}) when its agls ended" in doctor

    def answer(request: Request) -> Reply:
        said = str(request.body["messages"])
        if "Go on." in said and "The file is there" in said:
            return Reply("End.")
        if "You write." in said:
            return Reply("The file is there.")
        (found,) = set(re.findall(r"session (ses_\w+)", said))
        return Reply(calls=[("agent__poet", {"task": "Go on.", "resume": found})])

    with ModelServer(answer) as server:
        done = agls.run("resume", "Go on.", *arguments, server.url)
        assert done.code == 0, done.err
        report = str(server.posts[-1].body["messages"])
    assert "+Half." in report
    assert [*tree.parent.iterdir()] == [tree]
