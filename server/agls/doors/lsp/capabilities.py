"""Writes `capabilities.json`, the answer to `initialize`: `python -m agls.doors.lsp.capabilities`."""

import hashlib
import json
from pathlib import Path
from typing import Any, get_args

from lsprotocol import types

import agls_protocol
from agls.doors import from_wire
from agls.doors.agent.limits import MAX_QUEUED, REPLAYED_EVENTS, ConnectionLimits
from agls.doors.agent.stream.framing import BODY_LIMIT
from agls.doors.lsp.initialize import DOCUMENT
from agls.doors.lsp.plain.code_actions import KIND
from agls.doors.lsp.plain.commands import COMMANDS
from agls.doors.lsp.plain.completion import TRIGGERS
from agls.doors.lsp.sync import make_server
from agls.doors.messages import JsonObject
from agls.engine.loop import GRACE
from agls_protocol import events, items, methods


class Capture:
    """Keeps what pygls says."""

    said: JsonObject

    def write(self, data: bytes) -> None:
        """Keep it."""
        self.said = json.loads(data)

    def close(self) -> None:
        """Nothing to close."""


def document() -> JsonObject:
    """The whole document, from the registered features and the protocol's tables."""
    capabilities = pygls_capabilities({})
    del capabilities["positionEncoding"]  # it is the client's choice
    return {"capabilities": capabilities, "agent": agent_block()}


def pygls_capabilities(client: JsonObject) -> JsonObject:
    """What pygls answers to `initialize` for our features and commands."""
    server, capture = make_server(_look_away, _look_away), Capture()
    for name in COMMANDS:
        server.command(name)(_followed_elsewhere)
    server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([KIND]))(_followed_elsewhere)
    completion = types.CompletionOptions(trigger_characters=TRIGGERS)
    server.feature(types.TEXT_DOCUMENT_COMPLETION, completion)(_followed_elsewhere)
    inline = types.InlineCompletionOptions()
    server.feature(types.TEXT_DOCUMENT_INLINE_COMPLETION, inline)(_followed_elsewhere)
    server.protocol.set_writer(capture, include_headers=False)
    params = {"processId": None, "rootUri": None, "capabilities": client}
    message: Any = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    message = server.protocol.structure_message(message)
    server.protocol.handle_message(message)
    return capture.said["result"]["capabilities"]


def _look_away(*told: str) -> None:
    """No documents change here."""


def _followed_elsewhere(*arguments: Any) -> None:
    """Commands are followed by the dispatcher; pygls only has to know their names."""


def agent_block() -> JsonObject:
    """What this server can do of the agent protocol (protocol#initialize)."""
    schema = Path(agls_protocol.__file__).with_name("schema.json").read_bytes()
    return {
        "protocolVersion": agls_protocol.PROTOCOL_VERSION,
        "schema": {
            "sha256": hashlib.sha256(schema).hexdigest(),
            "revision": agls_protocol.SCHEMA_REVISION,
        },
        "methods": sorted(methods.METHODS.keys() - methods.RESERVED),
        "eventTypes": sorted(events.EVENTS.keys() - events.RESERVED),
        "itemKinds": [get_args(kind.__annotations__["kind"])[0] for kind in get_args(items.Item)],
        "commands": sorted(COMMANDS),
        "session": {
            "attach": {},
            "fork": {"fromItem": {}},
            "rewind": {"conversation": {}, "files": {}},
            "rename": {},
            "delete": {},
        },
        "input": [*from_wire.WITH_FILES],
        "steer": {},
        "queue": {},
        "tasks": {},
        "compact": {},
        "checkpoints": {},
        "limits": {
            "maxFrameBytes": BODY_LIMIT,
            "maxEventBytes": ConnectionLimits().event,
            "replayEvents": REPLAYED_EVENTS,
            "cancelGraceMs": round(GRACE * 1000),
            "maxQueued": MAX_QUEUED,
        },
    }


if __name__ == "__main__":
    Path(DOCUMENT).write_text(json.dumps(document(), indent=1) + "\n", encoding="utf-8")
