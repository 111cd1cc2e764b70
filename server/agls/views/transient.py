"""What is only shown while it happens, as events: streamed text, retries, notices, the diff of the run."""

from agls.engine.facts import (
    AsideDelta,
    Notice,
    Retrying,
    RunDiff,
    TextDelta,
    ThinkingDelta,
    ToolDelta,
    ToolServer,
    ToolServers,
    Transient,
)
from agls.views.events import EventWriter
from agls.views.items import OpenItems
from agls.views.wire_json import compact
from agls_protocol.events import TurnDiffData, TurnRetryingData
from agls_protocol.items import McpServer


def write_transient(event: Transient, items: OpenItems, out: EventWriter, *, running: bool) -> None:
    """Write the events of what is only shown. What a model still says when no run is `running` is dropped."""
    match event:
        case TextDelta(item_id, text):
            if running:
                items.append_reply("message", item_id, text)
        case ThinkingDelta(item_id, text):
            if running:
                items.append_reply("thought", item_id, text)
        case ToolDelta(call_id, text, coloured):
            items.append(call_id, text, coloured)
        case AsideDelta(item_id, question, text):
            items.start_aside(item_id, question)
            items.append(item_id, text)
        case Retrying(attempt, delay, cause):
            retrying: TurnRetryingData = {
                "attempt": attempt,
                "delayMs": round(delay * 1000),
                "cause": cause,
                "discardPartial": items.discard_replies(),
            }
            out.write("turnRetrying", retrying)
        case Notice(severity, title, text):
            out.write("notice", {"severity": severity, "title": title, "text": text})
        case RunDiff() | ToolServers():
            _write_whole(event, out)


def _write_whole(event: RunDiff | ToolServers, out: EventWriter) -> None:
    """Write what replaces all that was sent of it before."""
    match event:
        case RunDiff(diff, truncated):
            turn_diff: TurnDiffData = {"diff": diff, "truncated": truncated or None}
            out.write("turnDiff", compact(TurnDiffData, turn_diff))
        case ToolServers(servers):
            out.write("mcpStatus", {"servers": [_server(each) for each in servers]})


def _server(server: ToolServer) -> McpServer:
    row: McpServer = {"name": server.name, "status": server.status, "tools": server.tools}
    wants: McpServer = {**row, "needsLogin": server.needs_login or None, "needsInput": server.needs_input}
    return compact(McpServer, {**wants, "message": server.message})
