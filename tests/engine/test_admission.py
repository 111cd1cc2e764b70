"""What a session answers who asks again, comes too late, or is cancelled first; and who waits for no end."""

import asyncio

import pytest

from agls.engine.admission import Admission, Prompter, Refused
from agls.engine.facts import Admitted, Replied, RunStarted
from agls.engine.ports import JournalError
from agls.engine.session import Session
from agls.engine.vocabulary import BY_USER, Stop, StopReason, Text, UserMessage
from engine.test_sessions import GO, OTHER, World, end, hang
from support.patience import PATIENCE, become
from support.scenario import asked, say


def admissions(session: Session) -> list[Admitted]:
    return [e.fact for e in session.log.journal.entries() if isinstance(e.fact, Admitted)]


def begun(session: Session) -> list[str]:
    return [e.fact.run_id for e in session.log.journal.entries() if isinstance(e.fact, RunStarted)]


@pytest.mark.item(33)
async def test_the_same_key_gets_the_same_answer() -> None:
    async with World([hang], say("next")).session() as session:
        first = await session.prompt(GO, key="started")
        await asked(session)
        queued = await session.prompt(GO, key="queued", options={"effort": "high"})
        injected = await session.steer(GO, key="injected")
        assert [one.outcome for one in (first, queued, injected)] == ["started", "queued", "injected"]
        assert await session.prompt(GO, key="started") == first
        assert await session.prompt(GO, key="queued", options={"effort": "high"}) == queued
        assert await session.steer(GO, key="injected") == injected
        session.cancel()
        await end(session, queued.run_id)
        assert await session.prompt(GO, key="started") == first, "also when all is over"
        assert len(admissions(session)) == 2


@pytest.mark.item(33)
@pytest.mark.parametrize(
    "other", [{"options": {"effort": "high"}}, {"recovers": "run_1"}], ids=["options", "goes on"]
)
async def test_the_same_key_with_other_params_is_a_conflict(other: dict[str, object]) -> None:
    async with World(say()).session() as session:
        first = await session.prompt(GO, key="k")
        with pytest.raises(Refused) as refusal:
            await session.prompt(GO, key="k", **other)  # type: ignore[arg-type]
        assert refusal.value.kind == "keyConflict"
        await end(session, first.run_id)
        assert len(admissions(session)) == 1


@pytest.mark.item(33)
async def test_repeated_prompt_is_answered_once_the_first_is_durable() -> None:
    async with World(say()).session() as session:
        is_durable = asyncio.Event()
        waiting: list[object] = []
        sync = session.log.journal.sync

        async def slow(later: float = 0.0) -> None:
            waiting.append(object())
            await is_durable.wait()
            await sync(later)

        session.log.journal.sync = slow  # type: ignore[method-assign]
        first, again = (asyncio.ensure_future(session.prompt(GO, key="k")) for _ in range(2))
        await become(lambda: len(waiting) >= 2)
        assert not (first.done() or again.done())
        is_durable.set()
        assert await again == await first
        await end(session, (await first).run_id)


@pytest.mark.item(34)
async def test_steer_after_a_cancel_runs_next_with_its_own_options() -> None:
    async with World([hang], say("next")).session() as session:
        first = await session.prompt(GO)
        await asked(session)
        session.cancel()
        late = await session.prompt(OTHER, "steer", options={"effort": "high"})
        assert late.outcome == "queued"
        await end(session, first.run_id)
        await end(session, late.run_id)
        assert admissions(session)[-1].options == {"effort": "high"}


@pytest.mark.parametrize("busy", [False, True])
async def test_prompt_of_a_cancelled_request_never_begins(busy: bool) -> None:
    async with World([hang], say("next")).session() as session:
        if busy:
            await session.prompt(GO)
            await asked(session)
        late = await session.prompt(OTHER, prompter=Prompter(BY_USER))
        assert (await end(session, late.run_id)).stop == BY_USER
        session.cancel()
        steered = await session.steer(OTHER, if_ended="run", stop=Stop(StopReason.CANCELLED, "no more"))
        assert (await end(session, steered.run_id)).stop.detail == "no more"
        assert not {late.run_id, steered.run_id} & set(begun(session))


async def wait_for(session: Session, admission: Admission) -> str:
    with pytest.raises(JournalError) as problem:
        await asyncio.wait_for(session.finished(admission.run_id), PATIENCE)
    return str(problem.value)


async def test_waiting_for_a_queued_run_ends_when_its_session_is_closed() -> None:
    world = World([hang], say("later"))
    async with world.sessions() as sessions:
        session = await sessions.create("/project")
        first = await session.prompt(GO)
        await asked(session)
        kept, dropped = await session.prompt(OTHER), await session.prompt(OTHER)
        waits = asyncio.ensure_future(wait_for(session, kept))
        ends = asyncio.ensure_future(end(session, first.run_id))
        session.cancel(dropped.run_id)
        await sessions.close(session.session_id)
        assert "It waits there" in await waits
        assert (await ends).stop.reason is StopReason.INTERRUPTED
        assert (await end(session, dropped.run_id)).stop == BY_USER
        again = await sessions.open(session.session_id)
        assert [waiting.run_id for waiting in again.state.queue] == [kept.run_id]


async def test_waiting_for_a_run_raises_when_another_process_takes_the_session() -> None:
    gone = "another process has this session now"
    release = asyncio.Event()
    async with World([release.wait, Replied("", "a")]).session() as session:
        first = await session.prompt(GO)
        await asked(session)
        kept = await session.prompt(OTHER)

        def lost(*entries: object) -> None:
            raise JournalError(gone)

        session.log.journal.append = lost  # type: ignore[method-assign]
        release.set()
        for admission in (first, kept):
            assert await wait_for(session, admission) == gone


@pytest.mark.item(34)
async def test_steer_into_a_run_that_never_began_stays_in_the_conversation_in_order() -> None:
    async with World(say("next")).session() as session:
        first = await session.prompt(GO)
        steered = await session.steer((Text("aside"),))
        assert steered.run_id == first.run_id
        session.cancel()
        await end(session, first.run_id)
        assert first.run_id not in begun(session)
        assert not session.state.pending
        await end(session, (await session.prompt(OTHER)).run_id)
        said = [message.content for message in session.state.transcript if isinstance(message, UserMessage)]
        assert said == [(Text("aside"),), OTHER]
