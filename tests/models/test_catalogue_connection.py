"""The catalogue of faults, 1 to 23: the connection and what is not the answer. `README.md` lists them all."""

import asyncio
import gzip
from email.utils import formatdate

import pytest

from agls.engine.facts import Retrying, TextDelta
from agls.engine.vocabulary import Limits, Text
from agls.features import deadline
from agls.models import client
from agls.models.endpoint import DialectName
from agls.models.http import sse
from support.budgets import budget_room
from support.model_asking import Asking, hear
from support.model_dialects import Said
from support.model_faults import HELLO, KEY, check_hello, heard_from, heard_of, opened, raw, run_with
from support.model_replies import Ending, Failure, Raw
from support.model_server import ModelServer
from support.patience import PATIENCE

READ = Said("", [("c1", "read", '{"value":"a"}')], usage=(7, 3))


async def is_told(
    dialect: DialectName, failure: Failure, kind: str, *, tried: int, status: int | None = None
) -> None:
    """The failure is of this kind, was tried so often, has a hint, and shows no key."""
    heard, server = await heard_of(dialect, *[failure] * 3, api_key=KEY)
    assert heard.error and (heard.error.kind, heard.error.status) == (kind, status or failure.status)
    assert heard.error.hint
    assert (len(server.posts), len(heard.waits)) == (tried, tried - 1)
    assert KEY not in f"{heard.error}{heard.error.hint}"


async def breaks_off(dialect: DialectName, answer: Raw) -> None:
    """This is not taken for whole. (A reset may destroy words on their way, so only one try is made.)"""
    async with ModelServer([answer]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, dialect=dialect))
    assert heard.reply is None
    assert heard.error and heard.error.kind == "network"


def without_end(dialect: DialectName) -> list[bytes]:
    """All of an answer but the events that end it."""
    return HELLO.events(dialect)[: -2 if dialect == "chat" else -1]


def first_words(dialect: DialectName) -> bytes:
    """The event with the first words of an answer."""
    return HELLO.events(dialect)[1 if dialect == "anthropic" else 0]


@pytest.mark.parametrize("begin", ["reset", "close"])
async def test_01_a_connection_that_breaks_before_the_headers_is_tried_again(
    dialect: DialectName, begin: Ending
) -> None:
    heard, server = await heard_of(dialect, Raw(begin=begin), raw(dialect))
    check_hello(heard)
    assert [wait.attempt for wait in heard.waits] == [1]
    assert server.posts[0].content == server.posts[1].content


