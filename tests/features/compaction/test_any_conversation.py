"""Any conversation, shortened for any reason, any number of times."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.engine.context import shortened
from agls.engine.facts import Compacted
from agls.engine.vocabulary import AssistantMessage, Message, Text, ToolCall, ToolResult, UserMessage
from agls.features.compaction.compactor import Compactor, Need
from agls.features.compaction.settings import Settings
from agls.features.compaction.sizes import sum_of, tokens_in
from support.scenario import FakeModel, Part, overflow, paired, say

sizes = st.sampled_from([0, 1, 40, 300, 2_000, 20_000])
rounds = st.tuples(st.integers(0, 3), sizes, st.lists(sizes, max_size=4))  # user messages, reply, results
summaries: list[list[Part]] = [say("short"), say(""), overflow(), say("s" * 30_000)]


async def allowed() -> bool:
    return True


def conversation(made: Sequence[tuple[int, int, list[int]]]) -> tuple[Message, ...]:
    """What these numbers say, with a prompt in front."""
    messages: list[Message] = [UserMessage("first", (Text("the task"),))]
    for number, (asides, said, results) in enumerate(made):
        calls = tuple(ToolCall(f"c{number}_{n}", "look", {}) for n in range(len(results)))
        messages += [UserMessage(f"u{number}_{n}", (Text("u" * said),)) for n in range(asides)]
        messages.append(AssistantMessage(f"a{number}", "a" * said, tool_calls=calls))
        messages += [ToolResult(f"c{number}_{n}", "look", "r" * size) for n, size in enumerate(results)]
    return tuple(messages)


@pytest.mark.row(28)
@settings(max_examples=150, deadline=None)
@given(
    made=st.lists(rounds, min_size=1, max_size=12),
    window=st.integers(200, 20_000),
    needs=st.lists(
        st.tuples(st.booleans(), st.sampled_from(range(4)), st.booleans()), min_size=1, max_size=4
    ),
)
def test_every_result_keeps_its_call(
    made: list[tuple[int, int, list[int]]], window: int, needs: list[tuple[bool, int, bool]]
) -> None:
    """Whatever is cut and however often, every result has its call and every call its results."""
    messages, tiny = conversation(made), False
    first, last = messages[0], messages[-1]
    for pressing, summary, ask in needs:
        now = tokens_in(sum_of(messages))
        need = Need("overflow" if pressing else "threshold", now, min(window, max(now * 4 // 5, 1)), pressing)
        tiny = tiny or need.most < 50  # then there is no room even for three words
        writer = FakeModel([summaries[summary]] * 3)
        making = Compactor(writer, Settings(), lambda used: None, allowed, lambda why: None)
        for fact in asyncio.run(making.room(messages, need, ask=ask)):
            assert fact.tokens_after <= fact.tokens_before
            before, messages = messages, shortened(messages, fact)
            assert sum_of(messages) <= sum_of(before)
            assert paired(messages)
            if isinstance(fact, Compacted):
                assert fact.item_id in [m.item_id for m in messages if isinstance(m, UserMessage)]
        assert tiny or messages[0] == first
        assert type(messages[-1]) is type(last)
