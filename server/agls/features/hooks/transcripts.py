"""The conversation as a file for hooks: a JSON object on each line, as hooks of other agents read it."""

import asyncio
import json
from collections.abc import Iterator, Sequence
from operator import is_

from agls.engine.vocabulary import (
    AssistantMessage,
    JsonObject,
    Message,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agls.features.hooks.spelling import names_of, their_arguments
from agls.room.session_ports import OutputFolder

FILE = "transcript.jsonl"
COMPACT = (",", ":")  # as other agents write it: hooks look for `"role":"assistant"`


class TranscriptFile:
    """Writes the conversation of a session when a hook runs: what is new, behind what the file has."""

    def __init__(self, folder: OutputFolder, session_id: str) -> None:
        self._folder, self._session = folder, session_id
        self._written: Sequence[Message] = ()
        self._path, self._size = "", 0
        self._turn = asyncio.Lock()  # hooks of two events may begin side by side

    async def path(self, messages: Sequence[Message]) -> str:
        """Write what there is. **Returns** the path of the file, "" where none can be kept."""
        async with self._turn:
            if self._path and messages is self._written:
                return self._path
            try:
                return await self._extend(messages)
            except OSError:
                return ""

    async def _extend(self, messages: Sequence[Message]) -> str:
        known = len(self._written)
        goes_on = 0 < known <= len(messages) and all(map(is_, self._written, messages))
        more = self._encoded(messages[known:] if goes_on else messages)
        self._path = await self._folder.extend(FILE, more, self._size) if goes_on else ""
        if not self._path:  # another run wrote it, or the conversation was summarised
            self._size, more = 0, self._encoded(messages)
            self._path = await self._folder.extend(FILE, more, 0)
        self._written, self._size = messages, self._size + len(more)
        return self._path

    def _encoded(self, messages: Sequence[Message]) -> bytes:
        said = lines(messages, self._session)
        text = "".join(f"{json.dumps(line, ensure_ascii=False, separators=COMPACT)}\n" for line in said)
        return text.encode("utf-8", "replace")


def lines(messages: Sequence[Message], session_id: str) -> Iterator[JsonObject]:
    """Yield a line for each message."""
    for message in messages:
        match message:
            case UserMessage():
                texts = [each.text for each in message.content if isinstance(each, Text)]
                kind, content = "user", [{"type": "text", "text": text} for text in texts]
            case AssistantMessage():
                said = [{"type": "text", "text": message.text}] if message.text else []
                kind, content = "assistant", [*said, *map(_call, message.tool_calls)]
            case ToolResult():
                result = {"type": "tool_result", "tool_use_id": message.call_id, "content": message.text}
                kind, content = "user", [{**result, "is_error": message.is_error}]
        yield {"type": kind, "sessionId": session_id, "message": {"role": kind, "content": content}}


def _call(call: ToolCall) -> JsonObject:
    name, given = names_of(call.name)[-1], their_arguments(call.name, call.arguments)
    return {"type": "tool_use", "id": call.call_id, "name": name, "input": given}
