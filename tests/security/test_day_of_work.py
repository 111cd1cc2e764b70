"""P2, P5: a day of ordinary work asks at most five questions, each of which a careful person wants.

The sixty steps of `doors/headless/test_long_session.py` on this repository, and a commit at the end, in the
default mode, with the sandbox, and with a user who answers for the session where that is offered.
"""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_long_session import (
    CONFIG,
    SECOND,
    TASK,
    Step,
    Worker,
    call,
    cloned,
    ending,
    git,
    renaming,
    shell,
    writing,
)
from support.model_server import ModelServer, Reply
from support.sandboxes import needs_bubblewrap
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.promise("P5"), pytest.mark.timeout(600), needs_bubblewrap]
Message = dict[str, Any]
MOST = 5
LONG = 300.0  # seconds for twenty to forty commands on a busy machine
COMMIT = {"message": "Add initials()", "paths": ["server/agls/initials.py", "tests/test_initials.py"]}


class Person:
    """Answers for the session where that is offered, and keeps what was asked."""

    def __init__(self) -> None:
        self.asked, self.offered = list[str](), list[list[str]]()

    def __call__(self, asked: Message) -> Message:
        self.asked.append(asked["title"])
        offered = [option["optionId"] for option in asked["options"]]
        self.offered.append(offered)
        chosen = next(option for option in ("sandbox", "session", "once") if option in offered)
        return {"outcome": "selected", "optionId": chosen}


def steps_of(folder: Path, files: list[str]) -> list[Step]:
    """The steps of the day; the command that only ends with the process takes a moment here."""
    quick = shell("touch begun && sleep 0.1")
    work = [*writing("python3")[:-1], quick, Reply("Added.")]
    return [
        *renaming(folder, files, "python3"),
        *work,
        shell("git status --short"),
        call("git_commit", **COMMIT),
        *ending(),
    ]


@pytest.fixture
def agls(tmp_path: Path) -> Iterator[Agls]:
    program = Agls(tmp_path)
    yield program
    program.end()


def test_day_of_ordinary_work_asks_at_most_five_questions(agls: Agls, tmp_path: Path) -> None:
    files, person = cloned(agls), Person()
    git(agls.workspace, "config", "user.name", "Tester")
    git(agls.workspace, "config", "user.email", "tester@example.org")
    worker = Worker(steps_of(agls.workspace, files))
    with ModelServer(worker) as server:
        config = tmp_path / "config.toml"
        config.write_text(CONFIG.format(server.url) + '[sandbox]\nuse = "default"\n')
        with Wire(
            tmp_path,
            config,
            variables={"AGLS_SANDBOX": "", "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        ) as wire:
            wire.answers["agent/requestPermission"] = person
            wire.initialize(AGENT, initializationOptions={"trusted": True})
            session = wire.session()
            for prompt in (TASK, SECOND, "Commit it and clean up."):
                content = [{"type": "text", "text": prompt}]
                run = wire.post("agent/run", {"sessionId": session, "input": content, "wait": True})
                assert wire.answer_of(run, LONG)["result"]["stopReason"] == "endTurn", wire.errors()
            calls = [item for item in wire.history(session) if item["type"] == "itemCompleted"]
    done = [event["data"]["item"] for event in calls if event["data"]["item"]["kind"] == "toolCall"]
    assert worker.is_through
    assert len(done) >= 60
    assert [item["name"] for item in done if item["status"] == "rejected"] == []
    assert person.asked == [
        "Edit server/agls/views/escape.py",
        "Run python3 -m compileall -q server/agls/views server/agls/doors…",
        "Commit 2 files: Add initials()",
    ]
    assert len(person.asked) <= MOST


@pytest.fixture
def begun(agls: Agls, tmp_path: Path) -> Callable[..., tuple[Wire, Person]]:
    """Begin a server with the sandbox whose model makes these calls."""

    def begin(*calls: Message) -> tuple[Wire, Person]:
        person = Person()
        config = script(tmp_path, turns(*({"text": "", "calls": [one]} for one in calls), "Done."))
        wire = Wire(tmp_path, config, variables={"AGLS_SANDBOX": ""})
        wire.answers["agent/requestPermission"] = person
        return wire, person

    return begin


def command(text: str) -> Message:
    return {"name": "shell", "arguments": {"command": text}}


def test_commands_that_were_allowed_in_the_sandbox_run_there_and_others_are_asked_about(
    begun: Callable[..., tuple[Wire, Person]], tmp_path: Path
) -> None:
    (tmp_path / "elsewhere.txt").write_text("kept")
    wire, person = begun(
        command("touch made"),
        command("touch other; printenv AGLS_IN_SANDBOX"),
        command("cat ../elsewhere.txt"),
        command("touch .vscode/tasks.json"),
    )
    with wire:
        git(wire.workspace, "init", "-q")
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        session = wire.session()
        wire.run(session)
        listed = wire.call("agent/action/invoke", {"sessionId": session, "name": "permission.list"})
    assert person.asked == ["Run touch made", "Run cat ../elsewhere.txt", "Run touch .vscode/tasks.json"]
    assert person.offered == [
        ["once", "session", "project", "sandbox", "reject"],
        ["once", "session", "project", "reject"],
        ["once", "reject"],
    ]
    assert (wire.workspace / "made").exists()
    outputs = [e["data"]["item"]["output"] for e in wire.events if e["type"] == "itemCompleted"
               and e["data"]["item"]["kind"] == "toolCall"]  # fmt: skip
    assert "bwrap" in outputs[1] or "bubblewrap" in outputs[1]
    assert "commands in the sandbox" in str(listed)
