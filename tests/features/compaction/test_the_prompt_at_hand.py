"""What the user says for a run reaches the model whole, or the run ends saying why."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.engine.facts import Replied, Steered, TurnStarted
from agls.engine.ports import ModelRequest
from agls.engine.recovery import continue_interrupted
from agls.engine.vocabulary import Stop, StopReason, Text, ToolCall, Usage, UserMessage
from agls.features import continuation
from agls.features.compaction.bounds import bounds_of
from agls.features.compaction.summary import HEAD, LISTED
from agls.features.continuation.settings import Settings as Continuation
from features.compaction.scene import WINDOW, Scene, of, said, scene
from support.scenario import Part, call, overflow, say

sizes = st.sampled_from([1, 60, 1_500, 6_000, 24_000, 90_000])  # bytes of a prompt
steps = st.lists(st.sampled_from(["look", "talk", "overflow", "steer"]), max_size=6)
runs = st.lists(st.tuples(sizes, steps), min_size=1, max_size=4)
windows = st.sampled_from([None, 2_000, 4_096, 8_192, 32_768, 128_000])  # tokens
anything = given(made=runs, window=windows, counted=st.booleans())


def prompt_of(number: int, size: int) -> str:
    """A prompt of so many bytes that no other has."""
    return f"{number}:" + "p" * size


def turns_of(number: int, made: Sequence[str], size: int, it: list[Scene], counted: bool) -> list[list[Part]]:
    """What the model does in a run; it counts what it was sent where it is to."""
    turns: list[list[Part]] = []
    usage = Usage(size, 20) if counted else Usage()
    for step, kind in enumerate(made):
        one = ToolCall(f"c{number}_{step}", "look", {})
        text = "t" * 3_000 if kind == "talk" else ""
        turn: list[Part] = [Replied("", text, tool_calls=(one,), finish="tool_calls", usage=usage)]
        if kind == "steer":

            async def steer(text: str = f"also {number}.{step} " + "s" * 900) -> None:
                await it[0].session.steer((Text(text),))

            turn.insert(0, steer)
        turns.append(overflow() if kind == "overflow" else turn)
    return [*turns, say(f"answer {number}")]


def whole(request: ModelRequest, wanted: Sequence[str]) -> bool:
    """Whether each of these stands in the request as a message of the user."""
    messages = [m for m in request.messages if isinstance(m, UserMessage) and m.origin == "user"]
    return set(wanted) <= set(said(messages))


@settings(max_examples=25, deadline=None)
@anything
def test_every_byte_of_the_prompt_is_in_every_request_or_the_run_says_why(
    made: list[tuple[int, list[str]]], window: int | None, counted: bool
) -> None:
    """Whatever was said and done before, and whatever goes to make room."""
    asyncio.run(_check(made, window, counted=counted))


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@anything
def test_every_byte_of_many_prompts_is_in_every_request_or_the_run_says_why(
    made: list[tuple[int, list[str]]], window: int | None, counted: bool
) -> None:
    asyncio.run(_check(made, window, counted=counted))


async def _check(made: list[tuple[int, list[str]]], window: int | None, *, counted: bool) -> None:
    it: list[Scene] = []
    turns = [
        turn
        for number, (size, done) in enumerate(made)
        for turn in turns_of(number, done, size // 3, it, counted)
    ]
    async with scene(*turns, *[say()] * 9, results=[300] * 30, window=window) as made_scene:
        it.append(made_scene)
        for number, (size, _) in enumerate(made):
            before, paid = len(it[0].model.requests), len(it[0].writer.requests)
            since = it[0].session.state.seq
            await it[0].prompt(prompt := prompt_of(number, size))
            state = it[0].session.state
            assert state.stop
            if state.stop.reason is StopReason.CONTEXT_FULL:
                assert any(digit.isdigit() for digit in state.stop.detail) or "left out" in state.stop.detail
                assert "Say it shorter" in state.stop.detail
            else:
                assert state.stop.reason is StopReason.END_TURN
                assert len(it[0].model.requests) > before
            if window and size / 3.6 / 1.5 > bounds_of(window, 0.7, schema=False).hard:
                assert state.stop.reason is StopReason.CONTEXT_FULL
                assert (len(it[0].model.requests), len(it[0].writer.requests)) == (before, paid)
            for request, wanted in zip(
                it[0].model.requests[before:], _said_by_then(it[0], since, prompt), strict=True
            ):
                assert whole(request, wanted)


def _said_by_then(it: Scene, since: int, prompt: str) -> list[list[str]]:
    """What the user had said for the run, before each of its requests."""
    words, wanted = [prompt], list[list[str]]()
    for entry in it.session.log.journal.entries(since):
        if isinstance(entry.fact, Steered):
            words.append(said([UserMessage("", entry.fact.content)])[0])
        if isinstance(entry.fact, TurnStarted):
            wanted.append(list(words))
    return wanted


@pytest.mark.parametrize(("size", "window"), [(24_000, 8_192), (420_000, 128_000)])
async def test_a_prompt_that_fills_most_of_the_window_is_sent_as_it_is(size: int, window: int) -> None:
    async with scene(say(), window=window) as it:
        await it.prompt("p" * size)
        assert it.stop == "end_turn"
        assert said(it.model.requests[0].messages) == ["p" * size]
        assert it.writer.requests == []


async def test_prompt_that_cannot_fit_costs_nothing_and_the_next_one_runs() -> None:
    async with scene(say("hi"), say("yes")) as it:
        await it.prompt("hello")
        await it.prompt("p" * 100_000)
        assert it.session.state.stop == Stop(
            StopReason.CONTEXT_FULL,
            "What you said for this run has about 27,782 tokens, and the model used takes 6,976. Nothing was "
            "sent or cut. Say it shorter, attach a long text as a file (it is read in parts), begin a new "
            "session, go back to an earlier prompt, or use a model with a larger context.",
        )
        assert (len(it.model.requests), it.writer.requests) == (1, [])
        state = await it.prompt("something short")
        assert it.stop == "end_turn"
        assert "something short" in said(it.model.requests[-1].messages)
        assert state.run.turns == 1


async def test_earlier_messages_are_summarised_and_a_long_prompt_stays_whole() -> None:
    async with scene(*[say(of(1_000, "w"))] * 3, say()) as it:
        for number in range(3):
            await it.prompt(f"{number}" + of(400, "q"))
        await it.prompt(long := "now" + of(3_000, "p"))
        messages = said(it.model.requests[-1].messages)
        assert messages[-1] == long
        assert any(text.startswith((HEAD, LISTED)) for text in messages[:-1])


async def test_the_prompt_of_a_run_that_is_gone_on_with_stays_too() -> None:
    async def away() -> None:
        it.session.cancel(stop=Stop(StopReason.INTERRUPTED, "gone"))

    long = "task" + of(3_500, "p")
    async with scene(
        *[call((f"c{n}", "look"), text=of(300, "w")) for n in range(3)],
        [away, *say()],
        *[call((f"d{n}", "look"), text=of(300, "w")) for n in range(9)],
        say(),
        others=(continuation.ROOM.build(Continuation()),),
    ) as it:
        await it.prompt(long)
        run_id = await continue_interrupted(it.session)
        await it.session.finished(run_id)
        assert it.stop == "end_turn"
        assert it.shortened
        assert all(long in said(request.messages) for request in it.model.requests)


async def test_message_that_came_too_late_for_a_run_stays_whole_in_the_next() -> None:
    late = "late" + of(1_500, "l")

    async def steer() -> None:
        await it.session.steer((Text(late),))
        it.session.cancel()
        await asyncio.sleep(10)

    async with scene([*say(of(2_000, "w"))], [steer, *say()], *[say()] * 3) as it:
        await it.prompt("one")
        await it.prompt("two")
        await it.prompt("three" + of(3_000, "p"))
        assert it.stop == "end_turn"
        assert late in said(it.model.requests[-1].messages)


async def test_the_user_compacts_and_the_last_prompt_stays() -> None:
    async with scene(say(of(500, "a")), say(of(500, "b")), say(of(500, "c")), window=WINDOW) as it:
        for text in ("one", "two", last := "three" + of(1_000, "p")):
            await it.prompt(text)
        await it.act("compact")
        assert last in it.visible
