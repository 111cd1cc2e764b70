"""Compaction as an editor sees it: the real server process, with a model whose window is known."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from support.family import config_for
from support.model_server import Failure, ModelServer, Reply, Request
from support.wire import Wire, turns

FILES = [f"part_{number}.txt" for number in range(8)]
SUMMARY = "The files were read; they say nothing."


def configured(folder: Path, window: int, *prompts: dict[str, Any]) -> Path:
    """A config file with a model that plays these prompts, and a writer of summaries."""
    (folder / "script.json").write_text(json.dumps({"prompts": prompts}))
    writer = {"system": "memory of a coding agent", "repeat": True, **turns(SUMMARY)}
    (folder / "writer.json").write_text(json.dumps({"prompts": [writer]}))
    config = folder / "config.toml"
    config.write_text(
        f'model = "play"\n[tiers]\nfast = "writer"\n[history]\ntitles = false\n'
        f"[models.play]\ncontext_window = {window}\n"
        f'dialect = "scripted"\nscript = "{folder / "script.json"}"\n'
        f'[models.writer]\ndialect = "scripted"\nscript = "{folder / "writer.json"}"\n'
    )
    return config


def reading(said: str = "") -> dict[str, Any]:
    """A prompt that reads all the files, and says something long in between."""
    calls = ({"text": said, "calls": [{"name": "read_file", "arguments": {"path": f}}]} for f in FILES)
    return {"match": "read", **turns(*calls, "I have read them.")}


def written(wire: Wire, characters: int) -> None:
    """The files, with so many characters each."""
    for name in FILES:
        line = f"This is a line of {name}.\n"
        (wire.workspace / name).write_text(line * (characters // len(line)))


def items(wire: Wire, session: str) -> list[dict[str, Any]]:
    """The completed items of the session, as who resumes it gets them."""
    wire.call("agent/session/close", {"sessionId": session})
    told = wire.call("agent/resume", {"sessionId": session, "replay": "all"})
    return told["snapshot"]["items"]


@pytest.mark.row(27)
def test_a_long_run_makes_room_and_the_history_still_shows_everything(tmp_path: Path) -> None:
    """Results go when the threshold is crossed, the client is told, and the history keeps them."""
    with Wire(tmp_path, configured(tmp_path, 20_000, reading())) as wire:
        written(wire, 9_000)
        wire.initialize()
        session = wire.session()
        assert wire.run(session, "read it all")["stopReason"] == "endTurn"
        cleared = [
            item
            for item in items(wire, session)
            if item["kind"] == "notice" and item["title"] == "Room in the conversation"
        ]
        assert cleared
        assert "tokens before" in cleared[0]["text"]
        calls = [item for item in items(wire, session) if item["kind"] == "toolCall"]
        assert len(calls) == len(FILES)
        assert all("This is a line" in json.dumps(call["output"]) for call in calls)


@pytest.mark.row(28)
def test_compaction_by_the_user_reports_its_sizes_and_is_metered(tmp_path: Path) -> None:
    """`/compact` writes a summary with the cheap tier, says what it gained, and is metered."""
    after = {"match": "again", **turns({"calls": [EDIT]}, "Changed.")}
    with Wire(tmp_path, configured(tmp_path, 100_000, reading("w" * 2_000), after)) as wire:
        written(wire, 2_000)
        wire.initialize()
        session = wire.session(options={"mode": "acceptEdits"})
        wire.run(session, "read it all")
        done = wire.call("agent/action/invoke", {"sessionId": session, "name": "compact", "input": {}})
        assert done["data"]["tokensBefore"] > done["data"]["tokensAfter"] > 0
        [summary] = [item for item in items(wire, session) if item["kind"] == "compaction"]
        assert SUMMARY in summary["text"]
        assert summary["tokensBefore"] == done["data"]["tokensBefore"]
        usage = wire.call("agent/action/invoke", {"sessionId": session, "name": "usage"})["data"]
        assert usage["by"]["compaction"]["modelCalls"] == 1
        again = wire.run(session, "again", options={"mode": "acceptEdits"}, chosenBy="user")
        assert again["stopReason"] == "endTurn"
        first = (wire.workspace / FILES[0]).read_text()
        assert first.startswith("Changed!"), "what was read before the summary may still be edited"


def test_summary_broken_off_by_the_end_of_the_server_is_not_reported_as_cancelled(tmp_path: Path) -> None:
    config = configured(tmp_path, 100_000, reading("w" * 2_000))
    writer = {"system": "memory of a coding agent", "turns": [{"text": "I", "hang": True}]}
    (tmp_path / "writer.json").write_text(json.dumps({"prompts": [writer]}))
    with Wire(tmp_path, config) as wire:
        written(wire, 2_000)
        wire.initialize()
        session = wire.session()
        wire.run(session, "read it all")
        act = wire.post("agent/action/invoke", {"sessionId": session, "name": "compact", "input": {}})
        wire.call("agent/status")  # behind it, so it has begun
        wire.notify("exit")
        assert wire.exit_code() == 1
        wire.closed()
        answers = [m["error"] for m in wire.messages if m.get("id") == act and "method" not in m]
        told = [(error["code"], error["data"]["kind"]) for error in answers]  # none, if there was no time
        assert told in ([], [(-32802, "serverCancelled")])


EDIT = {
    "name": "write_file",
    "arguments": {"path": FILES[0], "content": "Changed!\n"},
}


@pytest.mark.row(28)
def test_summary_longer_than_what_it_replaces_is_refused_and_one_that_stands_can_be_inspected(
    tmp_path: Path,
) -> None:
    """After a refusal the conversation is as it was; `compaction.show` has both sizes and the summary."""
    config = configured(tmp_path, 100_000, reading("w" * 2_000))
    short = (tmp_path / "writer.json").read_text()
    (tmp_path / "writer.json").write_text(short.replace(SUMMARY, "It goes on. " * 20_000))
    with Wire(tmp_path, config) as wire:
        written(wire, 2_000)
        wire.initialize()
        session = wire.session()
        wire.run(session, "read it all")
        compact = {"sessionId": session, "name": "compact", "input": {}}
        refused = wire.ask("agent/action/invoke", compact)["error"]["message"]
        assert "the summary was longer than what it stands for. It was not changed." in refused
        show = {"sessionId": session, "name": "compaction.show", "input": {}}
        assert "error" in wire.ask("agent/action/invoke", show)
        (tmp_path / "writer.json").write_text(short)
        done = wire.call("agent/action/invoke", compact)["data"]
        shown = wire.call("agent/action/invoke", show)
        assert SUMMARY in shown["output"][0]["text"]
        sizes = [shown["data"][name] for name in ("tokensBefore", "tokensAfter")]
        assert sizes == [done["tokensBefore"], done["tokensAfter"]]


@pytest.mark.parametrize("counted", [0, 12])
def test_room_is_made_although_the_server_counts_only_what_it_had_not_cached(
    tmp_path: Path, counted: int
) -> None:
    """A local server with a cache reports a dozen tokens for each request, however long it is."""
    usage = {"usage": {"input": counted, "output": 5}}
    said = [{"match": f"say {n}", **turns({"text": "long words " * 1_000, **usage})} for n in range(8)]
    with Wire(tmp_path, configured(tmp_path, 20_000, *said)) as wire:
        wire.initialize()
        session = wire.session()
        for number in range(8):
            assert wire.run(session, f"say {number}")["stopReason"] == "endTurn"
        kinds = [item["kind"] for item in items(wire, session)]
        assert "compaction" in kinds


def test_model_that_refused_a_request_without_a_number_is_not_sent_as_much_again(tmp_path: Path) -> None:
    """Its window is known nowhere: that it was too small once is remembered, and every word stays."""
    refused: list[int] = []

    def answer(request: Request) -> Reply | Failure:
        size = len(request.content) // 4
        if size > 11_000:
            refused.append(size)
            return Failure(400, "Your input exceeds the context window.", code="context_length_exceeded")
        is_summary = "memory of a coding agent" in request.content.decode()
        return replace(Reply("Short." if is_summary else "long words " * 500), usage=(size, 10))

    with ModelServer(answer) as server, Wire(tmp_path, config_for(tmp_path, server)) as wire:
        wire.initialize()
        session = wire.session()
        for number in range(14):
            assert wire.run(session, f"say {number}.")["stopReason"] == "endTurn"
        assert len(refused) == 1
        seen = json.dumps(server.posts[-1].body["messages"])
        assert all(f"say {number}." in seen for number in range(14))
