"""The judge of `support/pairing.py` finds what servers refuse, and nothing in a sound conversation."""

from collections.abc import Sequence

import pytest

from agls.engine.vocabulary import AssistantMessage, Message, Text, ToolCall, ToolResult, UserMessage
from support.model_dialects import DIALECTS
from support.pairing import broken_rules

USER = UserMessage("u", (Text("look"),))
CALLS = AssistantMessage("a1", "Reading.", "", (ToolCall("c1", "read", {}), ToolCall("c2", "list", {})))
ONE, TWO = ToolResult("c1", "read", "first"), ToolResult("c2", "list", "second")
SAID = AssistantMessage("a2", "It says first.")
SOUND: tuple[Message, ...] = (USER, CALLS, ONE, TWO, SAID)


def test_a_sound_conversation_breaks_no_rule() -> None:
    assert list(broken_rules(SOUND)) == []
    assert list(broken_rules((*SOUND, USER), asking=True)) == []
    assert list(broken_rules(SOUND[:4], asking=True)) == []


@pytest.mark.parametrize(
    "messages",
    [
        (USER, CALLS, ONE, SAID),
        (USER, CALLS, SAID),
        (USER, CALLS, USER, SAID),
        (USER, CALLS, ONE, TWO, TWO, SAID),
        (USER, CALLS, TWO, ONE, SAID),
        (USER, CALLS, ONE, SAID, TWO, USER),
        (USER, ONE, TWO, SAID),
        (USER, SAID, SAID),
        (SAID, USER),
    ],
)
def test_unpaired_calls_and_results_are_found_in_every_dialect(messages: Sequence[Message]) -> None:
    found = {problem.partition(":")[0] for problem in broken_rules(messages)}
    assert found == set(DIALECTS)


@pytest.mark.parametrize("messages", [SOUND, SOUND[:2], ()])
def test_there_must_be_something_to_answer(messages: Sequence[Message]) -> None:
    found = {problem.partition(":")[0] for problem in broken_rules(messages, asking=True)}
    assert found == set(DIALECTS)
