"""The tools that the client said it has, called with `agent/callTool` (protocol#to-the-client)."""

import asyncio
from base64 import b64decode
from collections.abc import Sequence
from typing import Any

from agls.doors import from_wire
from agls.doors.agent.peer import Peer, PeerError
from agls.doors.messages import JsonObject
from agls.engine.vocabulary import Content, Image, Resource, ResourceLink, Text, ToolCall, ToolOutcome
from agls.json_values import is_object, list_in
from agls.pictures import Unshowable, whole_picture
from agls.room.process_ports import OfferedTool

UNSEEN = "[an image that is no PNG, JPEG, GIF or WebP]"
ANY = {"type": "object"}  # the schema of a tool that says nothing of its arguments


class ClientTools:
    """Implements the `Client` of the room `client_tools`."""

    def __init__(self, peer: Peer, described: Any) -> None:
        self._peer = peer
        self._tools = [_offered(one) for one in list_in(described) if is_object(one)]

    def tools(self, session_id: str, run_id: str) -> Sequence[OfferedTool]:
        """The same for every run."""
        return self._tools

    async def call(self, session_id: str, run_id: str, call: ToolCall) -> ToolOutcome:
        """Ask the client and wait; a failure of its own is an outcome too."""
        params = {"sessionId": session_id, "itemId": call.call_id, "name": call.name, "input": call.arguments}
        pending = self._peer.request("agent/callTool", params)
        try:
            return _outcome(await asyncio.shield(pending.future))
        except asyncio.CancelledError:
            pending.withdraw()
            raise
        except PeerError as problem:
            return ToolOutcome(f"The editor could not do it: {problem}", "failed", "unknown")


def _offered(tool: JsonObject) -> OfferedTool:
    schema = tool.get("inputSchema")
    return OfferedTool(
        name=str(tool.get("name", "")),
        description=str(tool.get("description", "")),
        schema=schema if is_object(schema) else ANY,
        reads_only=tool.get("readOnly") is True,
    )


def _read_out(part: Content) -> tuple[str, tuple[Image, ...]]:
    """A part of what a tool gave, in words, and the image that it is. **Raises** `Unshowable`."""
    match part:
        case Text(text) | Resource(_, text):
            return text, ()
        case ResourceLink(uri, name):
            return f"{name} {uri}".strip(), ()
        case Image(data):
            seen = whole_picture("image", b64decode(data))
            return (seen.words, (seen.image,)) if seen else (UNSEEN, ())


def _outcome(result: Any) -> ToolOutcome:
    """What the client answered: `output` is content or a string; `isError` says that it failed."""
    given = result if is_object(result) else {"output": result}
    try:
        parts = [_read_out(part) for part in from_wire.content(given.get("output", ""), "output")]
    except (from_wire.Malformed, Unshowable) as problem:
        return ToolOutcome(f"The editor's answer could not be read: {problem}", "failed", "unknown")
    text, images = "\n".join(words for words, _ in parts), tuple(image for _, seen in parts for image in seen)
    failed = given.get("isError") is True
    return ToolOutcome(text, "failed" if failed else "completed", "unknown", images=images)
