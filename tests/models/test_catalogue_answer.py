"""The catalogue of faults, 24 to 45: bytes, calls and the end of an answer. `README.md` lists them all."""

import json
from typing import Any

import pytest

from agls.engine.facts import Overflowed
from agls.engine.vocabulary import ToolResult
from agls.models.endpoint import DialectName
from support.model_dialects import LENGTHS, LINES, REFUSED_INSIDE, Said
from support.model_faults import HELLO, check_hello, heard_of, raw, run_with
from support.model_overflows import OVERFLOWS
from support.model_replies import Failure, Raw, scattered


def hello(dialect: DialectName, line_end: bytes = b"\n") -> bytes:
    """The bytes of an answer, its lines ended so."""
    return b"".join(HELLO.events(dialect)).replace(b"\n", line_end)


def with_noise(dialect: DialectName, noise: bytes) -> bytes:
    """An answer with this before each of its events."""
    return b"".join(noise + event for event in HELLO.events(dialect))


async def reads_hello(dialect: DialectName, body: bytes) -> None:
    """The answer is read, at once and in random pieces."""
    for pieces in ([body], scattered(body, 1)):
        check_hello((await heard_of(dialect, Raw(pieces)))[0])


async def calls_of(dialect: DialectName, said: Said) -> tuple[Any, ...]:
    """The calls of a whole answer."""
    heard, _ = await heard_of(dialect, raw(dialect, said))
    assert heard.reply, heard.error
    return heard.reply.tool_calls


# --- bytes -----------------------------------------------------------------------------------------


async def test_24_lines_may_end_in_a_carriage_return(dialect: DialectName) -> None:
    await reads_hello(dialect, hello(dialect, b"\r"))


async def test_25_lines_may_end_in_a_line_feed(dialect: DialectName) -> None:
    await reads_hello(dialect, hello(dialect))


async def test_26_lines_may_end_in_both(dialect: DialectName) -> None:
    await reads_hello(dialect, hello(dialect, b"\r\n"))


async def test_27_a_byte_order_mark_is_no_part_of_the_answer(dialect: DialectName) -> None:
    await reads_hello(dialect, b"\xef\xbb\xbf" + hello(dialect))


async def test_28_comments_and_unknown_fields_say_nothing(dialect: DialectName) -> None:
    noise = b"\n\n" if dialect in LINES else b": hello\n\n:\nid: 1\nretry: 5\nweird: field\n\n"
    await reads_hello(dialect, with_noise(dialect, noise))


async def test_29_an_event_may_be_split_over_lines(dialect: DialectName) -> None:
    """Where events are lines, they are split over reads instead."""
    body = hello(dialect)
    if dialect not in LINES:
        body = body.replace(b'": ', b'":\ndata: ')
    await reads_hello(dialect, body)
    check_hello((await heard_of(dialect, Raw([bytes([byte]) for byte in body])))[0])


async def test_30_a_nul_is_a_character_in_a_text_and_no_event_elsewhere(dialect: DialectName) -> None:
    heard, _ = await heard_of(dialect, raw(dialect, Said("a\0b")))
    assert heard.reply and heard.reply.text == "a\0b"
    if dialect not in LINES:
        await reads_hello(dialect, with_noise(dialect, b"weird: \0\n: \0\n\n"))
    torn = hello(dialect).replace("ü".encode(), b"\0")  # which JSON forbids
    heard, _ = await heard_of(dialect, Raw([torn]), Failure(400, "over"))
    assert heard.reply is None and heard.error


# --- calls -----------------------------------------------------------------------------------------


async def test_31_calls_with_the_same_id_are_two_calls_with_two_results(dialect: DialectName) -> None:
    twice = [("c1", "read", '{"value":"a"}'), ("c1", "read", '{"value":"b"}')]
    again = [("c1", "read", '{"value":"c"}')]
    answers = [raw(dialect, Said("", calls)) for calls in (twice, again)]
    ran = await run_with(dialect, [*answers, raw(dialect, Said("done"))])
    assert ran.ended == "end_turn"
    assert sorted(call["value"] for call in ran.done) == ["a", "b", "c"]
    results = [message for message in ran.state.transcript if isinstance(message, ToolResult)]
    assert len({result.call_id for result in results}) == 3


async def test_32_calls_without_ids_get_one_each(dialect: DialectName) -> None:
    calls = await calls_of(dialect, Said(calls=[("", "f", "{}"), ("", "f", '{"n":1}')]))
    ids = {call.call_id for call in calls}
    assert (len(ids), "" in ids) == (2, False)


async def test_33_indexes_may_jump(dialect: DialectName) -> None:
    said = Said("so", calls=[("a", "f", '{"n":1}'), ("b", "g", '{"n":2}'), ("c", "f", "{}")], step=7)
    calls = await calls_of(dialect, said)
    assert [(call.call_id, call.name, call.arguments) for call in calls] == [
        ("a", "f", {"n": 1}), ("b", "g", {"n": 2}), ("c", "f", {})
    ]  # fmt: skip


@pytest.mark.parametrize("why", ["the limit", "nothing"])
async def test_34_arguments_that_are_cut_off_are_never_run(dialect: DialectName, why: str) -> None:
    cut = [("c", "read", '{"value": "/tmp'), ("d", "read", '{"value": "/tmp')]
    finish = LENGTHS[dialect] if why == "the limit" else ""
    calls = await calls_of(dialect, Said("so", cut, finish=finish))
    assert len(calls) == 2
    assert all(call.malformed and call.arguments == {} for call in calls)
    answers = [raw(dialect, Said("so", cut, finish=finish)), raw(dialect, Said("done"))]
    ran = await run_with(dialect, answers)
    assert (ran.ended, ran.done) == ("end_turn", [])