async def test_02_a_reset_in_the_middle_of_an_event_is_no_answer(dialect: DialectName) -> None:
    events = HELLO.events(dialect)
    await breaks_off(dialect, Raw([*events[:2], events[2][: len(events[2]) // 2]], then="reset"))


async def test_03_a_reset_in_the_middle_of_a_character_is_no_answer(dialect: DialectName) -> None:
    event = first_words(dialect)
    await breaks_off(dialect, Raw([event[: event.index("ü".encode()) + 1]], then="reset"))


async def test_04_a_reset_after_the_last_token_is_no_answer(dialect: DialectName) -> None:
    await breaks_off(dialect, Raw(without_end(dialect), then="reset"))


@pytest.mark.parametrize("then", ["end", "close"])
async def test_05_a_stream_without_its_last_event_is_no_answer_and_asked_for_once_more(
    dialect: DialectName, then: Ending
) -> None:
    events = without_end(dialect)
    for kept in (events, events[:2]):
        torn = Raw(kept, then=then)
        heard, server = await heard_of(dialect, torn, torn, raw(dialect))
        assert heard.reply is None
        assert heard.error and heard.error.kind == "network"
        assert heard.text
        assert (len(server.posts), [wait.attempt for wait in heard.waits]) == (2, [1])
        for used in (heard.waits[0].usage, heard.error.usage):
            assert used and used.input_tokens and used.output_tokens, "it was generated, and is paid for"


async def test_a_torn_answer_with_a_call_runs_its_tool_once(dialect: DialectName) -> None:
    called = READ.events(dialect)
    torn = Raw(called[: -2 if dialect == "chat" else -1], then="close")
    ran = await run_with(dialect, [torn, raw(dialect, READ), raw(dialect, Said("done"))])
    assert ran.ended == "end_turn"
    assert ran.done == [{"value": "a"}]
    assert len(ran.server.posts) == 3


async def test_06_a_wait_in_seconds_is_kept(dialect: DialectName) -> None:
    slow = Failure(429, "slow", headers={"Retry-After": "1"})
    heard, _ = await heard_of(dialect, slow, raw(dialect))
    check_hello(heard)
    (wait,) = heard.waits
    assert wait.delay == 1.0
    assert "slow" in wait.cause
    await is_told(dialect, Failure(429, "slow", headers={"retry-after-ms": "10"}), "rateLimit", tried=3)


async def test_07_a_wait_until_a_date_is_kept(dialect: DialectName) -> None:
    past = {"Retry-After": formatdate(1e9, usegmt=True)}
    await is_told(dialect, Failure(429, "slow", headers=past), "rateLimit", tried=3)
    far = {"Retry-After": formatdate(4e9, usegmt=True)}
    await is_told(dialect, Failure(429, "slow", headers=far), "rateLimit", tried=1)


async def test_08_without_a_wait_the_pause_is_ours(dialect: DialectName) -> None:
    await is_told(dialect, Failure(429, "slow"), "rateLimit", tried=3)


async def test_09_a_wait_of_ten_years_is_not_waited_for(dialect: DialectName) -> None:
    years = Failure(429, "slow", headers={"Retry-After": "315360000"})
    await is_told(dialect, years, "rateLimit", tried=1)


async def test_10_a_500_is_the_servers_fault_and_tried_again(dialect: DialectName) -> None:
    await is_told(dialect, Failure(500, "no"), "providerInternal", tried=3)


async def test_11_a_502_is_the_servers_fault_and_tried_again(dialect: DialectName) -> None:
    await is_told(dialect, Failure(502, "no"), "providerInternal", tried=3)


async def test_12_a_503_is_a_busy_server_and_tried_again(dialect: DialectName) -> None:
    await is_told(dialect, Failure(503, "no"), "overloaded", tried=3)


async def test_13_a_529_is_a_busy_server_and_tried_again(dialect: DialectName) -> None:
    await is_told(dialect, Failure(529, "no"), "overloaded", tried=3)


async def test_14_a_401_in_the_middle_of_a_run_ends_it_and_repeats_no_tool(dialect: DialectName) -> None:
    ran = await run_with(dialect, [raw(dialect, READ), Failure(401, "revoked")])
    assert ran.ended == "model_error auth"
    assert ran.done == [{"value": "a"}]
    assert len(ran.server.posts) == 2


async def test_15_a_login_page_with_status_200_is_reported_as_an_error(dialect: DialectName) -> None:
    page = Raw([b"<html>Log in"], headers={"Content-Type": "text/html"})
    heard, server = await heard_of(dialect, page)
    assert heard.error and heard.error.kind == "network"
    assert "web page" in str(heard.error)
    assert len(server.posts) == 1


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_16_a_redirect_to_another_host_gets_neither_the_request_nor_the_key(
    dialect: DialectName, status: int
) -> None:
    async with ModelServer([raw(dialect)]) as thief:
        away = Raw((), status, {"Location": thief.url})
        heard, _ = await heard_of(dialect, away, api_key=KEY)
    assert heard.error and heard.error.kind == "network"
    assert thief.url in str(heard.error)
    assert thief.connections == 0


async def test_17_a_gzip_bomb_is_cut(dialect: DialectName, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LARGEST_ANSWER", 50_000)
    bomb = Raw([gzip.compress(b"data: " + b"x" * 60_000)], headers={"Content-Encoding": "gzip"})
    heard, _ = await heard_of(dialect, bomb)
    assert heard.error and "more than an answer can be" in str(heard.error)
    assert heard.reply is None


async def test_18_an_endless_stream_is_cut_by_its_size_and_by_the_time_of_the_run(
    dialect: DialectName, monkeypatch: pytest.MonkeyPatch
) -> None:
    piece = Said("x" * 1000).events(dialect)[1]
    endless = Raw([piece] * (100_000 // len(piece)), then="hang")
    loop = asyncio.get_running_loop()
    now = loop.time
    rooms, limits = [deadline.ROOM.build(deadline.ROOM.settings())], Limits(max_seconds=100.0)
    async with ModelServer([endless, endless]) as server, opened(server, dialect, rooms, limits) as session:
        said = heard_from(session)
        admission = await session.prompt((Text("go"),))
        while not any(isinstance(one, TextDelta) for one in said):
            await asyncio.sleep(0.01)
        monkeypatch.setattr(loop, "time", lambda: now() + 101)
        assert (await session.finished(admission.run_id)).stop.reason == "timeout"
        assert await server.closed()
        monkeypatch.setattr(client, "LARGEST_ANSWER", 50_000)
        async with Asking() as asking:
            heard = await hear(asking.model(server.url, dialect=dialect))
        assert heard.error and "more than an answer can be" in str(heard.error)
        assert await server.closed()
    assert len(server.posts) == 2


async def test_19_silence_before_the_first_byte_is_given_up(dialect: DialectName) -> None:
    async with ModelServer([Raw(begin="hang")]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, dialect=dialect, idle_timeout=0.15))
        assert heard.error and heard.error.kind == "timeout"
        assert "0.15 seconds" in str(heard.error)
        assert await server.closed()


async def test_20_silence_in_the_middle_is_given_up(dialect: DialectName) -> None:
    begun = Raw(HELLO.events(dialect)[:2], then="hang")
    async with ModelServer([begun]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, dialect=dialect, idle_timeout=0.15))
        assert heard.error and heard.error.kind == "timeout"
        assert heard.reply is None
        assert await server.closed()


async def test_21_byte_after_byte_is_read_until_the_whole_time_is_over(dialect: DialectName) -> None:
    body = b"".join(HELLO.events(dialect))
    bytewise = [bytes([byte]) for byte in body]
    check_hello((await heard_of(dialect, Raw(bytewise)))[0])
    heard, _ = await heard_of(dialect, Raw(bytewise, delay=0.03), idle_timeout=30.0, timeout=0.3)
    assert heard.error and (heard.error.kind, heard.reply) == ("timeout", None)
    assert "0.3 seconds" in str(heard.error)


async def test_22_an_event_of_ten_megabytes_is_the_largest(
    dialect: DialectName, monkeypatch: pytest.MonkeyPatch
) -> None:
    large = b"x" * (sse.LARGEST - 1_000)
    begin, end = first_words(dialect).split("Grüße 😀".encode())
    heard, _ = await heard_of(dialect, Raw([begin + large + end, *Said("end").events(dialect)]))
    assert heard.reply, heard.error
    assert heard.reply.text.strip("x").strip() == "end"
    assert len(heard.reply.text) > len(large)
    monkeypatch.setattr(sse, "LARGEST", 30_000)
    heard, _ = await heard_of(dialect, Raw([begin + large[:40_000]]))
    assert heard.error and "more than an answer can be" in str(heard.error)
    assert heard.reply is None


def empty(dialect: DialectName) -> bytes:
    """An event that says nothing."""
    return Said("x").events(dialect)[1 if dialect == "anthropic" else 0].replace(b'"x"', b'""')


async def test_23_very_many_empty_deltas_are_nothing(dialect: DialectName) -> None:
    heard, _ = await heard_of(dialect, Raw([empty(dialect) * 20_000, *HELLO.events(dialect)]))
    check_hello(heard)
    assert heard.deltas < 20


@pytest.mark.slow
@pytest.mark.timeout(1_800)
async def test_a_million_empty_deltas_are_ignored_or_refused(dialect: DialectName) -> None:
    many = [empty(dialect) * 10_000] * 100
    heard, _ = await heard_of(dialect, Raw([*many, *HELLO.events(dialect)]))
    if len(empty(dialect)) * 1_000_000 < client.LARGEST_ANSWER - 10_000:
        check_hello(heard)
    else:
        assert heard.error and "more than an answer can be" in str(heard.error)


# --- what must hold in all of them -----------------------------------------------------------------


async def test_a_second_try_repeats_no_tool(dialect: DialectName) -> None:
    answers = [raw(dialect, READ), Failure(503, "busy"), Raw(begin="reset"), raw(dialect, Said("done"))]
    ran = await run_with(dialect, answers)
    assert ran.ended == "end_turn"
    assert ran.done == [{"value": "a"}]
    assert len(ran.server.posts) == 4


async def test_a_budget_is_overshot_by_one_call_at_most(dialect: DialectName) -> None:
    limit = Limits(max_total_tokens=1)
    ran = await run_with(dialect, [raw(dialect, READ)] * 3, features=[budget_room()], limits=limit)
    assert ran.ended == "budget"
    assert len(ran.server.posts) == 1


@pytest.mark.parametrize("state", ["asked", "speaking", "waiting"])
async def test_a_cancel_is_followed_in_every_state(dialect: DialectName, state: str) -> None:
    answer = {
        "asked": Raw(begin="hang"),
        "speaking": Raw(HELLO.events(dialect)[:2], then="hang"),
        "waiting": Failure(429, "slow", headers={"Retry-After": "100"}),
    }[state]
    async with ModelServer([answer]) as server, opened(server, dialect) as session:
        said = heard_from(session)
        admission = await session.prompt((Text("go"),))
        seen = Retrying if state == "waiting" else TextDelta
        while not (server.posts if state == "asked" else any(isinstance(one, seen) for one in said)):
            await asyncio.sleep(0.01)
        session.cancel()
        result = await asyncio.wait_for(session.finished(admission.run_id), PATIENCE)  # no wait is that short
        assert result.stop.reason == "cancelled"
        assert state == "waiting" or await server.closed()
        used = session.state.total
        assert used.estimated == (state == "speaking"), "what came of it counts, about"
        assert bool(used.input_tokens and used.output_tokens) == (state == "speaking")
