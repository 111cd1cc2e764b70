"""What the model is told of the place it works in, through the whole program, and how a user sees it."""

import json
import os
import pwd
import subprocess

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply


def git(agls: Agls, *arguments: str) -> None:
    """Run git in the workspace."""
    who = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    subprocess.run(["git", *who, *arguments], cwd=agls.workspace, check=True, capture_output=True)


@pytest.fixture
def repository(agls: Agls) -> Agls:
    """A repository with a commit, a changed file and a new one."""
    git(agls, "init", "-q", "-b", "main")
    (agls.workspace / "a.py").write_text("x = 1\n")
    git(agls, "add", ".")
    git(agls, "commit", "-qm", "Add the pump")
    (agls.workspace / "a.py").write_text("x = 2\n")
    (agls.workspace / "new file.py").write_text("")
    return agls


def environment(server: ModelServer, request: int) -> list[str]:
    """What a request says of the place, the oldest first."""
    messages = server.posts[request].body["messages"]
    texts = [json.dumps(message["content"]) for message in messages if message["role"] == "user"]
    return [text for text in texts if "<environment>" in text]


@pytest.mark.row(22)
def test_snapshot_of_git_date_and_system_is_refreshed_on_resume(repository: Agls) -> None:
    """Branch, changed files, commits, system, programs, listing; another branch is said, and only that."""
    agls = repository
    with ModelServer([Reply("One."), Reply("Two."), Reply("Three.")]) as server:
        where = ("--base-url", server.url, "--model", "m", "--trust")
        agls.run("run", "go", *where)
        agls.run("resume", "on", *where)
        git(agls, "checkout", "-qb", "fix/#12-ü")
        git(agls, "commit", "-qam", "Mend the pump")
        agls.run("resume", "on", *where)
        (first,) = environment(server, 0)
        assert len(environment(server, 1)) == 1, "nothing new"
        before, now = environment(server, 2)
        prompts = {str(post.body["messages"][0]["content"]) for post in server.posts}
    assert before == first
    assert len(prompts) == 1, "the prompt before it stays, byte for byte"
    for part in (
        "Git: branch main",
        "2:  M a.py, ?? new file.py",
        "Add the pump",
        "Date: 20",
        "System: ",
        "Door: ",
    ):
        assert part in first.replace('\\"', "")
    assert "In the folder: .git/, a.py, new file.py" in first
    assert "git" in first.split("Programs: ")[1].split("\\n")[0]
    assert f"Changed since:\\nGit: branch {json.dumps('fix/#12-ü')[1:-1]}\\n" in now
    assert "Mend the pump" in now
    assert "Date: " not in now


@pytest.mark.row(22)
def test_folder_without_a_repository_is_said_to_have_none_until_there_is_one(agls: Agls) -> None:
    """Also who the user is, where the environment does not say it, and a HEAD without a branch."""
    agls.environment |= {"USER": "", "LOGNAME": "", "USERNAME": ""}
    made = Reply(calls=[("shell", {"command": "git init -q -b main && git add . && git status --short"})])
    with ModelServer([Reply("One."), made, Reply("Two."), Reply("Three.")]) as server:
        where = ("--base-url", server.url, "--model", "m", "--trust", "--mode", "allowAll")
        agls.run("run", "go", *where)
        agls.run("resume", "make one", *where)
        git(agls, "commit", "-qm", "Begin", "--allow-empty")
        git(agls, "checkout", "-q", "--detach")
        agls.run("resume", "on", *where)
        (first,) = environment(server, 0)
        *_, made_one = environment(server, 2)
        *_, detached = environment(server, 3)
    assert "Git: the folder is in no repository" in first
    assert f"User: {pwd.getpwuid(os.getuid()).pw_name}" in first
    assert "Changed since:\\nGit: branch main" in made_one
    assert "no branch" in detached and "Begin" in detached


@pytest.mark.promise("P1")
def test_git_is_not_run_in_an_untrusted_folder(repository: Agls) -> None:
    """What git runs for the repository (here a monitor of its files) leaves a trace, and there is none."""
    agls = repository
    trace = agls.home / "trace"
    git(agls, "config", "core.fsmonitor", f"touch {trace}; false")
    agls.script({"text": "Done."})
    facts = json.loads(agls.run("run", "/env", "--output", "json").out)["action"]["data"]["facts"]
    assert not trace.exists()
    assert facts.keys().isdisjoint({"Git", "Not committed", "Last commits", "In the folder"})
    facts = json.loads(agls.run("run", "/env", "--output", "json", "--trust").out)["action"]["data"]["facts"]
    assert facts["Git"] == "branch main"
    assert not trace.exists(), "and the monitor is off where it is trusted"


@pytest.mark.row(30)
def test_report_shows_every_section_and_no_secret_value(repository: Agls) -> None:
    """The raw environment, with the names of variables only; files, prompt and size have reports, too."""
    agls = repository
    (agls.workspace / "AGENTS.md").write_text("Use tabs.")
    agls.environment |= {
        "USER": "ann",
        "SHELL": "/bin/zsh",
        "GOPATH": "canary-path",
        "OPENAI_API_KEY": "canary-key",
    }
    done = agls.run("run", "/env", "--trust")
    assert done.code == 0
    sections = {line.partition(": ")[0] for line in done.out.splitlines()}
    assert sections >= {
        "Date",
        "Working folder",
        "Scratch folder (for temporary files, not kept)",
        "Door",
        "System",
        "User",
        "Shell",
        "Programs",
        "Git",
        "Not committed",
        "Last commits",
        "In the folder",
        "Variables that commands get",
    }
    assert "GOPATH" in done.out
    assert "API_KEY" not in done.out
    assert "Use tabs." in agls.run("run", "/prompt", "--trust").out
    sizes = agls.run("run", "/context", "--trust", "--output", "json").whole["action"]["data"]
    assert min(sizes["tokensByKind"][kind] for kind in ("system", "memory", "tools", "environment")) > 0
    assert sum(sizes["tokensByKind"].values()) == sizes["tokens"]
    assert "AGENTS.md" in agls.run("run", "/instructions", "--trust").out
    everything = [
        agls.run("run", name, "--trust").out for name in ("/env", "/prompt", "/instructions", "/context")
    ]
    assert "canary" not in "".join(everything)
