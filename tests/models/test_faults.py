"""Everything that can go wrong between a model and us, in every dialect: the right class of failure,
no call from half an answer, no second try after a word."""

import asyncio
import gzip
from email.utils import formatdate
from typing import Any

import pytest

from aglet.engine.facts import TextDelta
from aglet.models import client, sse
from aglet.models.endpoint import Dialect
from aglet.models.retry import Patience
from support.model_asking import Asking, Heard, hear, prompt
from support.model_dialects import DIALECTS, Said
from support.model_replies import Ending, Failure, Raw
from support.model_server import ModelServer
from support.patience import TRIES, within

QUICK = Patience(tries=3, first=0.01)
KEY = "sk-canary-1234567890"
HELLO = Said("Grüße 😀 an alle", [("c1", "read", '{"path":"ä"}')], usage=(7, 3))
LINES = "application/x-ndjson"


@pytest.fixture(params=DIALECTS)
def dialect(request: pytest.FixtureRequest) -> Dialect:
    return request.param


async def heard_of(dialect: Dialect, *answers: Any, **more: Any) -> tuple[Heard, ModelServer]:
    async with ModelServer(answers) as server, Asking() as asking:
        return await hear(asking.model(server.url, QUICK, dialect=dialect, **more)), server


def raw(dialect: Dialect, said: Said = HELLO, **more: Any) -> Raw:
    return Raw(said.events(dialect), **more)


def check_hello(heard: Heard) -> None:
    assert heard.reply, heard.error
    assert (heard.text, heard.reply.text) == ("Grüße 😀 an alle",) * 2
    (call,) = heard.reply.tool_calls
    assert (call.call_id, call.name, call.arguments, call.malformed) == ("c1", "read", {"path": "ä"}, "")
    assert (heard.reply.finish, heard.reply.usage.input_tokens, heard.reply.usage.output_tokens) == (
        "tool_calls", 7, 3
    )  # fmt: skip


# --- the connection --------------------------------------------------------------------------------


async def test_an_answer_is_read(dialect: Dialect) -> None:
    check_hello((await heard_of(dialect, raw(dialect)))[0])


@pytest.mark.parametrize("begin", ["reset", "close"])
async def test_a_connection_that_breaks_before_the_answer_is_tried_again(
    dialect: Dialect, begin: Ending
) -> None:
    heard, server = await heard_of(dialect, Raw(begin=begin), raw(dialect))
    check_hello(heard)
    assert [wait.attempt for wait in heard.waits] == [1]
    assert server.posts[0].content == server.posts[1].content


@pytest.mark.parametrize("then", ["end", "close", "reset"])
async def test_an_answer_without_its_end_is_none_and_is_not_tried_again(
    dialect: Dialect, then: Ending
) -> None:
    events = HELLO.events(dialect)
    left = len(events) - (2 if dialect == "chat" else 1)  # [DONE] alone ends it too
    for kept in (2, left):
        heard, server = await heard_of(dialect, Raw(events[:kept], then=then, delay=0.01), raw(dialect))
        assert heard.reply is None
        assert heard.error and heard.error.kind == "network"
        assert (len(server.posts), heard.waits) == (1, [])


