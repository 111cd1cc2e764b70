"""The conversation as a file for hooks: a JSON object on each line, as hooks of other agents read it."""

import json
from collections.abc import Iterator, Sequence

from agls.engine.ports import new_id
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

FILE = "{}.jsonl"
MOST = 64_000_000  # bytes of all that is kept for a session


class TranscriptFile:
    """Writes the conversation of a session when a hook runs, if it went on since."""

    def __init__(self, folder: OutputFolder, session_id: str) -> None:
        self._folder, self._session = folder, session_id
        self._written: Sequence[Message] = ()
        self._path = ""

    async def path(self, messages: Sequence[Message]) -> str:
        """Write what there is. **Returns** the path of the file, "" where none can be kept."""
        if self._path and messages is self._written:
            return self._path
        text = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines(messages, self._session))
        try:
            self._path = await self._folder.keep(FILE.format(new_id("transcript")), text, MOST)
        except OSError:
            return ""
        self._written = messages
        return self._path


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
