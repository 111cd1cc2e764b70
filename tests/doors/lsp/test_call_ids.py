"""The id of a call names its item: it is ours, whatever the model's server says."""

import json
from pathlib import Path
from typing import Any

from support.model_server import ModelServer, Raw, Reply, Request
from support.wire import Wire

SIGNED = {
    "type": "reasoning.encrypted",
    "data": "c2ln",
    "id": "call_0",
    "format": "google-gemini-v1",
    "index": 0,
}
CALL = {"index": 0, "id": "call_0", "type": "function", "function": {"name": "list_dir", "arguments": "{}"}}


def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'id': 'x', 'choices': [choice]})}\n\n".encode()


def counting_from_zero(request: Request) -> Raw | Reply:
    """A server whose first call is `call_0` in each answer, and that signs it by that name."""
    if request.body["messages"][-1]["role"] == "tool":
        return Reply("Done.")
    delta = {"role": "assistant", "reasoning_details": [SIGNED], "tool_calls": [CALL]}
    return Raw([chunk(delta), chunk({}, "tool_calls"), b"data: [DONE]\n\n"])


def test_calls_of_two_sessions_are_two_items_whatever_the_server_calls_them(tmp_path: Path) -> None:
    with ModelServer(counting_from_zero) as server:
        config = tmp_path / "config.toml"
        config.write_text(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n')
        with Wire(tmp_path, config) as wire:
            wire.initialize()
            ids: list[str] = []
            for key in ("one", "two"):
                session = wire.session(clientKey=key)
                for _ in range(2):
                    wire.run(session)
                snapshot = wire.call("agent/resume", {"sessionId": session})["snapshot"]
                calls = [item for item in snapshot["items"] if item["kind"] == "toolCall"]
                assert [call["status"] for call in calls] == ["completed", "completed"]
                ids += [call["itemId"] for call in calls]
            assert len({*ids}) == 4
            assert "call_0" not in ids
        for post in server.posts:
            messages = post.body["messages"]
            said = [message for message in messages if message.get("tool_calls")]
            answered = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
            assert [message["tool_calls"][0]["id"] for message in said] == answered
            assert [message["reasoning_details"][0]["id"] for message in said] == answered, "what signs them"
