"""Answers of the chat-completions dialect: one small fixture for each quirk of a server."""

import json
from typing import Any

import pytest

from agls.engine.facts import Overflowed, Replied, TextDelta, ThinkingDelta
from agls.engine.vocabulary import ToolCall, Usage
from agls.models.dialects.chat import ChatAnswerReader
from agls.models.endpoint import Endpoint
from agls.models.errors import CallFailed, Failure
from agls.models.http.sse import ServerEvent
from agls.models.prices import Prices

ENDPOINT = Endpoint(
    name="m", model="model-1", base_url="https://host.example/v1", prices=Prices(1.0, 10.0, 0.5)
)


def answer(*chunks: Any) -> ChatAnswerReader:
    made = ChatAnswerReader("item_1", ENDPOINT)
    for chunk in chunks:
        if isinstance(chunk, ServerEvent):
            made.take(chunk)
        else:
            made.take(ServerEvent("", chunk if isinstance(chunk, str) else json.dumps(chunk)))
    return made


def choice(delta: Any = None, finish: Any = None, **more: Any) -> Any:
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish, **more}]}


STOP = choice(finish="stop")


def said(*chunks: Any) -> tuple[str, str]:
    deltas = answer(*chunks).deltas(final=True)
    thinking = "".join(delta.text for delta in deltas if isinstance(delta, ThinkingDelta))
    return "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)), thinking


def reply(*chunks: Any) -> Replied:
    made = answer(*chunks)
    made.deltas(final=True)
    return made.reply()


def test_deltas_of_one_read_are_joined_by_kind_in_order() -> None:
    think, say = choice({"reasoning_content": "hm"}), choice({"content": "so"})
    made = answer(think, think, say, say, think).deltas()
    assert [(type(delta), delta.text) for delta in made] == [
        (ThinkingDelta, "hmhm"),
        (TextDelta, "soso"),
        (ThinkingDelta, "hm"),
    ]


@pytest.mark.parametrize("choices", [[], None])
def test_chunks_without_choices_are_fine(choices: Any) -> None:
    bare = {"choices": choices, "id": "", "prompt_filter_results": []}
    assert reply(bare, {}, choice({"content": "x"}), bare, STOP, bare).text == "x"


def test_only_the_first_choice_is_read() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "no"}}, {"index": 0, "delta": {"content": "yes"}}]}
    assert reply(other, STOP).text == "yes"


def test_text_that_comes_with_the_finish_and_a_second_finish_are_taken() -> None:
    assert reply(choice({"content": "a"}), choice({"content": "b"}, "stop"), STOP, "[DONE]").text == "ab"


def test_an_empty_finish_reason_is_no_end() -> None:
    with pytest.raises(CallFailed, match="broke off"):
        reply(choice({"content": "a"}, ""), choice({"content": "b"}))


def test_done_alone_is_enough_and_nothing_after_it_counts() -> None:
    assert reply(choice({"content": "a"}), "[DONE]", choice({"content": "b"})).text == "a"


def test_an_answer_without_a_word_is_not_whole() -> None:
    with pytest.raises(CallFailed, match="empty answer") as caught:
        reply()
    assert "context length" in caught.value.hint
    assert not caught.value.failure.is_retryable


def test_an_empty_answer_that_was_finished_is_legal() -> None:
    assert reply(STOP).text == ""


@pytest.mark.parametrize(
    ("delta", "thinking"),
    [
        ({"reasoning_content": "a", "reasoning": "a", "reasoning_details": [{"text": "a"}]}, "a"),
        ({"reasoning": "b"}, "b"),
        ({"reasoning_details": [{"type": "reasoning.summary", "summary": "c"}]}, "c"),
        ({"reasoning_details": [{"type": "reasoning.encrypted", "data": "zz"}]}, ""),
        ({"reasoning": None, "reasoning_details": None}, ""),
        ({"reasoning": {"text": "not text"}}, ""),
    ],
)
def test_reasoning_is_taken_from_one_place(delta: Any, thinking: str) -> None:
    assert said(choice(delta)) == ("", thinking)


