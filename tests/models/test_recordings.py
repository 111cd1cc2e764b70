"""What real servers sent, and our own small copies of their quirks, read exactly as they must be read."""

import asyncio
import json
import os
import random
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Any

import httpx
import pytest
import pytest_asyncio

from agls.models.http.connections import Route
from support.model_asking import Asking, Heard, hear, prompt
from support.model_recordings import Exchange, check, check_calls, own, recorded, said_finished
from support.model_replies import Raw
from support.model_server import ModelServer

SEEDS, CUTS = 2, 3  # of the usual run
MANY = int(os.environ.get("AGLS_TEST_SEEDS", "50"))  # 1,000 take half an hour
MISSING = pytest.param(None, marks=pytest.mark.skip(reason="../shared/wire/recordings is not there"))
EXCHANGES = [
    *([pytest.param(exchange, id=exchange.id) for exchange in recorded()] or [MISSING]),
    *(pytest.param(exchange, id=f"own-{exchange.id}") for exchange in own()),
]


pytestmark = pytest.mark.asyncio(loop_scope="module")


class Reader:
    """Reads exchanges through one server and one pool of connections."""

    def __init__(self, server: ModelServer, asking: Asking) -> None:
        self._server, self._asking = server, asking

    async def __call__(self, exchange: Exchange, raw: Raw) -> Heard:
        self._server.add(raw)
        return await hear(self._asking.model(self._server.url, dialect=exchange.dialect))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def read() -> AsyncGenerator[Reader]:
    async with ModelServer() as server, Asking() as asking:
        yield Reader(server, asking)


class FakeNetwork(httpx.AsyncBaseTransport):
    """Answers the next request with pieces as they would come out of a socket, and breaks off with them."""

    def __init__(self) -> None:
        self.answer = Raw()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The answer; its end comes when it is read."""
        return httpx.Response(
            self.answer.status, headers=dict(self.answer.headers), stream=Pieces(self.answer)
        )


class Pieces(httpx.AsyncByteStream):
    """The body of an answer."""

    def __init__(self, answer: Raw) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._answer.pieces:
            if piece:
                yield piece
        if self._answer.then != "end":
            raise httpx.RemoteProtocolError("peer closed connection without sending complete message body")


class QuickReader(Reader):
    """Reads exchanges with the same client, but without sockets: for very many of them."""

    def __init__(self, asking: Asking) -> None:
        self._asking, self._network = asking, FakeNetwork()
        asking.connections._transports[Route("", encrypted=False)] = self._network

    async def __call__(self, exchange: Exchange, raw: Raw) -> Heard:
        self._network.answer = raw
        return await hear(self._asking.model("http://127.0.0.1:9/v1", dialect=exchange.dialect))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def read_quickly() -> AsyncGenerator[Reader]:
    async with Asking() as asking:
        yield QuickReader(asking)


async def read_cut(read: Reader, exchange: Exchange, ends: Sequence[int]) -> None:
    """Every beginning is either whole by the server's own word, or an error, and never half a call."""
    for end in ends:
        cut = exchange.raw(end, end)
        for then in ("end", "close"):
            body, ended = exchange.body[:end], then == "end"
            if exchange.stream:
                whole = said_finished(body, exchange, ended=ended)
            else:  # nothing but white space is missing
                whole = ended and body.strip() == exchange.body.strip()
            heard = await read(exchange, Raw(cut.pieces, cut.status, cut.headers, then=then))
            if whole:
                assert heard.reply is not None, heard.error
                check_calls(heard.reply.tool_calls, exchange.expected)
            else:
                assert heard.reply is None
                assert heard.error is not None
                assert heard.error.kind == "network"


def ends_of(exchange: Exchange, number: int) -> list[int]:
    rng = random.Random(exchange.id)
    return [rng.randrange(len(exchange.body)) for _ in range(number)]


def could_be_whole(exchange: Exchange) -> None:
    if exchange.expected["error"]:
        pytest.skip("it is an error anyway")


@pytest.mark.row(10)
@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_an_answer_is_read_as_it_was_meant_wherever_its_bytes_are_cut(
    read: Reader, exchange: Exchange
) -> None:
    """Usage, finish and calls, as each server spells them."""
    for seed in range(SEEDS):
        check(await read(exchange, exchange.raw(seed)), exchange.expected)


@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_an_answer_that_breaks_off_anywhere_is_never_taken_for_whole(
    read: Reader, exchange: Exchange
) -> None:
    could_be_whole(exchange)
    await read_cut(read, exchange, ends_of(exchange, CUTS))


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_an_answer_is_read_as_it_was_meant_for_many_seeds(
    read_quickly: Reader, exchange: Exchange
) -> None:
    for seed in range(MANY):
        check(await read_quickly(exchange, exchange.raw(seed)), exchange.expected)


@pytest.mark.slow
@pytest.mark.timeout(1_800)
@pytest.mark.parametrize("exchange", EXCHANGES)
async def test_an_answer_that_breaks_off_at_many_places_is_never_whole(
    read_quickly: Reader, exchange: Exchange
) -> None:
    could_be_whole(exchange)
    await read_cut(read_quickly, exchange, ends_of(exchange, MANY))


async def test_all_recordings_are_read() -> None:
    found = recorded()
    if not found:
        pytest.skip("../shared/wire/recordings is not there")
    assert len(found) == 122
    assert {exchange.dialect for exchange in found} == {"chat", "responses", "anthropic", "gemini", "ollama"}


async def test_fifty_answers_at_once_do_not_mix() -> None:
    def echo(request: Any) -> Raw:
        word = request.body["messages"][-1]["content"]
        chunk = json.dumps({"choices": [{"delta": {"content": word}, "finish_reason": "stop"}]})
        return Raw([f"data: {chunk}\n\n".encode(), b"data: [DONE]\n\n"], delay=0.01)

    async with ModelServer(echo) as server, Asking() as asking:
        model = asking.model(server.url)
        async with asyncio.TaskGroup() as group:
            asked = [group.create_task(hear(model, prompt(f"word {n}"))) for n in range(50)]
    assert [task.result().text for task in asked] == [f"word {n}" for n in range(50)]
