"""What servers send, from the types of the SDK to ours."""

import base64
import json
from collections.abc import Sequence

import mcp_types as types

from agls.room.mcp_ports import (
    McpAnswer,
    McpArgument,
    McpImage,
    McpMessage,
    McpPrompt,
    McpResource,
    McpSampling,
    McpTool,
)
from agls.terminal_codes import enclosed, without_codes

ALWAYS_ASKS = "anthropic/requiresUserInteraction"
LONGEST_WORDS = 2_000  # characters of what is said of a resource, or of a prompt
MOST_SUGGESTIONS, LONGEST_SUGGESTION = 100, 200  # of an argument, and characters of one
Contents = types.TextResourceContents | types.BlobResourceContents


def tool_of(tool: types.Tool) -> McpTool:
    """**Returns** a tool as it is listed."""
    meta = tool.meta or {}
    annotated = tool.annotations.title if tool.annotations else None
    return McpTool(
        tool.name,
        tool.title or annotated or "",
        tool.description or "",
        dict(tool.input_schema),
        dict(tool.output_schema) if tool.output_schema else None,
        meta.get(ALWAYS_ASKS) is True,
    )


def answer_of(result: types.CallToolResult, remarks: Sequence[str] = ()) -> McpAnswer:
    """**Returns** the answer of a tool, with what is wrong with it."""
    parts = tuple(part_of(block) for block in result.content)
    structured = result.structured_content
    text = json.dumps(structured, ensure_ascii=False) if structured is not None else ""
    return McpAnswer(parts, text, bool(result.is_error), "; ".join(remarks))


def part_of(block: types.ContentBlock) -> str | McpImage:
    """**Returns** a part of an answer, as text where it is no image."""
    match block:
        case types.TextContent():
            return block.text
        case types.ImageContent():
            return _image(block.data, block.mime_type)
        case types.AudioContent():
            return f"[audio, {block.mime_type}, {len(block.data) * 3 // 4:,} bytes: it is not shown]"
        case types.ResourceLink():
            return f"[resource {block.uri}: {block.title or block.name}. {block.description or ''}]"
        case types.EmbeddedResource():
            held = block.resource
            if isinstance(held, types.TextResourceContents):
                return f"[resource {held.uri}]\n{held.text}"
            return f"[resource {held.uri}: {held.mime_type or 'bytes'}, {len(held.blob) * 3 // 4:,} bytes]"


def resource_of(resource: types.Resource) -> McpResource:
    """**Returns** a resource as it is listed."""
    words = (resource.description or "")[:LONGEST_WORDS]
    return McpResource(resource.uri, (resource.title or resource.name)[:LONGEST_WORDS], words)


def template_of(template: types.ResourceTemplate) -> McpResource:
    """**Returns** a template of resources as it is listed."""
    words = (template.description or "")[:LONGEST_WORDS]
    name = (template.title or template.name)[:LONGEST_WORDS]
    return McpResource(template.uri_template, name, words, is_template=True)


def prompt_of(prompt: types.Prompt) -> McpPrompt:
    """**Returns** a prompt as it is listed."""
    arguments = tuple(
        McpArgument(one.name, (one.description or one.title or "")[:LONGEST_WORDS], one.required is True)
        for one in prompt.arguments or ()
    )
    words = (prompt.description or "")[:LONGEST_WORDS]
    return McpPrompt(prompt.name, (prompt.title or "")[:LONGEST_WORDS], words, arguments)


def suggestions_of(result: types.CompleteResult) -> Sequence[str]:
    """**Returns** what may be typed: short words of one line, in which nothing is hidden."""
    values = result.completion.values[:MOST_SUGGESTIONS]
    short = [value for value in values if 0 < len(value) <= LONGEST_SUGGESTION and "\n" not in value]
    return [value for value in short if without_codes(value) == value]


def read_of(result: types.ReadResourceResult) -> McpAnswer:
    """**Returns** what was read."""
    return McpAnswer(tuple(_contents(held) for held in result.contents))


def message_of(message: types.PromptMessage) -> McpMessage:
    """**Returns** a message of a prompt. What it embeds are words of others: they stand between marks."""
    part = part_of(message.content)
    if isinstance(message.content, types.EmbeddedResource) and isinstance(part, str):
        part = enclosed(part)
    return McpMessage(message.role == "user", (part,))


def sampling_of(server: str, params: types.CreateMessageRequestParams) -> McpSampling:
    """**Returns** what a server asks a model."""
    messages = [
        McpMessage(message.role == "user", tuple(map(_said, message.content_as_list)))
        for message in params.messages
    ]
    wants = params.model_preferences or types.ModelPreferences()
    quick = max(wants.speed_priority or 0.0, wants.cost_priority or 0.0)
    return McpSampling(
        server,
        tuple(messages),
        params.system_prompt or "",
        params.max_tokens,
        params.temperature,
        is_hurried=quick > (wants.intelligence_priority or 0.0),
    )


def _said(block: object) -> str | McpImage:
    """**Returns** a part of a message to a model. What cannot be sent on is named."""
    match block:
        case types.TextContent():
            return block.text
        case types.ImageContent():
            return _image(block.data, block.mime_type)
        case _:
            return f"[{type(block).__name__}: it is not passed on]"


def _contents(held: Contents) -> str | McpImage:
    if isinstance(held, types.TextResourceContents):
        return held.text
    if (held.mime_type or "").startswith("image/"):
        return _image(held.blob, held.mime_type or "")
    return f"[{held.uri}: {held.mime_type or 'bytes'}, {len(held.blob) * 3 // 4:,} bytes: they are not shown]"


def _image(data: str, kind: str) -> str | McpImage:
    try:
        return McpImage(base64.b64decode(data, validate=True))
    except ValueError:
        return f"[an image ({kind}) that could not be read]"
