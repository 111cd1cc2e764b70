"""What servers ask the user's model: each time the user allows it, and the run pays for it."""

from contextlib import aclosing

from agls.engine.facts import Overflowed, Replied
from agls.engine.ports import ModelError, ModelRequest, new_id
from agls.engine.vocabulary import AssistantMessage, Content, JsonObject, Message, Question, Text, UserMessage
from agls.features.mcp.images import seen
from agls.frozen import frozen
from agls.room.mcp_ports import (
    McpImage,
    McpMessage,
    McpSampled,
    McpSampling,
    ModelUse,
    Progress,
    SamplingRefused,
)
from agls.room.metered_request import is_spent, metered
from agls.room.session_ports import Forms
from agls.short_text import cut
from agls.terminal_codes import without_codes

BY = "mcp"  # whose spending it is
FAST = "fast"
MOST_TOKENS = 8_192
LONGEST_SHOWN = 4_000  # characters of what is asked
LONGEST_ASKED = 400_000  # characters
ASKS = "The MCP server {} wants to ask your model ({:,} tokens of answer at most):\n{}\n{}"
GOES = "The answer goes to the server. The model sees nothing else of the session, which pays for it."
ANSWERED = "The model answered the server: {}\n"
NO_FIELDS: JsonObject = {"type": "object", "properties": {}, "required": []}
WHO = {True: "User", False: "Model"}


@frozen(eq=False)
class Sampler:
    """Lets a model answer during one call."""

    forms: Forms
    use: ModelUse
    call_id: str
    show: Progress

    async def sample(self, asked: McpSampling) -> McpSampled:
        """Ask the user, then the model. **Raises** `SamplingRefused`."""
        if len(_words(asked)) > LONGEST_ASKED:
            raise SamplingRefused("The messages are too long.")
        if is_spent(self.use.state()):
            raise SamplingRefused("Nothing is left to spend on it.")
        tokens = min(max(1, asked.max_tokens), MOST_TOKENS)
        title = ASKS.format(asked.server, tokens, cut(without_codes(_words(asked)), LONGEST_SHOWN), GOES)
        answer = await self.forms.ask(Question("form", title, call_id=self.call_id, schema=NO_FIELDS))
        if answer.outcome != "accepted":
            raise SamplingRefused("The user did not allow it.")
        request = ModelRequest(
            new_id("item"),
            asked.system,
            tuple(map(_message, asked.messages)),
            max_output_tokens=tokens,
            temperature=asked.temperature,
        )
        try:
            return await self._answer(request, FAST if asked.is_hurried else "")
        except ModelError as problem:
            raise SamplingRefused(f"The model gave no answer: {problem}") from None

    async def _answer(self, request: ModelRequest, name: str) -> McpSampled:
        client = self.use.models.resolve(name)
        async with aclosing(metered(client, request, BY, self.use.spend)) as stream:
            async for part in stream:
                if isinstance(part, Overflowed):
                    raise SamplingRefused("The messages are too long for the model.")
                if isinstance(part, Replied):
                    self.show(ANSWERED.format(part.text))
                    return McpSampled(part.text, client.info.name, part.finish == "length")
        raise SamplingRefused("The model gave no answer.")


def _words(asked: McpSampling) -> str:
    said = [f"{WHO[each.by_user]}: {_text(each)}" for each in asked.messages]
    return "\n".join([f"Instructions: {asked.system}", *said] if asked.system else said)


def _text(message: McpMessage) -> str:
    return "\n".join(part if isinstance(part, str) else "[an image]" for part in message.parts)


def _message(message: McpMessage) -> Message:
    if not message.by_user:
        return AssistantMessage(new_id("item"), _text(message))
    content: list[Content] = []
    for part in message.parts:
        if isinstance(part, McpImage):
            words, images = seen("image", part.data)
            content += images or [Text(words)]
        else:
            content.append(Text(part))
    return UserMessage(new_id("item"), tuple(content), BY)
