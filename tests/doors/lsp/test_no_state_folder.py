"""A state folder that cannot be made: the server works, says so, and forgets."""

from pathlib import Path

from support.wire import Wire, script, turns


def test_session_that_cannot_be_saved_warns_works_and_can_be_undone(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    write = {"name": "write_file", "arguments": {"path": "a.txt", "content": "one"}}
    with Wire(tmp_path, script(tmp_path, turns({"calls": [write]}, "Done."))) as wire:
        wire.initialize()
        session = wire.session(options={"mode": "acceptEdits"})
        assert wire.run(session, "go")["stopReason"] == "endTurn"
        notice = wire.event("notice", title="Saving the session")
        assert "it is gone when this process ends" in notice["data"]["text"]
        assert (wire.workspace / "a.txt").read_text() == "one"
        told = wire.call("agent/session/list", {})
        assert [row["sessionId"] for row in told["sessions"]] == [session]
        restore = {"sessionId": session, "name": "checkpoint.restore", "input": {"toItemId": ""}}
        wire.call("agent/action/invoke", restore)
        assert not (wire.workspace / "a.txt").exists()
