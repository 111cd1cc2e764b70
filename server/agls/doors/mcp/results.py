"""How a run ended, as the result of a tool: for programs by its members, for models in words."""

from collections.abc import Iterator
from urllib.parse import urlsplit
from urllib.request import url2pathname

import mcp_types as types

from agls.engine.vocabulary import JsonObject, StopReason
from agls.frozen import frozen
from agls_protocol.events import FileChanged, RunEndedData

MOST_TEXT = 40_000  # characters of an answer
MOST_FILES = 200
NAMED = 20  # files that are named in words
RESOURCE = "agls://sessions/"
GO_ON = "To go on, use resume with this session_id."


@frozen
class ServedEnd:
    """The end of a run: why, the answer, and what it used and changed (`totals`)."""

    session_id: str
    reason: StopReason
    detail: str
    text: str
    totals: RunEndedData


def result_of(end: ServedEnd) -> types.CallToolResult:
    """**Returns** the result of a tool for the end of a run."""
    files = [_file(changed) for changed in end.totals["filesChanged"]]
    more: JsonObject = {
        "left_out": max(0, len(end.text) - MOST_TEXT),
        "files_changed": files[:MOST_FILES],
        "more_files_changed": max(0, len(files) - MOST_FILES),
        "refused": end.totals.get("unanswered"),
        "cost_usd": end.totals.get("cost"),
    }
    members: JsonObject = {
        "session_id": end.session_id,
        "resource": RESOURCE + end.session_id,
        "stop_reason": str(end.reason),
        "text": end.text[:MOST_TEXT],
        **{name: value for name, value in more.items() if value},
    }
    words = "\n".join(_words(end, members))
    return types.CallToolResult(
        content=[types.TextContent(type="text", text=words)],
        structured_content=members,
        is_error=end.reason is not StopReason.END_TURN,
    )


def failed(words: str) -> types.CallToolResult:
    """**Returns** the result of a tool that did nothing."""
    return types.CallToolResult(content=[types.TextContent(type="text", text=words)], is_error=True)


def _words(end: ServedEnd, members: JsonObject) -> Iterator[str]:
    yield members["text"]
    if left_out := members.get("left_out"):
        yield f"[{left_out} more characters: {members['resource']}]"
    yield ""
    if end.reason is not StopReason.END_TURN:
        why = f": {end.detail}" if end.detail else ""
        yield f"The run ended before the agent was done ({end.reason.replace('_', ' ')}{why}). {GO_ON}"
    if refused := members.get("refused"):
        yield (
            f"Refused, because nobody was there to ask: {refused}. Only the user of this machine can allow "
            "more, in the configuration of agls or where this server is started."
        )
    if files := members.get("files_changed"):
        rest = len(end.totals["filesChanged"]) - NAMED
        named = ", ".join(each["path"] for each in files[:NAMED])
        yield f"Files changed: {named}{f' and {rest} more' if rest > 0 else ''}"
    yield f"session_id: {end.session_id}"


def _file(changed: FileChanged) -> JsonObject:
    uri = changed["uri"]
    path = url2pathname(urlsplit(uri).path) if uri.startswith("file:///") else uri
    counts = {"insertions": changed["insertions"], "deletions": changed["deletions"]}
    return {"path": path, "change": changed["change"], **counts}
