"""The client of a model behind HTTP: it sends the request, streams the answer, and classifies failures."""

import asyncio
from collections.abc import AsyncGenerator, Generator, Sequence
from contextlib import aclosing, contextmanager, suppress
from dataclasses import replace
from functools import partial
from math import inf
from typing import cast

import httpx

from agls.engine.facts import ModelDelta, Overflowed, TextDelta, ThinkingDelta
from agls.engine.ports import AnswerCancelled, ModelInfo, ModelRequest, Reply
from agls.engine.vocabulary import JsonObject, TokenCount
from agls.models.catalog.listing import fetch_json, list_models
from agls.models.dialects.answer import AnswerReader
from agls.models.dialects.counting import TokenEstimator
from agls.models.dialects.dialect import dialect_of
from agls.models.dialects.messages import encode_body
from agls.models.endpoint import Endpoint
from agls.models.errors import (
    CallFailed,
    Failure,
    failure_of,
    redirected,
    timed_out,
    too_large,
    with_models,
)
from agls.models.http.connections import Connections, ending_at
from agls.models.http.event_stream import KIND, frames
from agls.models.http.sse import BodyTooLarge, events
from agls.models.local.tokenizer import LocalTokenizer
from agls.models.overflow import silent_overflow
from agls.models.prices import cost_of
from agls.models.refusals import corrected, without_refused
from agls.models.retry import Part, RetryPolicy, with_retries
from agls.models.signing import signed_request

USUAL_RETRIES = RetryPolicy()
RETRIES_WITH_FALLBACK = RetryPolicy(tries=2, limit=10.0)  # another model can answer instead
LARGEST_ERROR = 1_000_000  # bytes of an error answer that are read
LARGEST_ANSWER = 100_000_000  # bytes; a larger answer means a broken server
BESIDE = 3.0  # seconds for a request beside the conversation
CERTAIN = 1.5  # how far beyond the window a guess must be to be believed
NO_ROOM = (
    "{} would cut off the beginning: the request has about {} tokens, its context_window is {}. "
    "Raise that if the model can take more."
)
NEW_KEY = "It is asked once more with a new key."
LINGER = 0.25  # seconds for the end of the body after the end of the answer, to keep the connection


class HttpModel:
    """Implements `ModelClient` for one endpoint."""

    def __init__(
        self, endpoint: Endpoint, connections: Connections, policy: RetryPolicy = USUAL_RETRIES
    ) -> None:
        self._endpoint = endpoint
        self._connections = connections
        self._policy = policy
        self._dialect, self._gauge = dialect_of(endpoint), TokenEstimator()
        self._tokenizer = LocalTokenizer(endpoint.tokenizer) if endpoint.tokenizer else None
        self._figures_requested = False  # once is enough
        self._info = endpoint, endpoint.info

    @property
    def info(self) -> ModelInfo:
        """The model's name, provider, sizes and prices."""
        if self._info[0] is not self._endpoint:
            self._info = self._endpoint, self._endpoint.info
        return self._info[1]

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply, None]:
        """Yield deltas, a `Retrying` before each retry, and one `Reply`. Raises `CallFailed`."""
        renewed = set[str]()
        return with_retries(partial(self._try, request, renewed), self._policy, self.info.provider)

    async def _try(self, request: ModelRequest, renewed: set[str]) -> AsyncGenerator[Part, None]:
        until = asyncio.get_running_loop().time() + self._endpoint.timeout
        request = without_refused(request, self._endpoint.refused)
        body = self._dialect.whole_body(request, self._endpoint)
        content = encode_body(body)
        if too_long_to_be_kept := await self._cut(request, len(content)):
            yield too_long_to_be_kept
            return
        answer = self._dialect.answer(request.reply_id, self._endpoint)
        if self._dialect.writes_calls:
            answer.offer(request.tools)
        sent = await signed_request(self._endpoint, "POST", self._dialect.url(self._endpoint), content, until)
        with self._counted(answer, request, len(content)):
            async with self._connections.ask(self._endpoint, sent) as response:
                if response.status_code >= 300:
                    failure = await self._refused(response)
                    if isinstance(failure, Overflowed):
                        yield self._learned(failure)
                        return
                    raise CallFailed(self._corrected(failure, request, body, renewed))
                async with aclosing(_read(response, answer, until)) as batches:
                    async for deltas in batches:
                        for delta in deltas:
                            yield delta
            if isinstance(answer.failure, Failure):
                raise CallFailed(answer.failure)
            if answer.failure:
                yield self._learned(answer.failure)
                return
            reply = answer.reply()
        self._gauge.learn(request, len(content), reply.usage)
        if self._tokenizer:
            self._tokenizer.learn(request, reply.usage.input_tokens)
        await self._complete_figures()
        yield silent_overflow(reply, self._endpoint) or reply

    @contextmanager
    def _counted(self, answer: AnswerReader, request: ModelRequest, size: int) -> Generator[None]:
        """Add to a failure or a cancel what the answer used before, where it had begun."""
        try:
            yield
        except (CallFailed, asyncio.CancelledError) as error:
            used = answer.used_by_now(self._gauge.count(request, size).tokens)
            if used is None:
                raise
            cost = cost_of(used, self._endpoint.prices)
            if not isinstance(error, CallFailed):
                raise AnswerCancelled(used, cost) from None
            error.usage, error.cost = used, cost
            raise

    async def count(self, request: ModelRequest) -> TokenCount:
        """Return the tokens of a request, counted by the server or estimated. Never raises."""
        body = self._dialect.body(request, self._endpoint)
        counting = None if self._endpoint.service else self._dialect.counting
        if counting and (tokens := await counting(self._post, body, self._endpoint)):
            return TokenCount(tokens, "told")
        return await self._counted_here(request, len(encode_body(body)))

    async def tokens_of(self, texts: Sequence[str]) -> int | None:
        """Return the tokens of texts by the tokenizer on this machine, `None` where none can be used."""
        if not self._tokenizer:
            return None
        try:
            return await asyncio.to_thread(self._tokenizer.tokens_of, texts)
        except ValueError:
            return None

    async def _counted_here(self, request: ModelRequest, sent: int) -> TokenCount:
        """Return the tokens of a request, of which so many bytes are sent, without asking anybody."""
        estimate = self._gauge.count(request, sent)
        if not self._tokenizer:
            return estimate
        try:
            return await asyncio.to_thread(self._tokenizer.count, request)
        except ValueError as problem:
            return replace(estimate, note=str(problem))

    async def _complete_figures(self) -> None:
        """Request missing figures from the server, once, after an answer: the model is loaded by then."""
        if self._figures_requested or self._endpoint.context_window:
            return
        from agls.models.local.server_info import with_server_figures  # noqa: PLC0415 - once, and only of own servers

        self._figures_requested = True
        self._endpoint = await with_server_figures(self._endpoint, self._connections)

    def _learned(self, overflow: Overflowed) -> Overflowed:
        """Return the overflow. The limit in it becomes the context window when none was known."""
        if overflow.limit and not self._endpoint.context_window:
            self._endpoint = replace(self._endpoint, context_window=overflow.limit)
        return overflow

    async def _cut(self, request: ModelRequest, sent: int) -> Overflowed | None:
        """Return the overflow that this server would hide by dropping the beginning of the request."""
        window = self._endpoint.context_window
        if not (self._dialect.cuts_silently and window):
            return None
        count = await self._counted_here(request, sent)
        if count.tokens <= window * (CERTAIN if count.sure == "guess" else 1):
            return None
        return Overflowed(NO_ROOM.format(self._endpoint.name, count.tokens, window), window, count.tokens)

    async def _refused(self, response: httpx.Response) -> Failure | Overflowed:
        status = response.status_code
        if status < 400:
            return redirected(response.headers.get("location", ""), status, self._endpoint)
        text = await _beginning(response)
        failure = failure_of(status, response.headers, text, self._endpoint)
        if isinstance(failure, Failure) and failure.kind == "modelNotFound":
            return with_models(failure, await self._models(), self._endpoint)
        return failure

    def _corrected(
        self, failure: Failure, request: ModelRequest, body: JsonObject, renewed: set[str]
    ) -> Failure:
        """Return the failure, marked `corrected` when the next try can avoid its cause."""
        if failure.kind == "auth" and not renewed and self._endpoint.credential.renew():
            renewed.add("key")
            return replace(failure, message=f"{failure.message} {NEW_KEY}", corrected=True)
        failure, part = corrected(failure, request, body)
        if part:
            self._endpoint = replace(self._endpoint, refused=self._endpoint.refused | {part})
        return failure

    async def _models(self) -> list[str]:
        """Return the names in the server's list of models; none when there is no list."""
        return list((await list_models(self._endpoint, self._connections, BESIDE)).models)

    async def _post(self, url: str, body: JsonObject) -> JsonObject:
        """Return the object in the server's answer; an empty one when no answer comes soon."""
        answer = await fetch_json(url, self._endpoint, self._connections, BESIDE, encode_body(body))
        return {} if isinstance(answer, Failure) else answer


