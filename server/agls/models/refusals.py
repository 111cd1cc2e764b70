"""Parts of a request that a server refused once: later requests leave them out."""

import re
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from agls.engine.ports import ModelRequest, ToolSpec
from agls.engine.vocabulary import JsonObject, Message, ToolResult
from agls.json_values import object_in
from agls.models.dialects.messages import compact_json
from agls.models.dialects.structured_output import REFUSED as SCHEMA
from agls.models.errors import Failure
from agls.regex import regex

UNABLE = {"badRequest", "providerInternal"}  # how a server refuses a schema that it cannot follow
SUMMARY = regex(r"reasoning.?summar", re.IGNORECASE)
REASONING = regex(r"(messages?|input)\b.*\breasoning(_content|_details|_text)?\b", re.IGNORECASE | re.DOTALL)
IMAGES = regex(r"image|vision|multi.?modal|content\b.{0,40}\bstring", re.IGNORECASE)
UNSEEN = (
    "[You cannot see it: this model takes no images. If it matters, ask the user what it shows, or to choose "
    "a model that sees images.]"
)
WANTED = regex(r"must be (passed|provided|included)|is (required|missing)", re.IGNORECASE)
TOOL = regex(r"schema|parameters|function_?declarations|invalid .{0,20}(tool|function)", re.IGNORECASE)
TOOL_PLACE = regex(r"(?:tools|function_?declarations)[\[.](\d+)", re.IGNORECASE)
LEFT_OUT = {
    "schema": "It is asked without the schema of the answer.",
    "summary": "It is asked without a summary of the reasoning.",
    "reasoning": "It is asked without the earlier reasoning.",
    "images": "It is asked without the images that tools gave.",
}


def without_refused(request: ModelRequest, refused: frozenset[str]) -> ModelRequest:
    """Return the request without the schema, tools and images of results that the server refused."""
    if not refused:
        return request
    tools = tuple(tool for tool in request.tools if _mark(tool) not in refused)
    schema = {} if "schema" in refused else request.output_schema
    request = replace(request, tools=tools, output_schema=schema)
    if "images" in refused:
        request = replace(request, messages=tuple(map(_in_words, request.messages)))
    return request


def corrected(failure: Failure, request: ModelRequest, body: JsonObject) -> tuple[Failure, str]:
    """Return the failure marked `corrected` and the part to leave out; "" when there is none."""
    part = _refused_part(failure, request, body)
    if part:
        return replace(failure, message=f"{failure.message} {LEFT_OUT[part]}", corrected=True), part
    if tool := _refused_tool(failure, request.tools):
        message = f"{failure.message} The tool {tool.name} is left out."
        return replace(failure, message=message, corrected=True), _mark(tool)
    return failure, ""


def _refused_part(failure: Failure, request: ModelRequest, body: JsonObject) -> str:
    words = failure.message
    if request.output_schema and failure.kind in UNABLE and SCHEMA.search(words):
        return "schema"
    if object_in(body.get("reasoning")).get("summary") and SUMMARY.search(words):
        return "summary"
    said = [*body.get("messages", ()), *body.get("input", ())]
    sent = any('"reasoning' in compact_json(message) for message in said)
    if failure.kind == "badRequest" and sent and REASONING.search(words) and not WANTED.search(words):
        return "reasoning"
    shown = any(isinstance(message, ToolResult) and message.images for message in request.messages)
    return "images" if shown and failure.kind in UNABLE and IMAGES.search(words) else ""


def _in_words(message: Message) -> Message:
    if not (isinstance(message, ToolResult) and message.images):
        return message
    return replace(message, text=f"{message.text}\n{UNSEEN}", images=())


def _refused_tool(failure: Failure, tools: Sequence[ToolSpec]) -> ToolSpec | None:
    """Return the tool whose definition the server refuses, by its name or index in the message."""
    words = failure.message
    if failure.kind != "badRequest" or "tool_use_failed" in failure.codes or not TOOL.search(words):
        return None
    named = (tool for tool in tools if re.search(rf"['\"`]{re.escape(tool.name)}['\"`]", words))
    if tool := next(named, None):
        return tool
    places = [int(place) for place in TOOL_PLACE.findall(words)]
    return tools[places[-1]] if places and places[-1] < len(tools) else None


def _mark(tool: ToolSpec) -> str:
    """Return a mark of this definition of a tool. A changed definition of the same name has another mark."""
    return (
        f"tool {tool.name} {sha256(compact_json(tool.schema).encode('utf-8', 'surrogatepass')).hexdigest()}"
    )
