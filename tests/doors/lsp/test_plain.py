"""A client that knows only LSP: commands, progress, messages (protocol#plain-mode)."""

from pathlib import Path

import pytest

from support.model_server import ModelServer, Reply
from support.wire import Message, Wire, turns

from .conftest import Serve

HANGING = {"turns": [{"text": "I begin", "hang": True}]}
PROGRESS = {"window": {"workDoneProgress": True}}


def command(wire: Wire, name: str, *arguments: object, **params: object) -> Message:
    return wire.call("workspace/executeCommand", {"command": name, "arguments": list(arguments), **params})


def test_a_prompt_runs_with_progress_and_its_answer_in_the_log(serve: Serve) -> None:
    call = {"name": "list_files", "arguments": {}}
    wire = serve(turns({"text": "I list.", "calls": [call], "wait": 0.5}, "All done."))
    wire.initialize({}, capabilities=PROGRESS)
    wire.answers["window/workDoneProgress/create"] = lambda params: None
    done = command(wire, "agls.run", "please look")
    assert done["outcome"] == "started"
    message = wire.until(lambda m: m.get("method") == "window/showMessage")["params"]
    assert message["message"] == "agls: done"
    kinds = [m["params"]["value"]["kind"] for m in wire.of_method("$/progress")]
    assert (kinds[0], kinds[-1]) == ("begin", "end")
    token = wire.of_method("window/workDoneProgress/create")[0]["params"]["token"]
    assert {m["params"]["token"] for m in wire.of_method("$/progress")} == {token}
    logged = [m["params"]["message"] for m in wire.of_method("window/logMessage")]
    assert logged == ["I list.", "All done."]
    assert not wire.events


