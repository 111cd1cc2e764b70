"""What a run does, one scenario at a time (numbered in tests/README.md)."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from agls.engine.facts import (
    Answered,
    Asked,
    Compacted,
    Entry,
    Fact,
    Injected,
    LimitsChanged,
    Notice,
    Overflowed,
    PhaseStarted,
    Replied,
    Retrying,
    RunEnded,
    TextDelta,
    ThinkingDelta,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from agls.engine.feature import Attempt, CallTool, Feature, Invocation, RunView
from agls.engine.ports import AnswerCancelled, CallModel, Effect, ModelError, ModelRequest, Reply, ToolContext
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import (
    Answer,
    AssistantMessage,
    Limits,
    Question,
    Stop,
    StopReason,
    Text,
    ToolCall,
    ToolOutcome,
    ToolResult,
    Usage,
    UserMessage,
)
from support.patience import PATIENCE, become
from support.scenario import FakeTool, Meanwhile, call, check, overflow, say, stop_with

pytestmark = pytest.mark.promise("P6", "P8")

WRITES = frozenset({Effect.WRITES})
START = ["run started", "took in user: go"]


async def hang() -> None:
    await asyncio.Event().wait()


def line(origin: str, text: str) -> Injected:
    return Injected((UserMessage(f"item_{text}", (Text(text),), origin),))


async def test_a_reply_without_calls_ends_the_run() -> None:
    state = await check(say("hello"), facts=[*START, "turn", "replied hello", "ended end_turn"])
    assert state.stop == Stop(StopReason.END_TURN)
    assert state.status == "idle"
    assert state.run.model_calls == 1


@pytest.mark.row(1)
async def test_tools_run_and_the_model_sees_their_results() -> None:
    """A run with a tool call."""
    tool = FakeTool("look", text="a file")
    state = await check(
        call(("c1", "look")), say(),
        features=[Feature(name="tools", tools=(tool,))],
        facts=[
            *START, "turn", "replied - look(c1)", "started c1", "finished c1 completed: a file",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip
    assert ToolResult("c1", "look", "a file") in state.context.messages
    assert state.total.tool_calls == 1


async def test_turn_that_a_feature_answers_is_no_turn_and_no_model_call() -> None:
    """Its calls are settled like those of the model, which is asked in the next turn."""
    tool = FakeTool("look", text="a file")

    async def look_first(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
        if view.state.total.tool_calls:
            return await inner(request)
        return Replied(request.reply_id, "", tool_calls=(ToolCall("c1", "look", {}),), model_calls=0)

    state = await check(
        say(),
        features=[Feature(name="first", tools=(tool,), around_model=look_first)],
        facts=[
            *START, "turn", "replied - look(c1)", "started c1", "finished c1 completed: a file",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip
    assert (state.run.turns, state.run.model_calls, state.run.tool_calls) == (1, 1, 1)
    assert (state.total.turns, state.used_by["loop"].model_calls) == (1, 1)


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("stop", StopReason.END_TURN),
        ("length", StopReason.MAX_TOKENS),
        ("refusal", StopReason.REFUSAL),
        ("content_filter", StopReason.REFUSAL),
    ],
)
async def test_how_the_model_finished_is_why_the_run_ends(finish: str, reason: StopReason) -> None:
    state = await check(say(finish=finish), facts=[*START, "turn", "replied done", f"ended {reason}"])
    assert state.stop == Stop(reason)


@pytest.mark.parametrize("reason", list(StopReason))
async def test_a_gate_can_stop_the_run_with_every_reason(reason: StopReason) -> None:
    async def gate(view: RunView) -> Sequence[Stop]:
        return (stop_with(reason),)

    await check(features=[Feature(name="gate", before_turn=gate)], facts=[*START, f"ended {reason}"])


@pytest.mark.parametrize("reason", list(StopReason))
async def test_a_feature_can_stop_the_run_from_anywhere_with_every_reason(reason: StopReason) -> None:
    async def around(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        view.stop(stop_with(reason))
        view.stop(stop_with(StopReason.END_TURN))  # the first reason stands
        await hang()
        raise AssertionError

    state = await check(
        call(("c1", "look")),
        features=[Feature(name="stopper", tools=(FakeTool("look"),), around_tool=around)],
        facts=[
            *START, "turn", "replied - look(c1)", "finished c1 cancelled: [Cancelled before it ran.]",
            f"ended {reason}",
        ],
    )  # fmt: skip
    assert state.stop == stop_with(reason)


async def test_a_refused_call_gives_the_reason_to_the_model() -> None:
    tool = FakeTool("write", WRITES)

    async def refuse(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        return ToolOutcome("The user said no: use the other file.", status="rejected")

    state = await check(
        call(("c1", "write")), say(),
        features=[Feature(name="permissions", tools=(tool,), around_tool=refuse)],
        facts=[
            *START, "turn", "replied - write(c1)",
            "finished c1 rejected: The user said no: use the other file.",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip
    assert tool.ran == 0
    assert state.total.tool_calls == 0


async def test_call_of_a_room_passes_every_wrapper_and_is_no_part_of_the_conversation() -> None:
    async def crash(context: ToolContext) -> None:
        raise RuntimeError("boom")

    tool, broken, passed = FakeTool("look"), FakeTool("break", body=crash), list[str]()
    outcomes: list[ToolOutcome] = []

    async def around(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        passed.append(f"{invocation.call.name}: {invocation.consent.by if invocation.consent else ''}")
        invocation.context.show("nobody hears this")
        return await inner(invocation)

    async def gate(view: RunView) -> Sequence[Stop]:
        outcomes.append(await view.pass_call(ToolCall("own1", "look", {}), "/fix"))
        outcomes.append(await view.pass_call(ToolCall("own2", "break", {})))
        outcomes.append(await view.pass_call(ToolCall("own3", "none", {})))
        return ()

    gated = Feature(name="gated", tools=(tool, broken), around_tool=around, before_turn=gate)
    await check(say(), features=[gated], facts=[*START, "turn", "replied done", "ended end_turn"])
    assert (tool.ran, passed) == (1, ["look: /fix", "break: ", "none: "])
    assert [outcome.status for outcome in outcomes] == ["completed", "failed", "failed"]
    assert "RuntimeError: boom" in outcomes[1].text


async def test_cancelled_call_of_a_room_is_left_without_an_outcome() -> None:
    async def wait(context: ToolContext) -> None:
        await hang()

    async def gate(view: RunView) -> Sequence[Stop]:
        view.stop(stop_with(StopReason.CANCELLED))
        await view.pass_call(ToolCall("own1", "wait", {}))
        raise AssertionError

    feature = Feature(name="gated", tools=(FakeTool("wait", body=wait),), before_turn=gate)
    await check(features=[feature], facts=[*START, "ended cancelled"])


def crashing(slot: str) -> Feature:
    async def crash(*args: object) -> Stop:
        raise RuntimeError("boom")

    return replace(Feature(name="broken", tools=(FakeTool("look"),)), **{slot: crash})


@pytest.mark.parametrize(
    ("slot", "facts"),
    [
        ("around_run", START),
        ("before_turn", START),
        ("around_model", [*START, "turn"]),
        ("around_tool", [*START, "turn", "replied - look(c1)"]),
        (
            "before_stop",
            [
                *START, "turn", "replied - look(c1)", "started c1", "finished c1 completed: ok",
                "turn", "replied done",
            ],
        ),
    ],
)  # fmt: skip
async def test_a_crash_in_a_slot_ends_the_run_as_an_internal_error(slot: str, facts: list[str]) -> None:
    state = await check(
        call(("c1", "look")), say(),
        features=[crashing(slot)],
        facts=[*facts, "ended internal_error [internal]"],
    )  # fmt: skip
    assert state.stop is not None
    assert "boom" in state.stop.detail


async def test_a_crash_in_calls_side_by_side_ends_the_run_as_an_internal_error() -> None:
    state = await check(
        call(("c1", "look"), ("c2", "look")),
        features=[crashing("around_tool")],
        facts=[*START, "turn", "replied - look(c1) look(c2)", "ended internal_error [internal]"],
    )
    assert state.stop is not None
    assert "boom" in state.stop.detail


async def test_a_crash_after_the_turns_ends_the_run_as_an_internal_error() -> None:
    async def around(attempt: object, view: RunView) -> Stop:
        await attempt()  # type: ignore[operator]
        raise RuntimeError("boom")

    await check(
        say(),
        features=[Feature(name="broken", around_run=around)],  # type: ignore[arg-type]
        facts=[*START, "turn", "replied done", "ended internal_error [internal]"],
    )


async def test_a_crash_of_an_observer_changes_nothing() -> None:
    def crash(entry: object, state: State) -> None:
        raise RuntimeError("boom")

    await check(
        say(),
        features=[Feature(name="broken", on_fact=crash)],
        facts=[*START, "turn", "replied done", "ended end_turn"],
    )


async def test_observing_features_see_every_fact_of_their_run() -> None:
    seen: list[str] = []

    def look(entry: object, state: State) -> None:
        seen.append(type(entry.fact).__name__)  # type: ignore[attr-defined]

    await check(
        say(),
        features=[Feature(name="audit", on_fact=look)],
        facts=[*START, "turn", "replied done", "ended end_turn"],
    )
    assert seen == ["RunStarted", "TurnStarted", "Replied", "RunEnded"]


@pytest.mark.row(12)
async def test_a_crash_of_a_tool_is_a_failed_result() -> None:
    """A tool that raises."""

    async def crash(context: ToolContext) -> None:
        raise ValueError("out of cheese")

    await check(
        call(("c1", "write")), say(),
        features=[Feature(name="tools", tools=(FakeTool("write", WRITES, crash),))],
        facts=[
            *START, "turn", "replied - write(c1)", "started c1",
            "finished c1 failed: The tool write failed unexpectedly: ValueError: out of cheese",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip


class Odd(BaseException):
    """What nobody expects."""


@pytest.mark.row(12)
@pytest.mark.parametrize(
    "problem",
    [SystemExit(3), Odd("odd"), ExceptionGroup("two", [ValueError("a")]), StopIteration(), TimeoutError()],
    ids=lambda problem: type(problem).__name__,
)
async def test_exception_in_a_tool_does_not_end_the_run(problem: BaseException) -> None:
    """A tool exception of any type; a tool that calls `sys.exit` took the whole process with it."""

    async def crash(context: ToolContext) -> None:
        raise problem

    tools = (FakeTool("write", WRITES, crash), FakeTool("look", text="a file"))
    state = await check(
        call(("c1", "write"), ("c2", "look")), say(),
        features=[Feature(name="tools", tools=tools)], facts=None,
    )  # fmt: skip
    assert state.stop == Stop(StopReason.END_TURN)
    results = [message for message in state.transcript if isinstance(message, ToolResult)]
    assert [result.status for result in results] == ["failed", "completed"]
    assert results[0].text.startswith("The tool write failed unexpectedly: ")


@pytest.mark.row(12)
async def test_an_unknown_tool_is_a_failed_result_that_names_the_tools() -> None:
    """An unknown tool."""
    await check(
        call(("c1", "nothing")), say(),
        features=[Feature(name="tools", tools=(FakeTool("look"),))],
        facts=[
            *START, "turn", "replied - nothing(c1)", "started c1",
            "finished c1 failed: There is no tool called 'nothing'. Tools: look.",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip


@pytest.mark.row(8)
async def test_malformed_arguments_are_a_failed_result() -> None:
    """The model reads what is wrong and goes on."""
    broken = Replied("", "", tool_calls=(ToolCall("c1", "look", {}, malformed='{"a":'),))
    await check(
        [broken], say(),
        features=[Feature(name="tools", tools=(FakeTool("look"),))],
        facts=[
            *START, "turn", "replied - look(c1)", "started c1",
            'finished c1 failed: The arguments of look are not a JSON object: {"a":\n'
            "Call it again with valid JSON.",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip


async def test_a_provider_error_ends_the_run_as_a_model_error() -> None:
    state = await check(
        [TextDelta("", "half"), ModelError("the key is wrong", kind="auth", hint="Set KEY.")],
        facts=[*START, "turn", "cut failed half", "ended model_error [auth]"],
    )
    assert state.stop == Stop(StopReason.MODEL_ERROR, "the key is wrong Set KEY.", "auth")
    assert not any(isinstance(message, AssistantMessage) for message in state.transcript)


async def test_text_of_a_retried_attempt_is_dropped() -> None:
    retried = Retrying(1, 0.1, "overloaded")
    await check(
        [TextDelta("", "first"), ThinkingDelta("", "hm"), retried, TextDelta("", "second"), KeyError("x")],
        facts=[*START, "turn", "cut failed second", "ended internal_error [internal]"],
    )


async def test_use_of_an_attempt_that_broke_off_counts() -> None:
    retried = Retrying(1, 0.1, "overloaded", Usage(100, 3), 0.5)
    torn = ModelError("it broke off", kind="network")
    torn.usage = Usage(200, 4)
    state = await check(
        [TextDelta("", "first"), retried, TextDelta("", "second"), torn],
        facts=[*START, "turn", "used by loop", "cut failed second", "ended model_error [network]"],
    )
    assert (state.run.model_calls, state.run.input_tokens, state.run.output_tokens) == (2, 300, 7)
    assert (state.run.cost, state.run.unpriced, state.run.estimated) == (0.5, 1, 0)


async def test_use_of_a_cancelled_answer_counts_as_an_estimate() -> None:
    async def cancel(scene: Meanwhile) -> None:
        await scene.until(lambda event: not isinstance(event, Entry))
        scene.session.cancel()

    async def count() -> None:
        try:
            await hang()
        except asyncio.CancelledError:
            raise AnswerCancelled(Usage(100, 3, estimated=True), 0.5) from None

    state = await check(
        [TextDelta("", "half"), count],
        meanwhile=cancel,
        facts=[*START, "turn", "cut cancelled half", "ended cancelled"],
    )
    assert (state.run.input_tokens, state.run.output_tokens, state.run.estimated) == (100, 3, 1)
    assert (state.run.cost, state.run.unpriced) == (0.5, 0)


async def test_a_crash_of_a_model_client_is_an_internal_error() -> None:
    await check(
        [KeyError("choices")], facts=[*START, "turn", "cut failed -", "ended internal_error [internal]"]
    )


async def test_a_stream_that_ends_without_an_answer_is_a_model_error() -> None:
    await check(
        [TextDelta("", "half")],
        facts=[*START, "turn", "cut failed half", "ended model_error [providerInternal]"],
    )


@pytest.mark.port("Model resolver")
async def test_an_unknown_model_is_a_model_error_before_any_turn() -> None:
    """A clear error before anything is asked."""
    await check(options={"model": "nowhere"}, facts=[*START, "ended model_error [modelNotFound]"])


@pytest.mark.row(11)
async def test_cancel_while_streaming_keeps_the_text_and_notifies_the_model() -> None:
    """In the middle of a stream."""

    async def cancel(scene: Meanwhile) -> None:
        await scene.until(lambda event: not isinstance(event, Entry))
        assert scene.session.cancel().state == "cancelling"

    state = await check(
        [TextDelta("", "half"), hang],
        meanwhile=cancel,
        facts=[*START, "turn", "cut cancelled half", "ended cancelled"],
    )
    last = state.context.messages[-1]
    assert isinstance(last, AssistantMessage)
    assert (last.text, last.cut) == ("half", True)


@pytest.mark.row(11)
async def test_cancel_with_one_of_two_tools_running_settles_both() -> None:
    """In the middle of tools."""

    async def slow(context: ToolContext) -> None:
        context.show("half of the output")
        await hang()

    async def cancel(scene: Meanwhile) -> None:
        await scene.until(lambda event: not isinstance(event, Entry))
        scene.session.cancel()

    state = await check(
        call(("c1", "slow"), ("c2", "write")),
        features=[Feature(name="t", tools=(FakeTool("slow", WRITES, slow), FakeTool("write", WRITES)))],
        meanwhile=cancel,
        facts=[
            *START, "turn", "replied - slow(c1) write(c2)", "started c1",
            "finished c1 cancelled: [Cancelled while it ran; what it did is unknown.]\n"
            "Its output until then:\nhalf of the output",
            "ended cancelled",
        ],
    )  # fmt: skip
    results = [message for message in state.context.messages if isinstance(message, ToolResult)]
    assert [result.call_id for result in results] == ["c1", "c2"]
    assert results[1].text == "[This call was not run: the run ended first (cancelled).]"


@pytest.mark.parametrize(
    ("moment", "facts"),
    [
        (Replied, [
            "finished c1 cancelled: [Cancelled before it ran.]",
            "finished c2 cancelled: [Cancelled before it ran.]",
        ]),
        (ToolFinished, [
            "started c1", "finished c1 completed: ok", "finished c2 cancelled: [Cancelled before it ran.]",
        ]),
    ],
)  # fmt: skip
async def test_stopping_run_begins_no_more_work(moment: type[Fact], facts: list[str]) -> None:
    """Not even in the moment between the cancel and its arrival at the work (protocol#cancel, point 2)."""
    views: list[RunView] = []

    async def around(attempt: Attempt, view: RunView) -> Stop:
        views.append(view)
        return await attempt()

    def look(entry: Entry, state: State) -> None:
        if isinstance(entry.fact, moment):
            views[0].stop(stop_with(StopReason.CANCELLED))

    tool = FakeTool("look")
    await check(
        call(("c1", "look"), ("c2", "look")), say("never"),
        features=[Feature(name="stopper", tools=(tool,), around_run=around, on_fact=look)],
        facts=[*START, "turn", "replied - look(c1) look(c2)", *facts, "ended cancelled"],
    )  # fmt: skip
    assert tool.ran == (moment is ToolFinished)


async def test_a_tool_that_ignores_the_cancel_cannot_hold_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agls.engine.loop.GRACE", 0.05)
    monkeypatch.setattr("agls.engine.sessions.GRACE", 0.05)
    release, released = asyncio.Event(), asyncio.Event()

    async def deaf(context: ToolContext) -> None:
        while not release.is_set():
            try:
                await release.wait()
            except asyncio.CancelledError:
                context.show("I do not listen")
        released.set()

    async def cancel(scene: Meanwhile) -> None:
        await scene.until_fact(ToolStarted)
        scene.session.cancel()
        await scene.until_fact(RunEnded)
        release.set()  # it wakes when nobody waits any more

    state = await check(
        call(("c1", "deaf")), say("never said"),
        features=[Feature(name="t", tools=(FakeTool("deaf", WRITES, deaf),))],
        meanwhile=cancel,
        facts=[*START, "turn", "replied - deaf(c1)", "started c1", "ended cancelled"],
    )  # fmt: skip
    result = state.context.messages[-1]
    assert isinstance(result, ToolResult)
    assert "outcome of this call is unknown" in result.text
    await become(released.is_set)


async def test_cancel_before_the_start_never_asks_the_model() -> None:
    async def cancel(scene: Meanwhile) -> None:
        while not scene.session.state.queue:
            await asyncio.sleep(0)
        scene.session.cancel()

    state = await check(say(), meanwhile=cancel, facts=["ended cancelled"])
    assert state.run.model_calls == 0


@pytest.mark.row(6)
async def test_run_continues_when_an_overflow_is_followed_by_more_room() -> None:
    """An overflow, then an answer."""

    async def compact(view: RunView) -> Sequence[Compacted]:
        return (Compacted("item_s", "the story so far", 1),) if view.state.overflowed else ()

    state = await check(
        overflow(), say(),
        features=[Feature(name="compaction", before_turn=compact)],
        facts=[
            *START, "turn", "overflowed too long", "compacted to 'the story so far' keeping from 1",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip
    assert len(state.transcript) == 2, "the transcript keeps what the context lost"
    assert state.context.messages[0].content == (Text("the story so far"),)  # type: ignore[union-attr]


@pytest.mark.row(7)
async def test_run_continues_with_a_tool_call_after_an_overflow() -> None:
    """An overflow, then a tool call, then an answer."""

    async def compact(view: RunView) -> Sequence[Compacted]:
        return (Compacted("item_s", "the story so far", 1),) if view.state.overflowed else ()

    tool = FakeTool("look", text="a file")
    state = await check(
        overflow(), call(("c1", "look")), say(),
        features=[Feature(name="compaction", before_turn=compact, tools=(tool,))],
        facts=[
            *START, "turn", "overflowed too long", "compacted to 'the story so far' keeping from 1",
            "turn", "replied - look(c1)", "started c1", "finished c1 completed: a file",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip
    assert (tool.ran, state.run.tool_calls) == (1, 1)
    assert ToolResult("c1", "look", "a file") in state.context.messages


async def test_overflow_twice_is_the_end() -> None:
    state = await check(
        overflow(), overflow(),
        facts=[*START, "turn", "overflowed too long", "turn", "ended context_full"],
    )  # fmt: skip
    assert state.stop == Stop(StopReason.CONTEXT_FULL, "too long")


async def test_an_overflow_in_the_middle_of_an_answer_discards_what_was_shown() -> None:
    await check(
        [TextDelta("", "half"), Overflowed("too long")], overflow(),
        facts=[*START, "turn", "cut failed half", "overflowed too long", "turn", "ended context_full"],
    )  # fmt: skip


async def test_steering_goes_into_the_next_request() -> None:
    steered = asyncio.Event()

    async def steer(scene: Meanwhile) -> None:
        await scene.until_fact(ToolStarted)
        assert (await scene.session.steer((Text("and quickly"),))).outcome == "injected"
        steered.set()

    async def wait(context: ToolContext) -> None:
        await steered.wait()

    state = await check(
        call(("c1", "look")), say(),
        features=[Feature(name="tools", tools=(FakeTool("look", body=wait),))],
        meanwhile=steer,
        facts=[
            *START, "turn", "replied - look(c1)", "started c1", "steered and quickly",
            "finished c1 completed: ok", "took in user: and quickly",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip
    assert not state.pending


async def test_steering_during_the_last_reply_continues_the_run() -> None:
    steered = asyncio.Event()

    async def steer(scene: Meanwhile) -> None:
        await scene.until(lambda event: not isinstance(event, Entry))
        await scene.session.steer((Text("one more thing"),))
        steered.set()

    await check(
        [TextDelta("", "done"), steered.wait, Replied("", "done")], say("that too"),
        meanwhile=steer,
        facts=[
            *START, "turn", "steered one more thing", "replied done", "took in user: one more thing",
            "turn", "replied that too", "ended end_turn",
        ],
    )  # fmt: skip


async def test_message_that_came_too_late_begins_the_next_run() -> None:
    async def steer(scene: Meanwhile) -> None:
        await scene.until_fact(TurnStarted)
        await scene.session.steer((Text("never lost"),))
        scene.session.cancel()

    state = await check(
        [hang],
        meanwhile=steer,
        facts=[*START, "turn", "steered never lost", "cut cancelled -", "ended cancelled"],
    )
    last = state.context.messages[-1]
    assert isinstance(last, UserMessage)
    assert last.content == (Text("never lost"),)
    assert not state.pending


async def test_feature_can_continue_a_finished_run() -> None:
    async def once(reply: Replied, view: RunView) -> Sequence[Injected]:
        return (line("critic", "are you sure?"),) if view.state.run.turns == 1 else ()

    await check(
        say("done?"), say("yes"),
        features=[Feature(name="critic", before_stop=once), Feature(name="later", before_stop=once)],
        facts=[
            *START, "turn", "replied done?", "injected critic: are you sure?",
            "turn", "replied yes", "ended end_turn",
        ],
    )  # fmt: skip


async def test_a_gate_can_set_phase_and_limits_and_messages() -> None:
    async def gate(view: RunView) -> Sequence[PhaseStarted | LimitsChanged | Injected]:
        if view.state.context.phase:
            return ()
        phase = PhaseStarted("plan", "You plan.", tools=("look",))
        return phase, LimitsChanged(Limits(max_turns=3)), line("environment", "It is Monday.")

    state = await check(
        call(("c1", "write")), say(),
        features=[Feature(name="p", tools=(FakeTool("look"), FakeTool("write")), before_turn=gate)],
        facts=[
            *START, "phase plan", "limits 3", "injected environment: It is Monday.",
            "turn", "replied - write(c1)", "started c1",
            "finished c1 failed: There is no tool called 'write'. Tools: look.",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip
    assert state.context.system == "You plan."
    assert state.limits.max_turns == 3


@pytest.mark.row(76)
async def test_notes_survive_replay() -> None:
    """What rooms remember."""

    async def gate(view: RunView) -> Sequence[Stop]:
        view.note("memory", "count", {"turns": len(view.state.notes.get("memory", ())) + 1})
        return ()

    state = await check(
        call(("c1", "look")), say(),
        features=[Feature(name="memory", tools=(FakeTool("look"),), before_turn=gate)],
        facts=[
            *START, "noted memory.count", "turn", "replied - look(c1)", "started c1",
            "finished c1 completed: ok", "noted memory.count", "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip
    assert [note.data for note in state.notes["memory"]] == [{"turns": 1}, {"turns": 2}]


async def test_reads_run_side_by_side_and_are_presented_in_call_order() -> None:
    second_is_done = asyncio.Event()

    async def first(context: ToolContext) -> None:
        await second_is_done.wait()

    async def second(context: ToolContext) -> None:
        second_is_done.set()

    tools = (FakeTool("first", body=first), FakeTool("second", body=second))
    state = await check(
        call(("c1", "first"), ("c2", "second")), say(),
        features=[Feature(name="tools", tools=tools)],
        facts=[
            *START, "turn", "replied - first(c1) second(c2)", "started c1", "started c2",
            "finished c2 completed: ok", "finished c1 completed: ok",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip
    results = [message for message in state.context.messages if isinstance(message, ToolResult)]
    assert [result.call_id for result in results] == ["c1", "c2"]


async def test_writes_run_one_after_the_other_between_reads() -> None:
    async def wait(context: ToolContext) -> None:
        await asyncio.sleep(0.01)

    tools = (FakeTool("look"), FakeTool("write", WRITES, wait))
    await check(
        call(("r1", "look"), ("w1", "write"), ("w2", "write"), ("r2", "look")), say(),
        features=[Feature(name="tools", tools=tools)],
        facts=[
            *START, "turn", "replied - look(r1) write(w1) write(w2) look(r2)",
            "started r1", "finished r1 completed: ok", "started w1", "finished w1 completed: ok",
            "started w2", "finished w2 completed: ok", "started r2", "finished r2 completed: ok",
            "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip


async def test_call_ids_are_made_unique_over_the_session() -> None:
    state = await check(
        call(("c1", "look"), ("c1", "look")), call(("c1", "look"), ("", "look")), say(),
        features=[Feature(name="tools", tools=(FakeTool("look"),), around_tool=uniquely_counted)],
        facts=None,
    )  # fmt: skip
    ids = [message.call_id for message in state.transcript if isinstance(message, ToolResult)]
    assert len(ids) == len(set(ids)) == 4


async def uniquely_counted(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
    assert invocation.call.call_id in view.state.calls
    return await inner(invocation)


def asking(session: Session) -> Sequence[Feature]:
    async def ask(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        answer = await session.questions.ask(Question("permission", "May I?"))
        if answer.outcome != "selected":
            return ToolOutcome(f"Refused: {answer.outcome}.", status="rejected")
        return await inner(invocation)

    return [Feature(name="permissions", tools=(FakeTool("ask"),), around_tool=ask)]


async def test_answer_to_a_secret_question_is_in_no_fact() -> None:
    def asking_for_a_secret(session: Session) -> Sequence[Feature]:
        async def ask(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
            answer = await session.questions.ask(Question("form", "Token?", is_secret=True))
            return ToolOutcome(f"It has {len(answer.content['token'])} characters.")

        return [Feature(name="permissions", tools=(FakeTool("ask"),), around_tool=ask)]

    async def answer(scene: Meanwhile) -> None:
        await scene.until_fact(Asked)
        (request_id,) = scene.session.state.questions
        assert scene.session.questions.answer(request_id, Answer("accepted", content={"token": "s3cret"}))
        facts = [entry.fact for entry in scene.session.log.journal.entries()]
        assert [fact.answer for fact in facts if isinstance(fact, Answered)] == [Answer("accepted")]

    await check(
        call(("c1", "ask")), say(),
        features=asking_for_a_secret, attended=True, meanwhile=answer,
        facts=[
            *START, "turn", "replied - ask(c1)", "asked Token?", "answered accepted",
            "finished c1 completed: It has 6 characters.", "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip


async def test_questions_wait_for_their_answer() -> None:
    async def answer(scene: Meanwhile) -> None:
        await scene.until_fact(Asked)
        assert scene.session.state.status == "waiting"
        (request_id,) = scene.session.state.questions
        assert scene.session.questions.answer(request_id, Answer("selected", "yes"))
        assert not scene.session.questions.answer(request_id, Answer("selected", "no"))

    await check(
        call(("c1", "ask")), say(),
        features=asking, attended=True, meanwhile=answer,
        facts=[
            *START, "turn", "replied - ask(c1)", "asked May I?", "answered selected",
            "started c1", "finished c1 completed: ok", "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip


async def test_question_without_an_attached_client_is_answered_at_once() -> None:
    await check(
        call(("c1", "ask")), say(),
        features=asking,
        facts=[
            *START, "turn", "replied - ask(c1)", "asked May I?", "answered unanswered",
            "finished c1 rejected: Refused: unanswered.", "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip


async def test_last_leaving_client_ends_the_waiting() -> None:
    async def leave(scene: Meanwhile) -> None:
        await scene.until_fact(Asked)
        scene.session.questions.attend(True)
        scene.session.questions.attend(False)
        assert scene.session.state.questions, "somebody is still there"
        scene.session.questions.attend(False)

    await check(
        call(("c1", "ask")), say(),
        features=asking, attended=True, meanwhile=leave,
        facts=[
            *START, "turn", "replied - ask(c1)", "asked May I?", "answered unanswered",
            "finished c1 rejected: Refused: unanswered.", "turn", "replied done", "ended end_turn",
        ],
    )  # fmt: skip


async def test_cancel_withdraws_an_open_question() -> None:
    async def cancel(scene: Meanwhile) -> None:
        await scene.until_fact(Asked)
        scene.session.cancel()

    await check(
        call(("c1", "ask")),
        features=asking, attended=True, meanwhile=cancel,
        facts=[
            *START, "turn", "replied - ask(c1)", "asked May I?", "answered cancelled",
            "finished c1 cancelled: [Cancelled before it ran.]", "ended cancelled",
        ],
    )  # fmt: skip


async def test_background_work_ends_with_its_run() -> None:
    ended = asyncio.Event()

    async def watch() -> None:
        try:
            await hang()
        finally:
            ended.set()

    async def around(attempt: Attempt, view: RunView) -> Stop:
        view.spawn(watch(), "run")
        return await attempt()

    await check(
        say(),
        features=[Feature(name="watch", around_run=around)],
        facts=[*START, "turn", "replied done", "ended end_turn"],
    )
    await asyncio.wait_for(ended.wait(), PATIENCE)


async def test_background_work_of_the_session_outlives_its_run() -> None:
    async def look() -> None:
        raise RuntimeError("contained")

    async def around(attempt: Attempt, view: RunView) -> Stop:
        view.spawn(look(), "session")
        view.show(Notice("info", "watching"))
        return await attempt()

    await check(
        say(),
        features=[Feature(name="watch", around_run=around)],
        facts=[*START, "turn", "replied done", "ended end_turn"],
    )


async def test_wrappers_are_entered_in_order_and_left_in_reverse() -> None:
    order: list[str] = []

    def named(name: str) -> Feature:
        async def around_run(attempt: Attempt, view: RunView) -> Stop:
            order.append(f"run {name}")
            stop = await attempt()
            order.append(f"{name} {stop.reason}")
            return stop

        async def around_model(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
            order.append(f"model {name}")
            return await inner(replace(request, system=request.system + name))

        return Feature(name=name, around_run=around_run, around_model=around_model)

    await check(
        say(),
        features=[named("a"), named("b")],
        facts=[*START, "turn", "replied done", "ended end_turn"],
    )
    assert order == ["run a", "run b", "model a", "model b", "b end_turn", "a end_turn"]


async def test_cancel_does_not_interrupt_work_around_the_run() -> None:
    cleaned: list[str] = []

    async def around(attempt: Attempt, view: RunView) -> Stop:
        stop = await attempt()
        view.stop(stop_with(StopReason.KILLED))  # too late to change anything
        await asyncio.sleep(0.01)
        cleaned.append(stop.reason)
        return stop

    async def cancel(scene: Meanwhile) -> None:
        await scene.until_fact(TurnStarted)
        scene.session.cancel()

    await check(
        [hang],
        features=[Feature(name="clean", around_run=around)],
        meanwhile=cancel,
        facts=[*START, "turn", "cut cancelled -", "ended cancelled"],
    )
    assert cleaned == ["cancelled"]


async def test_cancel_after_the_end_of_a_run_does_not_change_its_reason() -> None:
    """Also while what comes behind it, a delivery, is still on its way (protocol#cancel, point 9)."""
    delivering, delivered = asyncio.Event(), asyncio.Event()

    async def deliver(attempt: Attempt, view: RunView) -> Stop:
        stop = await attempt()
        delivering.set()
        await delivered.wait()
        return stop

    async def cancel(scene: Meanwhile) -> None:
        await delivering.wait()
        receipts = [scene.session.cancel(), scene.session.cancel(scene.session.state.run_id)]
        delivered.set()
        assert [receipt.state for receipt in receipts] == ["alreadyEnded", "alreadyEnded"]

    await check(
        say(), features=[Feature(name="delivery", around_run=deliver)], meanwhile=cancel,
        facts=[*START, "turn", "replied done", "ended end_turn"],
    )  # fmt: skip


async def test_a_feature_that_says_nothing_passes_everything_on() -> None:
    """Its slots are left out of a run; whoever calls them all the same gets what is inside, or nothing."""
    silent: Any = Feature(name="silent")
    inside = object()

    async def inner(*_: object) -> object:
        return inside

    silent.on_fact(None, None)
    assert await silent.around_run(inner, None) is inside
    assert await silent.around_model(None, None, inner) is inside
    assert await silent.around_tool(None, None, inner) is inside
    assert await silent.before_turn(None) == await silent.before_stop(None, None) == ()
    assert silent.show_tools(inside, None) is inside