async def test_half_an_event_and_half_a_character_are_no_answer(dialect: Dialect) -> None:
    first = HELLO.events(dialect)[0 if dialect != "anthropic" else 1]
    for cut in (first.index("ü".encode()) + 1, len(first) // 2):
        heard, _ = await heard_of(dialect, Raw([first[:cut]], then="close"), Failure(400, "over"))
        assert (heard.text, heard.reply) == ("", None)


async def test_a_server_that_falls_silent_is_given_up(dialect: Dialect) -> None:
    for kept in (Raw(begin="hang"), Raw(HELLO.events(dialect)[:2], then="hang")):
        async with ModelServer([kept]) as server, Asking() as asking:
            once = asking.model(server.url, dialect=dialect, idle_timeout=0.15)
            heard = await hear(once)
            assert heard.error and heard.error.kind == "timeout"
            assert await server.closed()


async def test_one_byte_after_the_other_is_read_until_the_time_is_over(dialect: Dialect) -> None:
    body = b"".join(HELLO.events(dialect))
    bytewise = [bytes([byte]) for byte in body]
    check_hello((await heard_of(dialect, Raw(bytewise)))[0])
    heard, _ = await heard_of(dialect, Raw(bytewise, delay=0.03), idle_timeout=30.0, timeout=0.3)
    assert heard.error and (heard.error.kind, heard.reply) == ("timeout", None)


async def test_a_cancel_closes_the_connection_at_once(dialect: Dialect) -> None:
    hanging = Raw(HELLO.events(dialect)[:2], then="hang")
    async with ModelServer([hanging] * TRIES) as server, Asking() as asking:
        for watch in within(0.2):
            parts = asking.model(server.url, dialect=dialect).stream(prompt())
            assert isinstance(await anext(parts), TextDelta)
            with watch:
                await parts.aclose()
                assert await server.closed()


async def test_a_wait_can_be_cancelled(dialect: Dialect) -> None:
    slow = Failure(429, "slow", headers={"Retry-After": "60"})
    async with ModelServer([slow]) as server, Asking() as asking:
        parts = asking.model(server.url, Patience(), dialect=dialect).stream(prompt())
        waiting = await anext(parts)
        task = asyncio.ensure_future(anext(parts))
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert getattr(waiting, "delay", 0.0) >= 60.0
    assert "slow" in getattr(waiting, "cause", "")


# --- what is not the answer ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "headers", "kind", "tried"),
    [
        (429, {"Retry-After": "0"}, "rateLimit", 3),
        (429, {}, "rateLimit", 3),
        (429, {"retry-after-ms": "10"}, "rateLimit", 3),
        (429, {"Retry-After": "315360000"}, "rateLimit", 1),
        (429, {"Retry-After": formatdate(4e9, usegmt=True)}, "rateLimit", 1),
        (500, {}, "providerInternal", 3),
        (502, {}, "providerInternal", 3),
        (503, {}, "overloaded", 3),
        (529, {}, "overloaded", 3),
        (500, {"x-should-retry": "false"}, "providerInternal", 1),
        (401, {}, "auth", 1),
        (402, {}, "quota", 1),
        (400, {}, "badRequest", 1),
    ],
)
async def test_a_refusal_is_told_for_what_it_is_and_tried_again_when_it_may_pass(
    dialect: Dialect, status: int, headers: dict[str, str], kind: str, tried: int
) -> None:
    failures = [Failure(status, "no", headers=headers)] * 3
    heard, server = await heard_of(dialect, *failures, api_key=KEY)
    assert heard.error and (heard.error.kind, heard.error.status) == (kind, status)
    assert heard.error.hint
    assert (len(server.posts), len(heard.waits)) == (tried, tried - 1)
    assert KEY not in f"{heard.error}{heard.error.hint}"


async def test_a_login_page_is_told(dialect: Dialect) -> None:
    heard, _ = await heard_of(dialect, Raw([b"<html>Log in"], headers={"Content-Type": "text/html"}))
    assert heard.error and "web page" in str(heard.error)


async def test_a_redirect_is_not_followed(dialect: Dialect) -> None:
    async with ModelServer([raw(dialect)]) as thief:
        away = Raw((), 307, {"Location": thief.url})
        heard, _ = await heard_of(dialect, away, api_key=KEY)
    assert heard.error and thief.url in str(heard.error)
    assert thief.connections == 0


