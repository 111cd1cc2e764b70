"""`/commit`, `/review`, `/init` and `/pr-comments` on a real repository, with what the model is asked."""

import json
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from doors.headless.conftest import Agls
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.row(82), pytest.mark.timeout(300)]
Git = Callable[..., str]
Open = Callable[..., Wire]
IDENTITY = {
    name: "Somebody" if name.endswith("NAME") else "somebody@example.org"
    for name in ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")
}


def git_in(folder: Path) -> Git:
    """Return git in a folder, without the settings of whoever runs the tests."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(folder.parent), **IDENTITY}

    def git(*arguments: str) -> str:
        done = subprocess.run(
            ["git", *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    return git


def plant(folder: Path) -> Git:
    """Make a repository with one commit, a remote that has it, and two files that changed since."""
    git = git_in(folder)
    (folder.parent / ".gitconfig").write_text("[user]\nname = Somebody\nemail = somebody@example.org\n")
    git("init", "-q", "-b", "main")
    (folder / "greeting.py").write_text('print("hello")\n')
    (folder / "other.py").write_text("x = 1\n")
    git("add", ".")
    git("commit", "-q", "-m", "Say hello")
    git("init", "-q", "--bare", str(folder.parent / "remote.git"))
    git("remote", "add", "origin", str(folder.parent / "remote.git"))
    git("push", "-q", "-u", "origin", "main")
    (folder / "greeting.py").write_text('print("hello, world")\n')
    (folder / "other.py").write_text("x = 2\n")
    return git


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Open]:
    """Begin a server in memory that plays these prompts, in a repository that is trusted by default."""
    with ExitStack() as opened:
        yield partial(begin, opened, tmp_path)


def begin(
    opened: ExitStack, folder: Path, *prompts: dict[str, Any], trusted: bool = True, **options: Any
) -> Wire:
    """Begin one."""
    wire = opened.enter_context(Wire(folder, script(folder, *prompts), inside=ConnectionLimits()))
    plant(wire.workspace)
    wire.initialize(AGENT, initializationOptions={"trusted": trusted})
    wire.session(options=options)
    return wire


def typed(wire: Wire, text: str) -> dict[str, Any]:
    """Send what somebody typed, and wait for the end."""
    session = wire.call("agent/session/list", {})["sessions"][0]["sessionId"]
    return wire.ask("agent/run", {"sessionId": session, "input": text, "expand": True, "wait": True})


def asked_with(*parts: str, answer: str = "It is asked.") -> dict[str, Any]:
    """Answer only a message that has these parts, in this order."""
    return {"pattern": "(?s)" + ".*".join(parts), **turns(answer)}


def call(name: str, **arguments: Any) -> dict[str, Any]:
    """Return a turn with one call."""
    return {"text": "", "calls": [{"name": name, "arguments": arguments}]}


# --- /commit -------------------------------------------------------------------------------------


def test_commit_takes_what_is_staged_and_nothing_else_and_pushes_nothing(start: Open) -> None:
    wire = start(asked_with("Say hello", "hello, world", "shout", answer="Greet the world\n\nIt is larger."))
    git = git_in(wire.workspace)
    git("add", "greeting.py")
    answer = typed(wire, "/commit do not shout")["result"]
    assert (answer["outcome"], answer["runId"]) == ("action", "")
    assert git("log", "-1", "--format=%B").strip() == "Greet the world\n\nIt is larger."
    assert git("show", "--format=", "--name-only", "HEAD").split() == ["greeting.py"]
    assert git("status", "--porcelain").split() == ["M", "other.py"]
    assert git("rev-parse", "origin/main") == git("rev-parse", "HEAD~1")
    assert "Nothing was pushed." in answer["action"]["output"][0]["text"]
    usage = typed(wire, "/usage")["result"]["action"]["output"][0]["text"]
    assert "1 model call" in usage or "tokens" in usage, "the message is paid for"


def test_commit_takes_the_files_of_the_agent_where_nothing_is_staged(start: Open) -> None:
    write = call("write_file", path="made.py", content="made = True\n")
    wire = start(
        {"match": "Make it", **turns(write, "Made.")},
        asked_with("made = True", answer="```\nMake it\n```"),
        mode="acceptEdits",
    )
    git = git_in(wire.workspace)
    assert typed(wire, "Make it")["result"]["stopReason"] == "endTurn"
    assert typed(wire, "/commit")["result"]["action"]["data"]["files"] == ["made.py"]
    assert git("log", "-1", "--format=%s").strip() == "Make it"
    assert git("status", "--porcelain") == " M greeting.py\n M other.py\n", (
        "what the user did is not committed"
    )


def test_commit_without_anything_to_take_says_what_to_do(start: Open) -> None:
    wire = start()
    assert "git add FILE" in typed(wire, "/commit")["error"]["message"]


def test_commit_that_a_hook_or_the_model_refuses_leaves_everything_as_it_was(start: Open) -> None:
    write = call("write_file", path="made.py", content="made = True\n")
    failing = {"text": "", "error": {"kind": "badRequest", "message": "no words"}}
    wire = start(
        {"match": "Make it", **turns(write, "Made.")},
        {"match": "The user says of it: fail", **turns(failing)},
        {"match": "<change>", **turns("Make it")},
        mode="acceptEdits",
    )
    git = git_in(wire.workspace)
    typed(wire, "Make it")
    before = git("status", "--porcelain")
    assert "no words" in typed(wire, "/commit fail")["error"]["message"]
    assert git("status", "--porcelain") == before
    hook = wire.workspace / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho it is not formatted\nexit 1\n")
    hook.chmod(0o755)
    assert "it is not formatted" in typed(wire, "/commit")["error"]["message"]
    assert (git("status", "--porcelain"), git("log", "-1", "--format=%s").strip()) == (before, "Say hello")


def test_repository_of_an_untrusted_folder_is_not_touched(start: Open) -> None:
    wire = start(trusted=False)
    for text in ("/commit", "/review"):
        assert "agls trust" in typed(wire, text)["error"]["message"]


# --- /review -------------------------------------------------------------------------------------


def test_review_gets_what_is_not_committed_and_can_change_nothing(start: Open) -> None:
    wire = start(
        {
            "match": "hello, world",
            **turns(
                call("write_file", path="new.py", content="x"),
                call("shell", command="touch new.py"),
                call("read_file", path="other.py"),
                "It is fine.",
            ),
        },
        mode="allowAll",
    )
    (wire.workspace / "added.py").write_text("added = 1\n")
    (wire.workspace / "logo.png").write_bytes(b"\x89PNG\0\1\2")
    answer = typed(wire, "/review look at the tests")["result"]
    assert answer["stopReason"] == "endTurn"
    items = [event["data"]["item"] for event in wire.events if event["type"] == "itemCompleted"]
    calls = [item for item in items if item["kind"] == "toolCall"]
    assert [item["status"] for item in calls] == ["rejected", "rejected", "completed"]
    assert not (wire.workspace / "new.py").exists()
    prompt = next(item for item in items if item["kind"] == "userMessage")["content"][1]["text"]
    assert "+x = 2" in prompt
    assert "New file, read it: added.py\n" in prompt
    assert "New binary file: logo.png\n" in prompt
    assert "look at the tests" in prompt


def test_review_of_a_branch_or_a_range_gets_its_difference(start: Open) -> None:
    wire = start(
        asked_with("what feature changed since", "featured = 1"),
        asked_with("the difference HEAD~1..HEAD", "second = 1"),
        asked_with("what the current branch changed since old", "second = 1"),
    )
    git = git_in(wire.workspace)
    git("checkout", "-q", "--", ".")
    git("branch", "old")
    git("checkout", "-q", "-b", "feature")
    (wire.workspace / "feature.py").write_text("featured = 1\n")
    git("add", ".")
    git("commit", "-q", "-m", "Feature")
    git("checkout", "-q", "main")
    (wire.workspace / "second.py").write_text("second = 1\n")
    git("add", ".")
    git("commit", "-q", "-m", "Second")
    for text in ("/review feature", "/review HEAD~1..HEAD", "/review old"):
        assert typed(wire, text)["result"]["stopReason"] == "endTurn", text
    assert "nothing to review" in typed(wire, "/review")["error"]["message"]


# --- /init, /pr-comments -------------------------------------------------------------------------


def test_init_writes_the_file_and_brings_one_that_is_there_up_to_date(start: Open) -> None:
    write = call("write_file", path="AGENTS.md", content="# Greeting\n")
    edit = call("edit_file", path="AGENTS.md", old_text="# Greeting", new_text="# Greetings")
    wire = start(
        {"pattern": "(?s)Write the file AGENTS.md.*greeting.py.*Python", **turns(write, "Written.")},
        {"pattern": "(?s)up to date.*AGENTS.md", **turns(call("read_file", path="AGENTS.md"), edit, "Done.")},
        mode="acceptEdits",
    )
    assert typed(wire, "/init it is Python")["result"]["stopReason"] == "endTurn"
    assert (wire.workspace / "AGENTS.md").read_text() == "# Greeting\n"
    assert typed(wire, "/init")["result"]["stopReason"] == "endTurn"
    assert (wire.workspace / "AGENTS.md").read_text() == "# Greetings\n"


def test_pr_comments_names_the_pull_request_or_the_branch(start: Open) -> None:
    wire = start(asked_with("pull request of the branch main", "gh"), asked_with("pull request 12", "gh"))
    assert typed(wire, "/pr-comments")["result"]["stopReason"] == "endTurn"
    assert typed(wire, "/pr-comments 12")["result"]["stopReason"] == "endTurn"


def test_only_a_command_can_name_protected_files(start: Open) -> None:
    wire = start()
    given = {"sessionId": wire.call("agent/session/list", {})["sessions"][0]["sessionId"], "input": "go"}
    refused = wire.ask("agent/run", {**given, "options": {"namedFiles": ["AGENTS.md"]}})
    assert "namedFiles" in refused["error"]["message"]


# --- the command line ----------------------------------------------------------------------------


def test_command_line_commits_and_reviews(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    git = plant(agls.workspace)
    (agls.home / ".gitconfig").write_text("[user]\nname = Somebody\nemail = somebody@example.org\n")
    agls.script({"text": "Greet the world"})
    git("add", "greeting.py")
    done = agls.run("run", "--trust", "/commit")
    assert (done.code, git("log", "-1", "--format=%s").strip()) == (0, "Greet the world")
    whole = agls.run("run", "--trust", "--output", "json", "/review").whole
    assert (whole["stopReason"], whole["result"]) == ("endTurn", "Greet the world")
    nothing = agls.run("run", "--trust", "/commit")
    assert (nothing.code, "git add FILE" in nothing.err) == (1, True)


@pytest.mark.parametrize(
    ("number", "reason", "code"), [(signal.SIGINT, "cancelled", 130), (signal.SIGTERM, "interrupted", 1)]
)
def test_review_ends_by_a_signal_and_its_session_goes_on(
    tmp_path: Path, number: int, reason: str, code: int
) -> None:
    agls = Agls(tmp_path)
    agls.script({"text": ["Looking", " further"], "delay": 60})
    git = plant(agls.workspace)
    before = git("status", "--porcelain")
    process = agls.start("run", "--trust", "--output", "jsonl", "/review")
    assert process.stdout
    events: list[dict[str, Any]] = []
    for line in process.stdout:
        events.append(json.loads(line))
        if events[-1]["type"] == "turnStarted":
            break
    process.send_signal(number)
    events += map(json.loads, process.stdout)
    ended = events[-1]
    assert (ended["type"], ended["data"]["stopReason"]) == ("runEnded", reason)
    assert process.wait(timeout=60) == code
    assert git("status", "--porcelain") == before
    agls.script({"text": "Gone on."})
    assert agls.run("resume", events[0]["sessionId"], "go on").out == "Gone on.\n"
    agls.end()
