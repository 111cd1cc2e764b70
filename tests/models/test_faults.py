"""What can go wrong in every dialect beside the catalogue of `README.md`."""

import gzip

import pytest

from agls.engine.vocabulary import AssistantMessage
from agls.models.endpoint import DialectName
from support.model_dialects import LENGTHS, Said
from support.model_faults import HELLO, KEY, check_hello, heard_of, raw, run_with
from support.model_replies import Failure, Raw


async def test_an_answer_is_read(dialect: DialectName) -> None:
    check_hello((await heard_of(dialect, raw(dialect)))[0])


@pytest.mark.parametrize(
    ("status", "headers", "kind", "tried"),
    [
        (500, {"x-should-retry": "false"}, "providerInternal", 1),
        (402, {}, "quota", 1),
        (400, {}, "badRequest", 1),
    ],
)
async def test_refusal_is_reported_as_a_refusal(
    dialect: DialectName, status: int, headers: dict[str, str], kind: str, tried: int
) -> None:
    heard, server = await heard_of(dialect, *[Failure(status, "no", headers=headers)] * 3, api_key=KEY)
    assert heard.error and (heard.error.kind, heard.error.status) == (kind, status)
    assert heard.error.hint
    assert (len(server.posts), len(heard.waits)) == (tried, tried - 1)


async def test_a_compressed_answer_is_read(dialect: DialectName) -> None:
    body = gzip.compress(b"".join(HELLO.events(dialect)))
    check_hello(
        (await heard_of(dialect, Raw([body[:20], body[20:]], headers={"Content-Encoding": "gzip"})))[0]
    )


async def test_a_call_that_gemini_left_open_is_no_call_although_it_says_stop() -> None:
    part = b'data: {"candidates":[{"content":{"parts":[{"functionCall":%s}]}%s}]}\n\n'
    begun = part % (b'{"name":"rm","willContinue":true}', b"")
    piece = b'{"partialArgs":[{"jsonPath":"$.path","stringValue":"/"}],"willContinue":true}'
    heard, _ = await heard_of("gemini", Raw([begun, part % (piece, b',"finishReason":"STOP"')]), Failure(400))
    assert heard.reply is None
    assert heard.waits and "broke off" in heard.waits[0].cause


async def test_an_answer_that_reached_its_limit_says_so(dialect: DialectName) -> None:
    heard, _ = await heard_of(dialect, raw(dialect, Said("half", finish=LENGTHS[dialect])))
    assert heard.reply and (heard.reply.text, heard.reply.finish) == ("half", "length")


async def test_a_character_cut_in_two_is_whole_for_user_tool_and_model(dialect: DialectName) -> None:
    """Its halves come in two events, as escapes: of the text, and of the arguments of a call."""
    halves = r'{"path":"' + "\ud83d\ude00" + '"}'
    said = Said("1234567\ud83d\ude00 done", [("c1", "read", halves)])
    ran = await run_with(dialect, [raw(dialect, said), raw(dialect, Said("ok"))])
    assert (ran.ended, list(ran.done)) == ("end_turn", [{"path": "😀"}])
    (answer, *_) = [message for message in ran.state.transcript if isinstance(message, AssistantMessage)]
    assert answer.text == "1234567😀 done"
    again = ran.server.posts[1].content.decode()
    assert again.count("😀") + again.lower().count(r"\ud83d\ude00") == 2
    assert "?" not in again.replace("?alt", "")