async def test_bombs_and_endless_answers_are_cut(dialect: Dialect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LARGEST_ANSWER", 50_000)
    monkeypatch.setattr(sse, "LARGEST", 30_000)
    bomb = Raw([gzip.compress(b"data: " + b"x" * 60_000)], headers={"Content-Encoding": "gzip"})
    event = Said("x" * 1000).events(dialect)[1]
    endless = Raw([event] * 2000, then="hang")
    giant = Raw([b'data: {"x":"' + b"y" * 40_000])
    for answer in (bomb, endless, giant):
        heard, _ = await heard_of(dialect, answer)
        assert heard.error and "more than an answer can be" in str(heard.error)
        assert heard.reply is None


# --- the bytes of an answer ------------------------------------------------------------------------


@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
async def test_every_line_end_a_mark_comments_and_other_fields_change_nothing(
    dialect: Dialect, end: bytes
) -> None:
    if dialect == "ollama" and end == b"\r":
        pytest.skip("lines of JSON end in a line feed")
    noise = b"" if dialect == "ollama" else b": hello\nid: 1\nretry: 5\nweird: \x00\n\n"
    body = b"\xef\xbb\xbf" + noise + b"".join(HELLO.events(dialect))
    check_hello((await heard_of(dialect, Raw([body.replace(b"\n", end)])))[0])


async def test_a_compressed_answer_is_read(dialect: Dialect) -> None:
    body = gzip.compress(b"".join(HELLO.events(dialect)))
    check_hello(
        (await heard_of(dialect, Raw([body[:20], body[20:]], headers={"Content-Encoding": "gzip"})))[0]
    )


async def test_very_many_empty_pieces_are_nothing(dialect: Dialect) -> None:
    events = HELLO.events(dialect)
    empty = Said("x").events(dialect)[1 if dialect == "anthropic" else 0].replace(b'"x"', b'""')
    many = Raw([empty * 20_000, *events])
    heard, _ = await heard_of(dialect, many)
    check_hello(heard)
    assert heard.deltas < 10


async def test_a_call_of_five_megabytes_arrives_whole(dialect: Dialect) -> None:
    large = "ü" * 2_500_000
    said = Said(calls=[("c", "write", '{"text":"' + large + '"}')])
    heard, _ = await heard_of(dialect, raw(dialect, said))
    assert heard.reply and heard.reply.tool_calls[0].arguments == {"text": large}


# --- calls -----------------------------------------------------------------------------------------


async def test_calls_without_ids_get_one_each(dialect: Dialect) -> None:
    said = Said(calls=[("", "f", "{}"), ("", "f", '{"n":1}')])
    heard, _ = await heard_of(dialect, raw(dialect, said))
    assert heard.reply
    ids = {call.call_id for call in heard.reply.tool_calls}
    assert (len(ids), "" in ids) == (2, False)


@pytest.mark.parametrize("written", ["[1]", '"text"', "7"])
async def test_arguments_that_are_no_object_are_never_run(dialect: Dialect, written: str) -> None:
    heard, _ = await heard_of(dialect, raw(dialect, Said(calls=[("c", "f", written)])))
    assert heard.reply
    assert all(call.malformed and call.arguments == {} for call in heard.reply.tool_calls)
    assert len(heard.reply.tool_calls) == 1


@pytest.mark.parametrize("written", ["null", "", "{}"])
async def test_no_arguments_are_none(dialect: Dialect, written: str) -> None:
    heard, _ = await heard_of(dialect, raw(dialect, Said(calls=[("c", "f", written)])))
    assert heard.reply
    (call,) = heard.reply.tool_calls
    assert (call.arguments, call.malformed) == ({}, "")


LENGTHS = {
    "chat": "length",
    "responses": "max_output_tokens",
    "anthropic": "max_tokens",
    "gemini": "MAX_TOKENS",
    "ollama": "length",
}


async def test_arguments_that_are_cut_off_are_never_run(dialect: Dialect) -> None:
    said = Said("so", [("c", "f", '{"path": "/tmp'), ("d", "f", '{"path": "/tmp')], finish=LENGTHS[dialect])
    heard, _ = await heard_of(dialect, raw(dialect, said))
    assert heard.reply
    assert all(call.malformed for call in heard.reply.tool_calls)


async def test_a_call_that_gemini_left_open_is_no_call_although_it_says_stop() -> None:
    part = b'data: {"candidates":[{"content":{"parts":[{"functionCall":%s}]}%s}]}\n\n'
    begun = part % (b'{"name":"rm","willContinue":true}', b"")
    piece = b'{"partialArgs":[{"jsonPath":"$.path","stringValue":"/"}],"willContinue":true}'
    heard, _ = await heard_of("gemini", Raw([begun, part % (piece, b',"finishReason":"STOP"')]), Failure(400))
    assert heard.reply is None
    assert heard.waits and "broke off" in heard.waits[0].cause


async def test_an_answer_that_reached_its_limit_says_so(dialect: Dialect) -> None:
    heard, _ = await heard_of(dialect, raw(dialect, Said("half", finish=LENGTHS[dialect])))
    assert heard.reply and (heard.reply.text, heard.reply.finish) == ("half", "length")


async def test_an_unknown_reason_to_end_is_an_end(dialect: Dialect) -> None:
    heard, _ = await heard_of(dialect, raw(dialect, Said("done", finish="brand_new")))
    assert heard.reply and heard.reply.text == "done"
    assert heard.reply.finish == ("length" if dialect == "responses" else "stop")


# --- usage -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("usage", [None, (-1, -5), (1e30, "many"), (None, None), (True, [])])
async def test_usage_that_cannot_be_true_is_unknown(dialect: Dialect, usage: Any) -> None:
    heard, _ = await heard_of(dialect, raw(dialect, Said("hi", usage=usage)))
    assert heard.reply
    assert (heard.reply.usage.input_tokens, heard.reply.usage.output_tokens) == (None, None)
    assert heard.reply.cost is None