def test_content_may_be_a_list_of_parts_and_then_a_string() -> None:
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]},
        {"type": "text", "text": "a"},
    ]
    assert said(choice({"content": parts}), choice({"content": "b"})) == ("ab", "hm")


def test_a_leading_think_block_in_the_text_is_thinking() -> None:
    assert said(choice({"content": "<thi"}), choice({"content": "nk>why</think>\n\nso"})) == ("so", "why")


def test_a_character_cut_in_two_is_joined_and_a_lone_half_is_replaced() -> None:
    made = answer(choice({"content": "\ud83d"}))
    assert made.deltas() == []
    made.take(ServerEvent("", json.dumps(choice({"content": "\ude00\ud83d"}))))
    assert made.deltas() == [TextDelta("item_1", "😀")]
    assert made.deltas(final=True) == [TextDelta("item_1", "\ufffd")]


def test_refusal_is_shown_and_reported() -> None:
    refused = reply(choice({"refusal": "I cannot"}), choice({"refusal": " do it."}), STOP)
    assert (refused.text, refused.finish) == ("I cannot do it.", "refusal")


@pytest.mark.parametrize(
    ("finish", "told"),
    [("stop", "stop"), ("eos", "stop"), ("length", "length"), ("MAX_TOKENS", "length"), ("brand_new", "stop"),
     ("content_filter", "content_filter"), ("tool_calls", "stop")],
)  # fmt: skip
def test_every_finish_reason_has_a_meaning(finish: str, told: str) -> None:
    assert reply(choice({"content": "x"}, finish)).finish == told


def call(arguments: str) -> Any:
    return choice(
        {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": arguments}}]}
    )


def test_tools_were_called_when_there_are_calls_whatever_the_finish_says() -> None:
    made = reply(call("{}"), STOP)
    assert (made.finish, made.tool_calls) == ("tool_calls", (ToolCall("c", "f", {}),))


def test_a_call_that_was_cut_off_by_the_limit_is_malformed() -> None:
    made = reply(call('{"a": 1'), choice(finish="length"))
    assert made.finish == "tool_calls"
    assert made.tool_calls[0].malformed == '[cut off by the output limit] {"a": 1'


def test_the_old_function_call_is_a_call_and_an_empty_one_is_filler() -> None:
    first, second = (
        {"function_call": part} for part in ({"name": "f", "arguments": "{"}, {"arguments": "}"})
    )
    assert reply(choice(first), choice(second), choice(finish="function_call")).tool_calls[0].name == "f"
    filler = {
        "message": {"content": "4", "function_call": {"name": "", "arguments": ""}},
        "finish_reason": "",
    }
    assert reply({"choices": [filler]}).tool_calls == ()


def test_a_whole_completion_needs_no_finish_reason() -> None:
    whole = {"choices": [{"message": {"content": "x", "tool_calls": None}}], "usage": {"prompt_tokens": 3}}
    assert (reply(whole).text, reply(whole).usage) == ("x", Usage(input_tokens=3))


def test_the_last_usage_wins_and_null_erases_nothing() -> None:
    counts = [{"prompt_tokens": 5, "completion_tokens": n} for n in (1, 2)]
    made = reply(
        {"usage": counts[0]}, {"x_groq": {"usage": counts[1]}}, {"usage": None}, {"usage": "?"}, STOP
    )
    assert made.usage == Usage(5, 2)
    assert made.cost == pytest.approx((5 * 1.0 + 2 * 10.0) / 1e6)


def test_usage_that_never_came_is_unknown_and_so_is_the_cost() -> None:
    made = reply(STOP)
    assert (made.usage, made.cost) == (Usage(), None)


@pytest.mark.parametrize(
    "bad",
    [
        {"error": {"message": "it broke", "code": 502}, "choices": []},
        {"error": "it broke"},
        {"object": "error", "message": "it broke"},
        ServerEvent("error", '{"error": {"message": "it broke"}}'),
        ServerEvent("error", '{"message": "it broke", "code": 500}'),
    ],
)
def test_error_in_the_stream_is_reported_and_earlier_text_is_kept(bad: Any) -> None:
    made = answer(choice({"content": "so far"}), bad, choice({"content": " no more"}), "[DONE]")
    assert made.deltas(final=True) == [TextDelta("item_1", "so far")]
    assert isinstance(made.failure, Failure)
    assert made.failure.kind == "providerInternal"
    assert "it broke" in made.failure.message


def test_an_overflow_in_the_stream_is_an_overflow() -> None:
    text = (
        "Trying to keep the first 9000 tokens when context the overflows. context length of only 4096 tokens"
    )
    assert answer({"error": text}).failure == Overflowed(text, 4096, 9000)


@pytest.mark.parametrize(
    ("data", "kind", "is_retryable"),
    [
        ("<html>", "network", False),
        (ServerEvent("", '{"choices": [', ended=False), "network", True),
        ('{"choices": [', "providerInternal", True),
        ("what?", "providerInternal", True),
    ],
)
def test_answer_that_is_no_json_fails_with_the_kind_that_fits(
    data: str | ServerEvent, kind: str, is_retryable: bool
) -> None:
    failure = answer(data).failure
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.is_retryable) == (kind, is_retryable)


