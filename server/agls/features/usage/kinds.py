"""What a request is made of, by kind: how large each is, and how many of the counted tokens it has. Pure."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from agls.engine.ports import ToolSpec
from agls.engine.vocabulary import AssistantMessage, Image, Message, Resource, Text, ToolResult, UserMessage
from agls.regex import regex

IMAGE = 4_320  # characters that make about as many tokens as an image
KINDS = ("system", "memory", "tools", "user", "assistant", "thinking", "calls", "results")
# The instructions of the project, file by file, and those of the user, as they stand in the system prompt.
MEMORY = regex(
    r'<project-file path="(?P<path>[^"]*)"[^>\n]*>\n.*?\n</project-file>'
    r"|# Instructions of the (?:administrator|user)\n.*?(?=\n\n# Instructions of the (?:user|project)\n|\Z)",
    re.DOTALL,
)
SERVER = regex(r"mcp__(.+?)__")


def sizes_of(system: str, messages: Sequence[Message], tools: Iterable[ToolSpec] = ()) -> dict[str, int]:
    """Characters by kind; what a room put in stands under its name, an image counts as many."""
    memory = sum(len(found[0]) for found in MEMORY.finditer(system))
    sizes = dict.fromkeys(KINDS, 0) | {"system": len(system) - memory, "memory": memory}
    sizes["tools"] = sum(map(_size_of, tools))
    for message in messages:
        for kind, size in _sizes(message).items():
            sizes[kind] = sizes.get(kind, 0) + size
    return sizes


def parts_of(
    system: str, messages: Sequence[Message], tools: Iterable[ToolSpec] = ()
) -> dict[str, dict[str, int]]:
    """Characters of the parts of some kinds: each file, each tool or server, the results of each tool."""
    files = Counter[str]()
    given = Counter[str]()
    results = Counter[str]()
    for found in MEMORY.finditer(system):
        files[found["path"] or found[0].partition("\n")[0].removeprefix("# ")] += len(found[0])
    for tool in tools:
        server = SERVER.match(tool.name)
        given[f"server {server[1]}" if server else tool.name] += _size_of(tool)
    for message in messages:
        if isinstance(message, ToolResult):
            results[message.name] += len(message.text)
    parts = {"memory": files, "tools": given, "results": results}
    return {kind: dict(counted.most_common()) for kind, counted in parts.items() if counted}


def shares(sizes: Mapping[str, int], whole: int) -> dict[str, int]:
    """So many tokens, shared out by size: together they are exactly that many."""
    total = sum(sizes.values())
    if not total:
        return dict.fromkeys(sizes, 0) | {"system": whole}
    parts = {kind: divmod(whole * size, total) for kind, size in sizes.items()}
    left = whole - sum(count for count, _ in parts.values())
    largest = sorted(parts, key=lambda kind: parts[kind][1], reverse=True)[:left]
    return {kind: count + (kind in largest) for kind, (count, _) in parts.items()}


def _size_of(tool: ToolSpec) -> int:
    return len(tool.name) + len(tool.description) + len(json.dumps(tool.schema))


def _sizes(message: Message) -> dict[str, int]:
    match message:
        case UserMessage():
            texts = sum(len(part.text) for part in message.content if isinstance(part, Text | Resource))
            images = [part for part in message.content if isinstance(part, Image)]
            return {message.origin: texts, **_pictures(images)}
        case AssistantMessage():
            calls = sum(len(call.name) + len(str(call.arguments)) for call in message.tool_calls)
            return {"assistant": len(message.text), "thinking": len(message.thinking), "calls": calls}
        case _:
            return {"results": len(message.text), **_pictures(message.images)}


def _pictures(images: Sequence[Image]) -> dict[str, int]:
    return {"images": IMAGE * len(images)} if images else {}