async def _read(
    response: httpx.Response, answer: AnswerReader, until: float
) -> AsyncGenerator[list[TextDelta | ThinkingDelta], None]:
    """Feed the reader to the end of the answer. Yield the deltas of one read together."""
    async with aclosing(_chunks(response, until, answer.endpoint.idle_timeout)) as chunks:
        try:
            framed = KIND in response.headers.get("content-type", "")
            async with aclosing(frames(chunks) if framed else events(chunks)) as batches:
                async for batch in batches:
                    for event in batch:
                        answer.take(event)
                    yield answer.deltas()
                    if answer.done or answer.failure:
                        break
        except BodyTooLarge:
            answer.failure = too_large(answer.endpoint)
        except TimeoutError:
            answer.failure = timed_out(answer.endpoint)
        except httpx.TransportError:
            if not answer.finished:  # a whole answer stays whole when its connection then breaks
                raise
        yield answer.deltas(final=True)
        with suppress(TimeoutError, BodyTooLarge, httpx.HTTPError):
            async with asyncio.timeout(LINGER):
                async for _ in chunks:
                    pass


async def _chunks(response: httpx.Response, until: float, idle: float) -> AsyncGenerator[bytes, None]:
    """Yield the bytes, those of one read as one piece, with `idle` seconds between two at most.

    Raises `BodyTooLarge`, and `TimeoutError` at `until` (in the loop's time).
    """
    encoded = "content-encoding" in response.headers
    size = 0
    read = response.aiter_bytes() if encoded else aiter(cast("httpx.AsyncByteStream", response.stream))
    async with aclosing(cast("AsyncGenerator[bytes, None]", read)) as chunks:
        while True:
            async with ending_at(until, idle):
                chunk = await anext(chunks, None)
            if chunk is None:
                return
            size += len(chunk)
            if size > LARGEST_ANSWER:
                raise BodyTooLarge
            yield chunk


async def _beginning(response: httpx.Response) -> str:
    text = b""
    until = asyncio.get_running_loop().time() + BESIDE
    async with aclosing(_chunks(response, until, inf)) as chunks:
        with suppress(TimeoutError):  # what is there has to do
            async for chunk in chunks:
                text += chunk
                if len(text) > LARGEST_ERROR:
                    break
    return text.decode(errors="replace")
