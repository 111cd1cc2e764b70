"""Delivery: the result goes where the user's own config says; whatever goes wrong, the run ends as it did."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agls.engine.facts import Entry, Noted, Notice, TextDelta
from agls.features.audit.record import records
from agls.features.audit.report import as_json
from agls.library import Agent, ConfigError, Result, StopReason
from support.model_replies import Raw
from support.model_server import ModelServer

SCRIPT = {
    "prompts": [
        {"match": "work", "turns": [{"text": "Fifteen birds."}]},
        {"match": "fail", "turns": [{"text": "half", "error": {"kind": "auth", "message": "no key"}}]},
        {"match": "wait", "turns": [{"text": "I wait.", "hang": True}]},
    ]
}
ECHO = "import sys, pathlib; pathlib.Path('got.json').write_text(sys.stdin.read())"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home, folder = tmp_path / "home", tmp_path / "work"
    home.mkdir()
    folder.mkdir()
    (home / "script.json").write_text(json.dumps(SCRIPT))
    (home / "config.toml").write_text(
        'model = "play"\n[models.play]\ndialect = "scripted"\nscript = "script.json"\n'
    )
    monkeypatch.setenv("AGLS_CONFIG", str(home / "config.toml"))
    monkeypatch.setenv("HOME", str(home))
    return folder


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([Raw([b"thanks"])]) as server:
        yield server


class Delivered:
    """A run that names a target, and what is known of it afterwards."""

    result: Result
    entries: list[Entry]
    notices: list[Notice]

    @property
    def notes(self) -> list[tuple[str, Any]]:
        found = [e.fact for e in self.entries if isinstance(e.fact, Noted) and e.fact.feature == "delivery"]
        return [(fact.kind, fact.data) for fact in found]

    @property
    def audited(self) -> list[str]:
        told = as_json(records(self.entries)[-1], "ses")
        return [event["name"] for event in told["events"] if event["name"].startswith("delivery")]


async def run(workspace: Path, target: dict[str, Any], prompt: str = "work", **more: Any) -> Delivered:
    delivered = Delivered()
    delivered.notices = []
    async with Agent(workspace, delivery={"targets": {"there": target}, "seconds": 60, **more}) as agent:
        session = await agent.session()
        session.subscribe(lambda what: delivered.notices.append(what) if isinstance(what, Notice) else None)
        delivered.result = await session.run(prompt, deliver="there")
        delivered.entries = list(agent.world.sessions._open[session.id].log.journal.entries())
    return delivered


async def test_a_file_in_the_workspace(workspace: Path) -> None:
    done = await run(workspace, {"file": "out/{run}.md"})
    assert (workspace / "out" / f"{done.result.run_id}.md").read_text() == "Fifteen birds.\n"
    assert done.notes == [("delivered", {"target": "there"})]
    assert done.audited == ["delivery.delivered"]
    (workspace / "same.md").write_text("older")
    await run(workspace, {"file": "same.md"})
    assert (workspace / "same.md").read_text() == "Fifteen birds.\n"


async def test_webhook_gets_the_result(workspace: Path, server: ModelServer) -> None:
    done = await run(workspace, {"webhook": f"{server.url}/hook?token=sk-secret"})
    (request,) = server.posts
    assert request.path == "/v1/hook?token=sk-secret"
    assert request.body == {
        "v": 1, "sessionId": request.body["sessionId"], "runId": done.result.run_id, "status": "end_turn",
        "detail": "", "error": None, "output": "Fifteen birds.",
        "used": {"turns": 1, "toolCalls": 0, "tokens": done.result.usage.total_tokens},
    }  # fmt: skip
    assert done.notes == [("delivered", {"target": "there"})]


async def test_command_gets_the_result(workspace: Path) -> None:
    done = await run(workspace, {"command": [sys.executable, "-c", ECHO]})
    assert done.notes == [("delivered", {"target": "there"})]
    assert json.loads((workspace / "got.json").read_text())["output"] == "Fifteen birds."


async def test_editor_gets_a_notice_of_an_answer_and_of_an_error(workspace: Path) -> None:
    done = await run(workspace, {"notify": True})
    assert done.notices == [Notice("info", "The run is done", "Fifteen birds.")]
    failed = await run(workspace, {"notify": True}, "fail")
    (notice,) = failed.notices
    assert (notice.severity, notice.title) == ("warning", "The run ended (model_error)")
    assert "no key" in notice.text


@pytest.mark.port("Delivery")
@pytest.mark.parametrize(
    ("target", "why"),
    [
        ({"file": "../outside.md"}, "outside the workspace"),
        ({"file": ".git/hooks/pre-commit"}, ".git"),
        ({"webhook": "http://127.0.0.1:9/sk-secret"}, "127.0.0.1 cannot be reached"),
        ({"command": ["no-such-program-anywhere"]}, "no program"),
        ({"command": ["./planted"]}, "no program"),
        ({"command": [sys.executable, "-c", "import sys; sys.exit('full')"]}, "ended with 1: full"),
    ],
    ids=["outside", "obeyed", "unreachable", "missing", "planted", "failing"],
)
async def test_a_failing_target_changes_nothing_and_is_in_the_audit(
    workspace: Path, target: dict[str, Any], why: str
) -> None:
    """The status of the run is unchanged, the failure is in the audit."""
    planted = workspace / "planted"
    planted.write_text("#!/bin/sh\ntouch ran\n")
    planted.chmod(0o755)
    done = await run(workspace, target)
    assert (done.result.stop.reason, done.result.text) == (StopReason.END_TURN, "Fifteen birds.")
    ((kind, data),) = done.notes
    assert (kind, data["target"]) == ("failed", "there")
    assert why in data["why"]
    assert "sk-secret" not in str(done.entries)
    assert done.audited == ["delivery.failed"]
    assert [notice.title for notice in done.notices] == ["The result was not delivered to there"]
    assert [path.name for path in workspace.iterdir()] == ["planted"]


async def test_webhook_with_an_error_or_a_redirect_counts_as_not_delivered(workspace: Path) -> None:
    elsewhere = {"Location": "http://127.0.0.1:9/"}
    with ModelServer([Raw([b"no"], status=500), Raw([], status=302, headers=elsewhere)]) as server:
        for status in (500, 302):
            done = await run(workspace, {"webhook": server.url})
            assert done.notes[0][1]["why"] == f"127.0.0.1 answered with HTTP {status}"
            assert done.result.ok


async def test_a_target_that_never_answers_is_given_up(workspace: Path) -> None:
    with ModelServer([Raw([b"x"], begin="hang")]) as server:
        done = await run(workspace, {"webhook": server.url}, seconds=0.2)
    assert done.result.ok
    assert done.notes == [("failed", {"target": "there", "why": "it took longer than 0.2 seconds"})]


@pytest.mark.item(27)
async def test_cancel_does_not_wait_for_a_target_that_never_answers(workspace: Path) -> None:
    with ModelServer([Raw([b"x"], begin="hang")]) as server:
        target = {"targets": {"there": {"webhook": server.url}}, "seconds": 60}
        async with Agent(workspace, delivery=target) as agent:
            session = await agent.session()
            session.subscribe(lambda what: session.cancel() if isinstance(what, TextDelta) else None)
            result = await session.run("wait", deliver="there")
            entries = list(agent.world.sessions._open[session.id].log.journal.entries())
    assert result.stop.reason is StopReason.CANCELLED
    (failed,) = (e.fact for e in entries if isinstance(e.fact, Noted) and e.fact.feature == "delivery")
    assert failed.data == {"target": "there", "why": "it took longer than 0.8 seconds"}


async def test_every_run_of_a_default_target_is_delivered_unless_it_says_otherwise(workspace: Path) -> None:
    settings = {"targets": {"there": {"file": "{session}.md"}}, "default": "there"}
    async with Agent(workspace, delivery=settings) as agent:
        session = await agent.session()
        await session.run("work", deliver="")
        assert list(workspace.iterdir()) == []
        await session.run("fail")
    text = (workspace / f"{session.id}.md").read_text()
    assert text.startswith("The run ended (model_error). no key")
    assert "Fifteen birds" not in text, "what an earlier run said is not what this one gave"


async def test_a_run_that_is_cut_off_is_not_over(workspace: Path, tmp_path: Path) -> None:
    settings = {"targets": {"there": {"file": "out.md"}}, "default": "there"}
    async with Agent(workspace, delivery=settings, state=tmp_path / "state") as agent:
        session = await agent.session()
        async for _ in session.stream("wait"):
            break
    assert list(workspace.iterdir()) == []


async def test_a_name_that_is_no_target_is_refused_before_the_run(workspace: Path) -> None:
    async with Agent(workspace) as agent:
        session = await agent.session()
        with pytest.raises(ConfigError, match=r"deliver must name a target.*there are none"):
            await session.run("work", deliver="there")
        assert not session.state.queue


@pytest.mark.parametrize(
    "target", [{}, {"file": "a", "notify": True}, {"webhook": "ftp://x/y"}, {"webhook": "http://[x"}]
)
async def test_a_target_is_exactly_one_thing(workspace: Path, target: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"targets.there"):
        await run(workspace, target)
