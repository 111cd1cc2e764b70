"""A client that closes a session lets its hooks see that."""

import json
from pathlib import Path

from support.model_server import ModelServer, Reply
from support.wire import Wire


def test_session_that_a_client_closes_is_ended_as_closed(tmp_path: Path) -> None:
    seen, config = tmp_path / "seen", tmp_path / "config.toml"
    with ModelServer() as server:
        server.add(Reply("Done."))
        hook = f'[[hooks.handlers]]\nevent = "SessionEnd"\ncommand = "cat > {seen}"\n'
        config.write_text(f'[models.m]\nbase_url = "{server.url}"\n{hook}')
        with Wire(tmp_path, config) as wire:
            wire.initialize()
            session = wire.session()
            wire.run(session)
            wire.call("agent/session/close", {"sessionId": session})
            given = json.loads(seen.read_text())
    assert (given["hook_event_name"], given["reason"], given["session_id"]) == (
        "SessionEnd",
        "closed",
        session,
    )
