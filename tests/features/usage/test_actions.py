"""What was used and what fills the context, as the user is told."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agls.engine.actions import ActionContext, ActionOutcome
from agls.engine.context import Context
from agls.engine.facts import Admitted
from agls.engine.limits import Totals
from agls.engine.ports import ModelError, ModelInfo, ModelRequest, ToolSpec
from agls.engine.state import State
from agls.engine.vocabulary import (
    AssistantMessage,
    Image,
    Resource,
    Text,
    TokenCount,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from agls.features.instructions.prompt import Sources, render
from agls.features.usage.actions import actions
from agls.features.usage.feature import build
from agls.features.usage.kinds import IMAGE, MEMORY, shares
from agls.features.usage.settings import Settings
from agls.instruction_files import FittedText, InstructionText
from support.scenario import NOWHERE
from support.toolbox import Toolbox


async def do(name: str, state: State, model: Any = None) -> ActionOutcome:
    action = next(action for action in actions() if action.spec.name == name)

    request = ModelRequest("r", state.context.system, state.context.messages)
    return await action({}, context_of(state, model, request))


def context_of(state: State, model: Any, request: ModelRequest) -> ActionContext:
    """What an action works on whose next request is this one."""

    def resolve() -> Any:
        if model is None:
            raise ModelError("No model is configured.", kind="modelNotFound")
        return model

    async def next_request() -> ModelRequest:
        return request

    return ActionContext("ses", state, NOWHERE, _ignore, _ignore, _never, _ignore, resolve, next_request)


class FakeCounter:
    """A model that counts."""

    def __init__(self, sure: Any, window: int | None) -> None:
        self.info, self._sure = ModelInfo("small", context_window=window), sure

    async def count(self, request: ModelRequest) -> TokenCount:
        return TokenCount(2_000, self._sure)


@pytest.mark.row(24)
@pytest.mark.parametrize(
    ("sure", "window", "words"),
    [
        ("told", 8_000, "small: 2,000 tokens of 8,000 (25%); counted by the server."),
        ("calibrated", None, "of a context whose size is not known; estimated from"),
        ("guess", 8_000, "a guess, a third more or less."),
    ],
)
async def test_the_meter_says_how_sure_it_is(sure: Any, window: int | None, words: str) -> None:
    """Counted, estimated or guessed, and of how much."""
    told = await do("context", State(), FakeCounter(sure, window))
    assert words in told.text
    assert told.data
    assert {key: told.data[key] for key in ("tokens", "sure", "window")} == {
        "tokens": 2_000, "sure": sure, "window": window
    }  # fmt: skip


async def test_context_without_a_model_says_that_tokens_are_unknown() -> None:
    told = await do("context", State())
    assert "The tokens are not known: No model is configured." in told.text
    assert told.data and "tokens" not in told.data


def _ignore(*told: object) -> None:
    raise AssertionError("nothing is noted or shown")


async def _never(content: object) -> str:
    raise AssertionError


async def test_usage_has_words_and_numbers() -> None:
    run = Totals(turns=1).spent(Usage(100, 20), 0.25)
    tools = Toolbox(build(Settings()), NOWHERE)
    assert (await tools.act("usage")).text == "No run began in this session yet."
    tools.state = State(
        admitted=Admitted("run_1", "p", ()), total=run.spent(Usage(), None), run=run, used_by={"loop": run}
    )
    told = await tools.act("usage")
    assert told.text == (
        "Session: 1 turn, 0 tool calls, 100 tokens in, 20 out, cost unknown.\n\n"
        "Last run: 1 turn, 0 tool calls, 100 tokens in, 20 out, $0.2500."
    )
    assert told.data
    assert told.data["by"]["loop"] == told.data["run"]
    assert told.data["session"]["costUsd"] is None


@pytest.mark.row(23)
async def test_context_is_split_by_kind_and_sums_to_the_whole() -> None:
    """The kinds sum to the whole."""
    messages = (
        UserMessage("1", (Text("1234"), Resource("file:///a", "56"), Image("aGk=", "image/png"))),
        UserMessage("2", (Text("123"),), "instructions"),
        AssistantMessage("3", "12", "1", (ToolCall("c", "ls", {}),)),
        ToolResult("c", "ls", "12345"),
    )
    told = await do("context", State(context=Context(system="S" * 10, messages=messages)))
    assert told.data == {
        "characters": 31 + IMAGE,
        "byKind": {
            "system": 10, "memory": 0, "tools": 0, "user": 6, "assistant": 2, "thinking": 1, "calls": 4,
            "results": 5, "images": IMAGE, "instructions": 3,
        },
    }  # fmt: skip
    assert sum(told.data["byKind"].values()) == told.data["characters"]
    assert "| results | 5 | 0% |" in told.text
    assert "| system | 0 | 0% |" in (await do("context", State())).text


@pytest.mark.row(23)
async def test_the_tokens_by_kind_are_together_those_of_the_request() -> None:
    """With tools, memory files and what is free; whatever the numbers, the sum is exact."""
    rhymes = InstructionText("own.md", "Answer in rhymes.", "user")
    tabs = InstructionText("AGENTS.md", "Use tabs. " * 40, "project")
    said = render(Sources(), [FittedText(each, each.text) for each in (rhymes, tabs)])
    tool = ToolSpec("look", "Look at something.", {"type": "object"}, frozenset())
    words = (UserMessage("1", (Text("word " * 33),)),)

    for window in (8_000, None):
        model = FakeCounter("told", window)
        request = ModelRequest("r", said, words, (tool,))
        (action,) = (one for one in actions() if one.spec.name == "context")
        told = await action({}, context_of(State(), model, request))
        assert told.data
        kinds = told.data["tokensByKind"]
        assert sum(kinds.values()) == told.data["tokens"] == 2_000
        assert all(kinds[kind] > 0 for kind in ("system", "memory", "tools", "user"))
        assert told.data.get("free") == (6_000 if window else None)
        assert ("| free | 6,000 | 75% |" in told.text) is bool(window)
    assert MEMORY.sub("", said).count("Use tabs") == MEMORY.sub("", said).count("in rhymes") == 0


@given(
    sizes=st.dictionaries(st.sampled_from(["system", *"abcdef"]), st.integers(0, 9_999)),
    whole=st.integers(0, 9_999),
)
def test_shares_sum_up_to_the_whole(sizes: dict[str, int], whole: int) -> None:
    made = shares(sizes, whole)
    assert sum(made.values()) == whole
    assert all(count >= 0 for count in made.values())
