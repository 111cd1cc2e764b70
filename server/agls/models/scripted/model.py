"""A deterministic model that plays a script: for the demo, for tests, and for trying things without a model.

It has no state. Its place in the script follows from the request alone: the last message of the user and the
number of answers since. So a resumed process continues at the right place.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from agls.engine.facts import ModelDelta, Overflowed, Replied, Retrying, TextDelta, ThinkingDelta
from agls.engine.ports import AnswerCancelled, ModelError, ModelInfo, ModelRequest, Reply
from agls.engine.vocabulary import (
    AssistantMessage,
    Message,
    Resource,
    Text,
    TokenCount,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from agls.models.dialects.pieces import DeltaBuffer
from agls.models.dialects.tool_calls import parsed
from agls.models.endpoint import Endpoint
from agls.models.prices import cost_of
from agls.models.scripted.script import Script, ScriptedCall, ScriptedTurn
from agls.models.unicode import valid_unicode

CHARACTERS = 4  # per token, when usage is estimated


class ScriptedModel:
    """Implements `ModelClient` from `endpoint.script`, which is read again for every request."""

    def __init__(self, endpoint: Endpoint) -> None:
        self._endpoint = endpoint

    @property
    def info(self) -> ModelInfo:
        """The configured figures."""
        return self._endpoint.info

    async def count(self, request: ModelRequest) -> TokenCount:
        """Return the estimated tokens of a request."""
        return TokenCount(_read(request) // CHARACTERS + 1, "guess")

    async def tokens_of(self, texts: Sequence[str]) -> int | None:
        """Return `None`: it has no tokenizer."""
        return None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply, None]:
        """Play the turn for this request. Raises `ModelError` as the script says, or for a bad script."""
        script = await asyncio.to_thread(Script.load, self._endpoint.script)
        turn, place = _turn(script, request)
        if turn.overflow and len(request.messages) > turn.overflow.above:
            yield Overflowed("The script lets this overflow.", turn.overflow.limit, turn.overflow.used)
            return
        if turn.error:
            for tried in range(1, turn.error.times + 1):
                yield Retrying(tried, turn.error.wait, turn.error.message)
                await asyncio.sleep(turn.error.wait)
            if turn.error.kind == "contextTooLong":  # as a server's is understood: first room is made
                yield Overflowed(turn.error.message)
                return
            if not turn.error.times:
                raise ModelError(turn.error.message, kind=turn.error.kind, hint=turn.error.hint)
        await asyncio.sleep(script.wait if turn.wait is None else turn.wait)
        async with aclosing(self._played(turn, script, request)) as deltas:
            async for delta in deltas:
                yield delta
        if turn.cut:
            raise ModelError("The script breaks the answer off here.", kind="network")
        yield self._reply(turn, place, request)

    async def _played(
        self, turn: ScriptedTurn, script: Script, request: ModelRequest
    ) -> AsyncGenerator[ModelDelta, None]:
        """Yield what the turn says. A cancel leaves it with about what it used."""
        said = 0
        try:
            async for delta in _said(turn, script, request.reply_id):
                said += len(delta.text)
                yield delta
            if turn.hang:
                await asyncio.Event().wait()
        except asyncio.CancelledError:
            used = Usage(_read(request) // CHARACTERS + 1, said // CHARACTERS + 1, estimated=True)
            raise AnswerCancelled(used, cost_of(used, self._endpoint.prices)) from None

    def _reply(self, turn: ScriptedTurn, place: str, request: ModelRequest) -> Replied:
        text = valid_unicode("".join(turn.text))
        usage = _usage(turn, text, request)
        return Replied(
            request.reply_id,
            text,
            turn.thinking,
            tuple(_call(call, f"call_{place}_{index}") for index, call in enumerate(turn.calls)),
            turn.finish or ("tool_calls" if turn.calls else "stop"),
            usage,
            cost_of(usage, self._endpoint.prices),
        )


def _turn(script: Script, request: ModelRequest) -> tuple[ScriptedTurn, str]:
    """Return the turn for this request, and the name of its place."""
    asked = [m for m in request.messages if isinstance(m, UserMessage)]
    asked = [m for m in asked if m.origin == "user"] or asked
    if not asked:
        raise ModelError("The request has no message to answer.", kind="badRequest")
    ordered = [index for index, prompt in enumerate(script.prompts) if prompt.in_order]
    chosen = [_fitting(script, _words(message), request.system) for message in asked]
    number = chosen.count(None)
    found = chosen[-1] if chosen[-1] is not None else next(iter(ordered[number - 1 : number]), None)
    if found is None:
        problem = f"The script has {_counted(len(ordered), 'prompt')} in order; this is message {number}."
        raise ModelError(problem, kind="badRequest", hint="Add a prompt to the script.")
    since = request.messages[request.messages.index(asked[-1]) :]
    place = f"{len(asked)}_{_answers(since)}"
    found, since = _after_rejection(script, since) or (found, since)
    prompt, at = script.prompts[found], _answers(since)
    if at >= len(prompt.turns) and not prompt.repeat:
        turns = _counted(len(prompt.turns), "turn")
        problem = f"prompts[{found}] of the script has {turns}; this is turn {at + 1}."
        raise ModelError(problem, kind="badRequest", hint="Add a turn to it, or set repeat = true.")
    return prompt.turns[min(at, len(prompt.turns) - 1)], place


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _answers(messages: Sequence[Message]) -> int:
    return sum(isinstance(message, AssistantMessage) for message in messages)


def _after_rejection(script: Script, since: Sequence[Message]) -> tuple[int, Sequence[Message]] | None:
    """Return the prompt for rejected calls, and the messages since the first one; `None` without either."""
    prompts = (number for number, prompt in enumerate(script.prompts) if prompt.rejected)
    results = (at for at, m in enumerate(since) if isinstance(m, ToolResult) and m.status == "rejected")
    found, at = next(prompts, None), next(results, None)
    return None if found is None or at is None else (found, since[at:])


def _fitting(script: Script, message: str, system: str) -> int | None:
    return next((n for n, prompt in enumerate(script.prompts) if prompt.fits(message, system)), None)


def _words(message: UserMessage) -> str:
    return "\n".join(part.text for part in message.content if isinstance(part, Text | Resource))


async def _said(
    turn: ScriptedTurn, script: Script, reply_id: str
) -> AsyncGenerator[TextDelta | ThinkingDelta, None]:
    size, delay = turn.chunk or script.chunk, script.delay if turn.delay is None else turn.delay
    for thinking in _pieces(turn.thinking, size):
        yield ThinkingDelta(reply_id, thinking)
        await asyncio.sleep(delay)
    whole = DeltaBuffer()
    for text in _pieces(turn.text, size):
        whole.add("text", text)
        for _, piece in whole.taken():
            yield TextDelta(reply_id, piece)
        await asyncio.sleep(delay)
    for _, piece in whole.taken(final=True):
        yield TextDelta(reply_id, piece)


def _pieces(text: str | list[str], size: int) -> Sequence[str]:
    return text if isinstance(text, list) else [text[i : i + size] for i in range(0, len(text), size)]


def _call(call: ScriptedCall, call_id: str) -> ToolCall:
    arguments = parsed(call.raw) if call.raw else call.arguments
    return ToolCall(call_id, call.name, arguments or {}, call.raw if arguments is None else "")


def _usage(turn: ScriptedTurn, text: str, request: ModelRequest) -> Usage:
    if usage := turn.usage:
        return Usage(usage.input, usage.output, usage.reasoning, usage.cached)
    made = len(text) + len(turn.thinking) + sum(len(str(call.arguments)) for call in turn.calls)
    return Usage(_read(request) // CHARACTERS + 1, made // CHARACTERS + 1)


def _read(request: ModelRequest) -> int:
    return len(request.system) + sum(_length(message) for message in request.messages)


def _length(message: UserMessage | AssistantMessage | ToolResult) -> int:
    return len(_words(message) if isinstance(message, UserMessage) else message.text)
