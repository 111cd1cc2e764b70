"""Tool calls from fragments, in all the ways servers send them."""

from typing import Any

import pytest

from agls.engine.vocabulary import ToolCall
from agls.models.dialects.tool_calls import CUT_OFF, ToolCalls

DEEP = '{"a":' + "[" * 200 + "]" * 200 + "}"  # nobody could show it: every event of the call would be lost


def fragment(index: int | None = None, id: Any = None, name: Any = None, arguments: Any = None) -> Any:
    function = {"name": name, "arguments": arguments}
    return {"index": index, "id": id, "function": {k: v for k, v in function.items() if v is not None}}


def calls(*fragments: Any, cut: bool = False) -> tuple[ToolCall, ...]:
    taken = ToolCalls()
    for one in fragments:
        taken.take(one)
    return taken.finished(cut=cut)


def test_fragments_of_one_index_are_one_call_and_empty_ids_and_names_change_nothing() -> None:
    made = calls(
        fragment(0, "a", "read", '{"pa'), fragment(0, "", "", 'th": '), fragment(0, None, None, '"x"}')
    )
    assert made == (ToolCall("a", "read", {"path": "x"}),)


def test_a_repeated_name_is_not_appended() -> None:
    assert calls(fragment(0, "a", "read", "{"), fragment(0, "a", "read", "}")) == (ToolCall("a", "read", {}),)


def test_indexes_may_start_at_one_and_interleave() -> None:
    made = calls(
        fragment(2, "b", "two"),
        fragment(1, "a", "one"),
        fragment(2, arguments="{}"),
        fragment(1, arguments="{}"),
    )
    assert [call.name for call in made] == ["two", "one"]


def test_without_an_index_a_name_begins_a_new_call() -> None:
    made = calls(
        fragment(None, "a", "one", '{"x"'), fragment(None, None, "", ":1}"), fragment(None, "b", "two", "{}")
    )
    assert made == (ToolCall("a", "one", {"x": 1}), ToolCall("b", "two", {}))


def test_without_an_index_a_known_id_goes_on_with_its_call() -> None:
    made = calls(
        fragment(None, "a", "one", "{"), fragment(None, "b", "two", "{}"), fragment(None, "a", "one", "}")
    )
    assert made == (ToolCall("a", "one", {}), ToolCall("b", "two", {}))


def test_the_same_index_with_a_new_id_and_a_name_is_a_new_call() -> None:
    made = calls(fragment(0, "a", "one", "{}"), fragment(0, "b", "one", '{"n": 2}'))
    assert made == (ToolCall("a", "one", {}), ToolCall("b", "one", {"n": 2}))


def test_an_id_that_comes_late_is_taken() -> None:
    assert calls(fragment(0, "", "one"), fragment(0, "late"))[0].call_id == "late"


def test_a_call_without_an_id_gets_one_of_its_own() -> None:
    first, second = calls(fragment(0, "", "one"), fragment(1, None, "one"))
    assert first.call_id and second.call_id and first.call_id != second.call_id


@pytest.mark.parametrize("arguments", [None, "", "null", "{}", {}])
def test_no_arguments_mean_an_empty_object(arguments: Any) -> None:
    assert calls(fragment(0, "a", "one", arguments)) == (ToolCall("a", "one", {}),)


def test_arguments_may_be_an_object() -> None:
    assert calls(fragment(0, "a", "one", {"x": [1]})) == (ToolCall("a", "one", {"x": [1]}),)


@pytest.mark.parametrize("raw", ['{"a":', "[1]", '"text"', "{'a': 1}", '{"a": NaN}', "[" * 100_000, DEEP])
def test_arguments_without_a_json_object_are_kept_unchanged(raw: str) -> None:
    assert calls(fragment(0, "a", "one", raw)) == (ToolCall("a", "one", {}, raw),)


def test_half_characters_in_arguments_become_something_that_can_be_saved() -> None:
    made = calls(fragment(0, "a", "one", r'{"x": "\ud83d\ude00 \ud83d"}'))
    assert made[0].arguments == {"x": "😀 \ufffd"}


@pytest.mark.parametrize("high", ["\ud83d", r"\ud83d"])
@pytest.mark.parametrize("low", ["\ude00", r"\ude00"])
def test_a_character_cut_in_two_between_pieces_of_arguments_is_whole(high: str, low: str) -> None:
    made = calls(fragment(0, "a", "one", f'{{"x": "{high}'), fragment(0, arguments=f'{low} \ud83d"}}'))
    assert made == (ToolCall("a", "one", {"x": "😀 \ufffd"}),)
    broken = calls(fragment(0, "a", "one", f'{{"x": "{high}'))
    broken[0].malformed.encode()


@pytest.mark.parametrize("raw", ["", '{"path": "a.p'])
def test_the_last_call_of_a_cut_answer_is_never_run_incomplete(raw: str) -> None:
    whole, cut = calls(fragment(0, "a", "one", "{}"), fragment(1, "b", "two", raw), cut=True)
    assert whole == ToolCall("a", "one", {})
    assert cut == ToolCall("b", "two", {}, f"{CUT_OFF} {raw}")


def test_a_whole_last_call_of_a_cut_answer_is_run() -> None:
    assert calls(fragment(0, "a", "one", '{"x": 1}'), cut=True) == (ToolCall("a", "one", {"x": 1}),)


def test_empty_call_fragment_is_no_call() -> None:
    assert calls(fragment(0, "a", "", ""), {"index": 1}) == ()