async def never_run(dialect: DialectName, arguments: str) -> None:
    """The model is told that these arguments are no object, and its tool does not run."""
    said = Said(calls=[("c", "read", arguments)])
    (call,) = await calls_of(dialect, said)
    assert call.malformed and call.arguments == {}
    ran = await run_with(dialect, [raw(dialect, said), raw(dialect, Said("I see"))])
    assert (ran.ended, ran.done) == ("end_turn", [])
    (result,) = (message for message in ran.state.transcript if isinstance(message, ToolResult))
    assert result.is_error


async def test_35_arguments_that_are_a_text_are_never_run(dialect: DialectName) -> None:
    await never_run(dialect, '"text"')


async def test_36_arguments_that_are_a_list_are_never_run(dialect: DialectName) -> None:
    await never_run(dialect, "[1]")
    await never_run(dialect, "7")


@pytest.mark.parametrize("arguments", ["null", "", "{}"])
async def test_37_no_arguments_are_none(dialect: DialectName, arguments: str) -> None:
    (call,) = await calls_of(dialect, Said(calls=[("c", "f", arguments)]))
    assert (call.arguments, call.malformed) == ({}, "")


async def test_38_a_call_of_five_megabytes_arrives_whole(dialect: DialectName) -> None:
    large = "ü" * 2_500_000
    (call,) = await calls_of(dialect, Said(calls=[("c", "write", '{"text":"' + large + '"}')]))
    assert call.arguments == {"text": large}


async def test_39_a_call_of_an_unknown_tool_is_reported_to_the_model(dialect: DialectName) -> None:
    unknown = raw(dialect, Said("", [("c", "teleport", "{}")]))
    ran = await run_with(dialect, [unknown, raw(dialect, Said("I see"))])
    assert (ran.ended, ran.done) == ("end_turn", [])
    (result,) = (message for message in ran.state.transcript if isinstance(message, ToolResult))
    assert result.is_error and "teleport" in result.text


async def test_40_text_a_call_and_a_refusal_in_one_answer_are_all_reported(dialect: DialectName) -> None:
    said = Said("Well. ", [("c", "read", '{"value":"a"}')], refusal="I cannot do that.")
    heard, _ = await heard_of(dialect, raw(dialect, said))
    assert heard.reply and heard.reply.text.startswith("Well. ")
    (call,) = heard.reply.tool_calls
    assert (call.arguments, call.malformed) == ({"value": "a"}, "")
    begun = raw(dialect, Said("Well. ", [("c", "read", "")], refusal="I cannot do that."))
    heard, _ = await heard_of(dialect, begun)
    assert heard.reply
    (call,) = heard.reply.tool_calls
    assert bool(call.malformed) == (dialect in REFUSED_INSIDE)


# --- usage and the end -----------------------------------------------------------------------------


async def usage_is_unknown(dialect: DialectName, usage: Any) -> None:
    """An answer with such a usage is an answer, and what it used and cost is unknown, not zero."""
    heard, _ = await heard_of(dialect, raw(dialect, Said("hi", usage=usage)))
    assert heard.reply and heard.reply.text == "hi"
    assert (heard.reply.usage.input_tokens, heard.reply.usage.output_tokens) == (None, None)
    assert heard.reply.cost is None


@pytest.mark.parametrize("usage", [None, (None, None), ("many", []), (True, {})])
async def test_41_usage_that_is_missing_is_unknown(dialect: DialectName, usage: Any) -> None:
    await usage_is_unknown(dialect, usage)


async def test_42_usage_below_zero_is_unknown(dialect: DialectName) -> None:
    await usage_is_unknown(dialect, (-1, -5))


async def test_43_usage_beyond_belief_is_unknown(dialect: DialectName) -> None:
    await usage_is_unknown(dialect, (1e30, 10**12))


async def test_44_an_unknown_reason_to_end_is_an_end(dialect: DialectName) -> None:
    heard, _ = await heard_of(dialect, raw(dialect, Said("done", finish="brand_new")))
    assert heard.reply and heard.reply.text == "done"
    assert heard.reply.finish == ("length" if dialect == "responses" else "stop")


@pytest.mark.parametrize("provider", OVERFLOWS)
async def test_45_a_context_overflow_is_reported_with_its_numbers(
    dialect: DialectName, provider: str
) -> None:
    for case in OVERFLOWS[provider]:
        body = case.body if isinstance(case.body, str) else json.dumps(case.body)
        heard, server = await heard_of(dialect, Raw([body.encode()], case.status))
        assert heard.overflow, heard.error
        assert (heard.overflow.limit, heard.overflow.used) == (case.limit, case.used)
        assert (heard.waits, len(server.posts)) == ([], 1)


async def test_45_an_overflow_that_the_server_does_not_name_is_recognised(dialect: DialectName) -> None:
    for finish in ("", LENGTHS[dialect]):
        nothing = raw(dialect, Said("", usage=(8_190, 0), finish=finish))
        heard, _ = await heard_of(dialect, nothing, context_window=8_192)
        assert isinstance(heard.overflow, Overflowed), heard.reply
        assert (heard.overflow.limit, heard.overflow.used) == (8_192, 8_190)
    words = raw(dialect, Said("all is well", usage=(8_190, 0)))
    heard, _ = await heard_of(dialect, words, context_window=8_192)
    assert heard.reply and heard.reply.text == "all is well"
