"""The client of a model that the editor has: a request as plain messages, and the pieces of the answer."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from agls.engine.facts import ModelDelta, Overflowed
from agls.engine.ports import AnswerCancelled, ModelError, ModelInfo, ModelRequest, Reply, ToolSpec
from agls.engine.vocabulary import (
    AssistantMessage,
    Content,
    Finish,
    Image,
    JsonObject,
    TokenCount,
    Usage,
)
from agls.json_values import object_in
from agls.models.dialects.answer import AnswerReader, finish_in
from agls.models.dialects.counting import GUESSED, TokenEstimator
from agls.models.dialects.messages import (
    UserSide,
    as_text,
    contents_of,
    encode_body,
    images_of_results,
    results_of,
    text_of,
    turns,
)
from agls.models.editor_host import EditorModelHost
from agls.models.endpoint import Endpoint
from agls.models.errors import CallFailed, timed_out
from agls.models.unicode import valid_unicode

FINISHES: dict[str, Finish] = {"length": "length", "refusal": "refusal"}


class EditorModel:
    """Implements `ModelClient` for one model of an editor, which does not say how many tokens it took."""

    def __init__(self, endpoint: Endpoint, host: EditorModelHost) -> None:
        self._endpoint, self._host = endpoint, host
        self._gauge = TokenEstimator()

    @property
    def info(self) -> ModelInfo:
        """The model's name and size, as the editor says."""
        return self._endpoint.info

    async def count(self, request: ModelRequest) -> TokenCount:
        """Return the estimated tokens of a request."""
        return self._gauge.count(request, len(encode_body(body_of(request, self._endpoint))))

    async def tokens_of(self, texts: Sequence[str]) -> int | None:
        """Return `None`: its tokenizer is not on this machine."""
        return None

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply, None]:
        """Yield deltas, and one `Replied` or `Overflowed`. Raises `ModelError`."""
        body = body_of(request, self._endpoint)
        answer = EditorAnswer(request.reply_id, self._endpoint)
        try:
            async with aclosing(self._host.ask(body)) as pieces:
                while piece := await self._next(pieces):
                    answer.take_piece(piece)
                    for delta in answer.deltas():
                        yield delta
        except ModelError as problem:
            if problem.kind != "contextTooLong":
                raise
            yield Overflowed(str(problem))
            return
        except asyncio.CancelledError:
            if used := answer.used_by_now(self._gauge.count(request, len(encode_body(body))).tokens):
                raise AnswerCancelled(used, None) from None
            raise
        for delta in answer.deltas(final=True):
            yield delta
        reply = answer.reply()
        made = len(reply.text) + len(reply.thinking) + sum(len(str(c.arguments)) for c in reply.tool_calls)
        asked = self._gauge.count(request, len(encode_body(body))).tokens
        yield replace(reply, usage=Usage(asked, round(made / GUESSED), estimated=True))

    async def _next(self, pieces: AsyncGenerator[JsonObject, None]) -> JsonObject | None:
        try:
            async with asyncio.timeout(self._endpoint.idle_timeout):
                return await anext(pieces, None)
        except TimeoutError:
            raise CallFailed(timed_out(self._endpoint)) from None


class EditorAnswer(AnswerReader):
    """Reads the pieces of an answer: texts, whole calls, and how it ended."""

    def take_piece(self, piece: JsonObject) -> None:
        """Take one piece."""
        self._begun = True
        self._read(piece)

    def _read(self, chunk: JsonObject) -> None:
        self._say(chunk.get("thinking"), chunk.get("text"))
        if call := object_in(chunk, "toolCall"):
            function = {"name": call.get("name"), "arguments": object_in(call, "input")}
            self._calls.take({"id": call.get("callId"), "function": function})
        if "finish" in chunk:
            self._whole = True
            self._finish = finish_in(FINISHES, chunk["finish"])
            self._refused = self._finish == "refusal"


def body_of(request: ModelRequest, endpoint: Endpoint) -> JsonObject:
    """Return the request as the editor gets it (protocol#agentlanguagemodelask)."""
    body: JsonObject = {"model": endpoint.model, "system": valid_unicode(request.system)}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
    if limit := endpoint.limited(request.max_output_tokens):
        body["maxOutputTokens"] = limit
    return {**body, "messages": [_message(turn) for turn in turns(request.messages)]}


def _tool(tool: ToolSpec) -> JsonObject:
    return {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}


def _message(turn: AssistantMessage | list[UserSide]) -> JsonObject:
    if isinstance(turn, AssistantMessage):
        said = [_text(text_of(turn))] if turn.text.strip() else []
        calls = [
            {"type": "toolCall", "callId": call.call_id, "name": call.name, "input": call.arguments}
            for call in turn.tool_calls
        ]
        return {"role": "assistant", "content": [*said, *calls]}
    results = [
        {"type": "toolResult", "callId": result.call_id, "text": valid_unicode(result.text)}
        for result in results_of(turn)
    ]
    parts = [_part(part) for part in (*images_of_results(turn), *contents_of(turn))]
    return {"role": "user", "content": [*results, *parts]}


def _part(part: Content) -> JsonObject:
    if isinstance(part, Image):
        return {"type": "image", "data": part.data, "mimeType": part.media_type}
    return _text(as_text(part))


def _text(text: str) -> JsonObject:
    return {"type": "text", "text": valid_unicode(text)}
