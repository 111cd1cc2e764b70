"""Replies that broke off, or never came."""

from collections.abc import Callable

import pytest

from agls.engine.facts import Admitted
from agls.engine.feature import Feature, RunSetup
from agls.engine.ports import Effect, ModelError
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State
from agls.engine.vocabulary import AssistantMessage, StopReason, Text, UserMessage
from agls.features.continuation.feature import NO_ANSWER, build
from agls.features.continuation.nudges import CONTINUE, EMPTY, INTERRUPTED, ends_with_a_reply, said
from agls.features.continuation.settings import Settings
from agls.stores.memory import MemoryStore
from support.rooms import FakeDoer, do, injected, use
from support.scenario import NOWHERE, FakeClock, FakeModel, Part, check, say


async def run(*script: list[Part], settings: Settings | None = None) -> State:
    tools = Feature(name="tools", tools=(FakeDoer("look", Effect.READS),))
    features = [build(settings or Settings()), tools]
    return await check(*script, facts=None, features=features)


def build_run(rooms: tuple[Feature, ...], model: FakeModel) -> Callable[[Session, Admitted], RunSetup]:
    return lambda session, admitted: RunSetup(rooms, model, NOWHERE)


def reason(state: State) -> StopReason:
    assert state.stop is not None
    return state.stop.reason


@pytest.mark.row(5)
async def test_a_cut_reply_is_continued() -> None:
    """A cut answer is continued."""
    state = await run(say("first ", "length"), say("second"))
    assert injected(state, "continuation") == [CONTINUE]
    assert reason(state) is StopReason.END_TURN


async def test_a_reply_that_is_cut_again_and_again_ends_as_max_tokens() -> None:
    state = await run(*[say("more", "length") for _ in range(9)])
    assert state.run.turns == 4
    assert injected(state, "continuation") == [CONTINUE] * 3
    assert reason(state) is StopReason.MAX_TOKENS


async def test_cut_answer_is_not_continued_when_continuations_is_zero() -> None:
    state = await run(say("more", "length"), settings=Settings(continuations=0))
    assert reason(state) is StopReason.MAX_TOKENS


async def test_calls_in_between_do_not_give_more_continuations() -> None:
    script = [say("x", "length"), use(do("c1", "look")), *[say("x", "length") for _ in range(9)]]
    state = await run(*script)
    assert len(injected(state, "continuation")) == 3


async def test_a_new_prompt_gives_new_continuations() -> None:
    model = FakeModel([*[say("x", "length") for _ in range(4)], say("y", "length"), say("z")])
    async with Sessions(MemoryStore(), build_run((build(Settings()),), model), FakeClock()) as sessions:
        session = await sessions.create("/project")
        assert reason(await prompt(session, "one")) is StopReason.MAX_TOKENS
        assert reason(await prompt(session, "two")) is StopReason.END_TURN


@pytest.mark.parametrize("finish", ["stop", "tool_calls"])
async def test_second_empty_reply_ends_the_run_as_failed_and_names_the_hidden_overflow(finish: str) -> None:
    state = await run(say("  \n", finish), say("", finish))
    assert injected(state, "continuation") == [EMPTY]
    assert state.stop == NO_ANSWER


async def test_successful_nudge_is_not_repeated() -> None:
    state = await run(say(""), say("here"))
    assert injected(state, "continuation") == [EMPTY]
    assert reason(state) is StopReason.END_TURN


@pytest.mark.parametrize("finish", ["refusal", "content_filter"])
async def test_a_refusal_without_words_is_an_answer(finish: str) -> None:
    state = await run(say("", finish))
    assert injected(state, "continuation") == []
    assert reason(state) is StopReason.REFUSAL


async def prompt(session: Session, text: str, recovers: str = "") -> State:
    content = (Text(text),) if text else ()
    admission = await session.prompt(content, recovers=recovers)
    return (await session.finished(admission.run_id)).state


async def recovered(*script: list[Part], extra: Feature | None = None) -> State:
    """A run that failed, and one that recovers it."""
    model = FakeModel(list(script))
    rooms = (
        *((extra,) if extra else ()),
        build(Settings()),
        Feature(name="t", tools=(FakeDoer("look", Effect.READS),)),
    )
    async with Sessions(MemoryStore(), build_run(rooms, model), FakeClock()) as sessions:
        session = await sessions.create("/project")
        first = await prompt(session, "go")
        assert isinstance(first.admitted, Admitted)
        return await prompt(session, "", recovers=first.run_id)


FAILS: list[Part] = [ModelError("gone", kind="network")]


async def test_recovered_run_that_ends_with_a_reply_gets_a_message_to_continue() -> None:
    state = await recovered(say("half an answer"), say("the rest"))
    assert injected(state, "continuation") == [INTERRUPTED]
    assert reason(state) is StopReason.END_TURN


async def test_a_recovered_run_that_ends_with_results_needs_no_word() -> None:
    state = await recovered(use(do("c1", "look")), FAILS, say("the rest"))
    assert injected(state, "continuation") == []


async def test_a_recovered_run_that_ends_with_the_users_words_needs_no_word() -> None:
    state = await recovered(FAILS, say("the answer"))
    assert injected(state, "continuation") == []


async def test_a_recovered_run_has_continuations_of_its_own() -> None:
    state = await recovered(*[say("x", "length") for _ in range(4)], *[say("y", "length") for _ in range(9)])
    assert injected(state, "continuation").count(CONTINUE) == 6
    assert reason(state) is StopReason.MAX_TOKENS


async def test_an_ordinary_run_after_an_answer_is_not_called_interrupted() -> None:
    model = FakeModel([say("one"), say("two")])
    async with Sessions(MemoryStore(), build_run((build(Settings()),), model), FakeClock()) as sessions:
        session = await sessions.create("/project")
        await prompt(session, "go")
        assert injected(await prompt(session, "again"), "continuation") == []


def test_messages_of_other_rooms_behind_a_reply_do_not_hide_it() -> None:
    reply, note = AssistantMessage("a", "words"), UserMessage("b", (Text("it is late"),), "environment")
    assert ends_with_a_reply([reply, note])
    assert not ends_with_a_reply([reply, UserMessage("c", (Text("hi"),))])
    assert not ends_with_a_reply([note])
    assert said(CONTINUE, [note]) == 0