def test_event_that_is_no_json_is_shown_around_its_mistake() -> None:
    failure = answer('{"choices": [' + "1, " * 100 + "oops]}").failure
    assert isinstance(failure, Failure)
    assert "sent an event that is no JSON: …" in failure.message
    assert "1, 1, oops]}" in failure.message


@pytest.mark.parametrize("odd", ["", "[1, 2]", "3", {"choices": "?"}, {"choices": [3, {"delta": []}]}])
def test_meaningless_json_changes_nothing(odd: Any) -> None:
    assert reply(odd, choice({"content": "x"}), STOP).text == "x"


def test_an_answer_that_is_whole_stays_whole_when_its_tail_is_torn() -> None:
    assert reply(choice({"content": "x"}, "stop"), '{"usage": {"prompt').text == "x"


def test_reasoning_details_are_kept_to_be_sent_back_joined_piece_by_piece() -> None:
    def details(**more: Any) -> Any:
        return choice({"reasoning_details": [{"type": "reasoning.text", "index": 0, **more}]})

    encrypted = {"type": "reasoning.encrypted", "index": 1, "data": "zz"}
    made = reply(
        details(text="a"), details(text="b", signature=None), details(text="", signature="s"),
        choice({"reasoning_details": [encrypted]}), STOP,
    )  # fmt: skip
    whole = {"type": "reasoning.text", "index": 0, "text": "ab", "signature": "s"}
    assert made.opaque == {"model": "host.example/model-1", "reasoning_details": [whole, encrypted]}
    assert made.thinking == "ab"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
def test_plain_reasoning_is_sent_back_in_the_field_it_came_in(field: str) -> None:
    thought = choice({field: "hm"})
    assert reply(thought, STOP).opaque["reasoning_field"] == field
    assert reply(thought, call("{}"), STOP).opaque["reasoning_field"] == field
    assert reply(choice({"content": "Hi."}), STOP).opaque == {}


def test_thought_signatures_of_calls_and_messages_are_kept() -> None:
    extra = {"google": {"thought_signature": "sig"}}
    signed = {"index": 1, "id": "d", "function": {"name": "g"}, "extra_content": extra}
    made = reply(call("{}"), choice({"tool_calls": [signed], "extra_content": extra}), STOP)
    assert made.opaque["calls"] == [{}, extra]
    assert made.opaque["extra_content"] == extra