def test_torn_answer_is_logged_as_one_that_does_not_count(tmp_path: Path) -> None:
    torn = Reply("Half of it", cut_after=2, then="close")
    with ModelServer([torn, Reply("All of it.")]) as server:
        config = tmp_path / "config.toml"
        config.write_text(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n')
        with Wire(tmp_path, config) as wire:
            wire.initialize({}, capabilities=PROGRESS)
            wire.answers["window/workDoneProgress/create"] = lambda params: None
            command(wire, "agls.run", "please look")
            wire.until(lambda m: m.get("method") == "window/showMessage")
            logged = [m["params"]["message"] for m in wire.of_method("window/logMessage")]
    assert logged == ["(broken off, does not count) Half of it", "All of it."]


@pytest.mark.item(27)
def test_progress_cancels_the_run(serve: Serve) -> None:
    wire = serve(HANGING, HANGING)
    wire.initialize({}, capabilities=PROGRESS)
    wire.answers["window/workDoneProgress/create"] = lambda params: None
    command(wire, "agls.run", {"input": "go"})
    begin = wire.until(lambda m: m.get("method") == "$/progress")["params"]
    assert begin["value"]["cancellable"]
    wire.notify("window/workDoneProgress/cancel", {"token": begin["token"]})
    end = wire.until(lambda m: m.get("method") == "window/showMessage")["params"]
    assert end["message"] == "agls: cancelled (cancelled by the user)"


def test_the_clients_own_token_is_used(serve: Serve) -> None:
    wire = serve(HANGING, HANGING)
    wire.initialize()
    session = wire.session()
    asked = {"sessionId": session, "input": "go", "wait": True, "workDoneToken": 7}
    request = wire.post("agent/run", asked)
    waiting = wire.post("agent/run", {**asked, "workDoneToken": 8})
    wire.event("itemDelta")
    wire.notify("window/workDoneProgress/cancel", {"token": 8})
    wire.notify("window/workDoneProgress/cancel", {"token": 9})
    assert wire.answer_of(waiting)["result"]["stopReason"] == "cancelled"
    wire.notify("window/workDoneProgress/cancel", {"token": 7})
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    assert [m["params"]["value"]["kind"] for m in wire.of_method("$/progress")] == ["begin", "end"]
    assert not wire.of_method("window/workDoneProgress/create")


def test_steer_and_cancel_reach_the_session_used_last(serve: Serve) -> None:
    wire = serve(HANGING, "never")
    wire.initialize({})
    assert command(wire, "agls.cancel") == {"state": "notRunning"}
    run = command(wire, "agls.run", {"prompt": "go"})
    wire.until(lambda m: m.get("id") is not None and "result" in m)
    steered = command(wire, "agls.steer", {"input": "left", "sessionId": run["sessionId"]})
    assert steered["outcome"] in {"injected", "started"}
    cancelled = command(wire, "agls.cancel")
    assert (cancelled["sessionId"], cancelled["state"]) == (run["sessionId"], "cancelling")


def test_an_error_of_the_model_is_shown(serve: Serve) -> None:
    wire = serve({"turns": [{"error": {"kind": "auth", "message": "bad key"}}]})
    wire.initialize({})
    command(wire, "agls.run", "go")
    shown = wire.until(lambda m: m.get("method") == "window/showMessage")["params"]
    assert (shown["type"], shown["message"]) == (1, "agls: stopped: error (bad key)")


def test_a_command_without_a_folder_says_what_to_do(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize({}, rootUri=None)
    error = wire.ask("workspace/executeCommand", {"command": "agls.run", "arguments": ["go"]})["error"]
    assert "open a folder" in error["message"]


def test_folder_that_is_named_only_by_the_old_root_path_is_open(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize({}, rootUri=None, workspaceFolders=[], rootPath=str(wire.workspace))
    command(wire, "agls.run", "go")
    assert wire.until(lambda m: m.get("method") == "window/logMessage")["params"]["message"] == "hi"


def test_progress_the_client_refused_is_not_reported(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize({}, capabilities=PROGRESS)
    command(wire, "agls.run", "go")
    asked = wire.until(lambda m: m.get("method") == "window/workDoneProgress/create")
    wire.send({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}})
    wire.until(lambda m: m.get("method") == "window/showMessage")
    assert not wire.of_method("$/progress")


def test_nothing_is_reported_before_the_client_took_the_token_or_after_the_answer(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize({}, capabilities=PROGRESS)
    command(wire, "agls.run", "go", workDoneToken="theirs")
    wire.until(lambda m: m.get("method") == "window/showMessage")
    asked = wire.until(lambda m: m.get("method") == "window/workDoneProgress/create")
    wire.send({"jsonrpc": "2.0", "id": asked["id"], "result": None})
    wire.call("shutdown")
    assert not wire.of_method("$/progress")


def test_a_command_has_the_members_of_its_method(serve: Serve) -> None:
    wire = serve(HANGING, HANGING, "never")
    wire.initialize({})
    asked = {"prompt": "go", "clientKey": "k", "options": {"mode": "plan"}, "wait": True}
    first = command(wire, "agls.run", asked)
    assert command(wire, "agls.run", asked)["runId"] == first["runId"]
    busy = {"command": "agls.run", "arguments": [{"input": "go", "admission": "ifIdle"}]}
    assert wire.ask("workspace/executeCommand", busy)["error"]["data"]["kind"] == "runActive"
    bad = {"command": "agls.run", "arguments": [{"input": "go", "options": {"mode": "auto"}}]}
    assert "sandbox" in wire.ask("workspace/executeCommand", bad)["error"]["message"]
    second = command(wire, "agls.run", "next")
    assert second["outcome"] == "queued"
    command(wire, "agls.cancel", {"runId": first["runId"], "queued": "drop"})
    wire.until(lambda m: len(wire.of_method("window/showMessage")) == 2)


def test_nothing_is_made_for_a_command_that_makes_no_sense(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize({})
    for argument in (1, ["x"], {"input": 7}, {"input": "go", "options": 1}, "", {}):
        response = wire.ask("workspace/executeCommand", {"command": "agls.run", "arguments": [argument]})
        assert response["error"]["code"] == -32602, argument
    assert wire.call("agent/session/list")["sessions"] == []


def test_command_takes_exactly_one_argument(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize({})
    session = wire.session(options={"mode": "plan"})
    odd = (["mode", "acceptEdits"], ["mode"], "mode=ask", {"assign": "mode=ask"})
    for arguments in odd:
        response = wire.ask("workspace/executeCommand", {"command": "agls.setOption", "arguments": arguments})
        assert response["error"]["code"] == -32602, arguments
    assert wire.ask("workspace/executeCommand", {"command": "agls.run", "arguments": ["a", "b"]})["error"]
    assert command(wire, "agls.setOption", {"sessionId": session, "assign": "effort=low"})["options"] == {
        "mode": "plan", "effort": "low",
    }  # fmt: skip


def test_the_session_used_last_is_meant(serve: Serve) -> None:
    wire = serve({"turns": [{"text": "I", "hang": True}], "match": ""})
    wire.initialize({})
    first = command(wire, "agls.run", "go")["sessionId"]
    second = wire.session()
    command(wire, "agls.run", {"input": "go", "sessionId": second})
    command(wire, "agls.run", {"input": "go", "sessionId": first})
    assert command(wire, "agls.cancel")["sessionId"] == first
    assert command(wire, "agls.cancel", {"sessionId": second})["sessionId"] == second
    assert command(wire, "agls.cancel")["sessionId"] == second


def test_plain_client_that_left_sees_again_what_its_next_command_begins(serve: Serve) -> None:
    """It has no `seq` in which there could be a hole, and no way to resume by itself."""
    wire = serve("one", "two")
    wire.initialize({})
    session = command(wire, "agls.run", "go")["sessionId"]
    wire.until(lambda m: m.get("method") == "window/showMessage")
    wire.call("agent/detach", {"sessionId": session})
    command(wire, "agls.run", "go on")
    wire.until(lambda m: m.get("method") == "window/logMessage" and m["params"]["message"] == "two")


def test_a_client_that_only_shows_messages_answers_by_command(serve: Serve) -> None:
    shell = {"text": "I look.", "calls": [{"name": "shell", "arguments": {"command": "touch hi; echo hi"}}]}
    wire = serve(turns(shell, "done"))
    wire.initialize({})
    run = command(wire, "agls.run", "go")
    shown = wire.until(lambda m: m.get("method") == "window/showMessage")["params"]
    assert shown["type"] == 2
    assert "touch hi; echo hi" in shown["message"]
    assert "agls.approve" in shown["message"]
    asked = wire.call("agent/resume", {"sessionId": run["sessionId"]})["openRequests"][0]["requestId"]
    assert asked in shown["message"]
    assert command(wire, "agls.approve", asked) == {"requestId": asked, "outcome": "accepted"}
    wire.until(lambda m: m.get("params", {}).get("message") == "agls: done")
    items = wire.call("agent/resume", {"sessionId": run["sessionId"]})["snapshot"]["items"]
    assert [item["status"] for item in items if item["kind"] == "toolCall"] == ["completed"]


def test_notices_are_shown(serve: Serve) -> None:
    wire = serve("one")
    wire.initialize({})
    session = command(wire, "agls.run", "go")["sessionId"]
    wire.until(lambda m: m.get("method") == "window/showMessage")
    wire.call("agent/session/close", {"sessionId": session})
    journal = wire.workspace.parent / "state" / "sessions" / f"{session}.jsonl"
    journal.write_bytes(journal.read_bytes()[:-20])
    wire.call("agent/resume", {"sessionId": session})
    wire.until(lambda m: m.get("params", {}).get("message", "").startswith("The session was damaged: "))
