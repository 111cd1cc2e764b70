"""What a session admits, queues, steers, cancels, and gets back after a crash."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager

import pytest

from agls.engine import run_queue
from agls.engine.admission import ANYBODY, Admission, ClientRequest, Refused
from agls.engine.calls import find_tool
from agls.engine.facts import (
    Admitted,
    Entry,
    Noted,
    Notice,
    Replied,
    RunEnded,
    RunStarted,
    SessionChanged,
    Steered,
    ToolFinished,
    Transient,
    Unknown,
    Used,
)
from agls.engine.feature import Feature, RunSetup
from agls.engine.loop import RunResult
from agls.engine.ports import Effect, JournalBusy, JournalError, ToolContext
from agls.engine.session import Session
from agls.engine.sessions import Sessions, made_for
from agls.engine.state import State, fold_all
from agls.engine.vocabulary import (
    SHUT_DOWN,
    Stop,
    StopReason,
    Text,
    ToolCall,
    ToolOutcome,
    ToolResult,
    Usage,
)
from agls.stores.memory import MemoryStore
from support.patience import PATIENCE, become
from support.scenario import (
    NOWHERE,
    FakeClock,
    FakeModel,
    FakeTool,
    Part,
    asked,
    call,
    described,
    paired,
    say,
)

GO = (Text("go"),)
OTHER = (Text("other"),)


class World:
    """Sessions over a memory store, whose model plays these turns."""

    def __init__(self, *turns: list[Part], tools: Sequence[FakeTool] = ()) -> None:
        self.store = MemoryStore()
        self.model = FakeModel(list(turns))
        self.tools = tuple(tools)

    def build_run(self, session: Session, admitted: Admitted) -> RunSetup:
        return RunSetup((Feature(name="tools", tools=self.tools),), self.model, NOWHERE)

    @asynccontextmanager
    async def sessions(self) -> AsyncIterator[Sessions]:
        async with Sessions(self.store, self.build_run, FakeClock()) as sessions:
            yield sessions

    @asynccontextmanager
    async def session(self) -> AsyncIterator[Session]:
        async with self.sessions() as sessions:
            yield await sessions.create("/project")


async def end(session: Session, run_id: str) -> RunResult:
    return await asyncio.wait_for(session.finished(run_id), PATIENCE)


def told(session: Session) -> list[str]:
    return described(session.log.journal.entries())


async def hang() -> None:
    await asyncio.Event().wait()


async def linger(ends: asyncio.Event) -> None:
    """A model that is not to be stopped before this."""
    try:
        await hang()
    finally:
        await ends.wait()


async def test_prompts_run_one_at_a_time_in_their_order() -> None:
    async with World(say("one"), say("two"), say("three")).session() as session:
        first = await session.prompt((Text("1"),))
        second = await session.prompt((Text("2"),))
        third = await session.prompt((Text("3"),))
        assert [first.outcome, second.outcome, third.outcome] == ["started", "queued", "queued"]
        await end(session, third.run_id)
        assert [line for line in told(session) if line.startswith(("took in", "replied"))] == [
            "took in user: 1", "replied one", "took in user: 2", "replied two",
            "took in user: 3", "replied three",
        ]  # fmt: skip


async def test_observer_of_the_end_can_begin_the_next_run() -> None:
    async with World(say("one"), say("two")).session() as session:
        begun: list[asyncio.Task[Admission]] = []

        def follow(event: object, state: object) -> None:
            if isinstance(event, Entry) and isinstance(event.fact, RunEnded) and not begun:
                begun.append(asyncio.ensure_future(session.prompt(GO, "ifIdle")))

        session.log.subscribe(follow)
        await end(session, (await session.prompt(GO)).run_id)
        admission = await begun[0]
        assert admission.outcome == "started"
        await end(session, admission.run_id)


async def test_a_prompt_only_if_idle_is_refused_while_a_run_is_active() -> None:
    async with World([hang]).session() as session:
        active = await session.prompt(GO, "ifIdle")
        with pytest.raises(Refused) as refusal:
            await session.prompt(GO, "ifIdle")
        assert (refusal.value.kind, refusal.value.run_id) == ("runActive", active.run_id)


async def test_a_prompt_can_steer_the_active_run() -> None:
    go = asyncio.Event()
    async with World([go.wait, Replied("", "a")], say("b")).session() as session:
        active = await session.prompt(GO)
        await asked(session)
        steered = await session.prompt((Text("quickly"),), "steer")
        go.set()
        assert (steered.outcome, steered.run_id) == ("injected", active.run_id)
        await end(session, active.run_id)
        assert "took in user: quickly" in told(session)


async def test_a_prompt_can_interrupt_and_goes_before_the_waiting_ones() -> None:
    async with World([hang], say("now"), say("later")).session() as session:
        active = await session.prompt((Text("1"),))
        await asked(session)
        waiting = await session.prompt((Text("2"),))
        urgent = await session.prompt((Text("3"),), "interrupt")
        assert (await end(session, active.run_id)).stop.reason == StopReason.CANCELLED
        await end(session, waiting.run_id)
        assert session.state.status == "idle"
        injected = [line for line in told(session) if line.startswith("took in")]
        assert injected[-2:] == ["took in user: 3", "took in user: 2"]
        assert (await end(session, urgent.run_id)).stop.reason == StopReason.END_TURN


async def test_the_same_key_is_followed_once() -> None:
    async with World(say()).session() as session:
        first = await session.prompt(GO, key="k")
        again = await session.prompt(GO, key="k")
        assert again.run_id == first.run_id
        with pytest.raises(Refused) as refusal:
            await session.prompt((Text("something else"),), key="k")
        assert refusal.value.kind == "keyConflict"
        await end(session, first.run_id)
        assert len([e for e in session.log.journal.entries() if isinstance(e.fact, Admitted)]) == 1


async def test_the_same_steering_key_is_followed_once() -> None:
    async with World([hang]).session() as session:
        await session.prompt(GO)
        await asked(session)
        first = await session.steer((Text("more"),), key="k")
        assert await session.steer((Text("more"),), key="k") == first
        assert len([e for e in session.log.journal.entries() if isinstance(e.fact, Steered)]) == 1


async def test_steering_nothing_says_so_or_becomes_a_prompt() -> None:
    async with World(say()).session() as session:
        assert (await session.steer(GO)).outcome == "returned"
        started = await session.steer(GO, if_ended="run")
        assert started.outcome == "started"
        await end(session, started.run_id)


async def test_steering_another_run_is_refused_with_the_active_one() -> None:
    async with World([hang]).session() as session:
        active = await session.prompt(GO)
        await asked(session)
        with pytest.raises(Refused) as refusal:
            await session.steer(GO, expected="run_other")
        assert (refusal.value.kind, refusal.value.run_id) == ("runMismatch", active.run_id)


async def test_cancelling_nothing_is_no_error() -> None:
    async with World(say()).session() as session:
        assert session.cancel().state == "notRunning"
        ended = await session.prompt(GO)
        await end(session, ended.run_id)
        assert session.cancel(ended.run_id).state == "alreadyEnded"


async def test_cancel_keeps_the_queue_unless_asked_to_clear_it() -> None:
    async with World([hang], [hang]).session() as session:
        first = await session.prompt(GO)
        second = await session.prompt(GO)
        third = await session.prompt(GO)
        receipt = session.cancel()
        assert (receipt.run_id, receipt.kept) == (first.run_id, (second.run_id, third.run_id))
        await end(session, first.run_id)
        await become(lambda: second.run_id not in {admitted.run_id for admitted in session.state.queue})
        receipt = session.cancel(queued="drop")
        assert (receipt.run_id, receipt.dropped) == (second.run_id, (third.run_id,))
        for run_id in (second.run_id, third.run_id):
            assert (await end(session, run_id)).stop.reason == StopReason.CANCELLED
        assert not session.state.queue


async def test_a_waiting_run_can_be_cancelled_alone() -> None:
    world = World([hang])
    async with world.session() as session:
        first = await session.prompt(GO)
        second = await session.prompt(GO)
        receipt = session.cancel(second.run_id)
        assert (receipt.state, receipt.run_id, receipt.dropped) == (
            "cancelling", second.run_id, (second.run_id,),
        )  # fmt: skip
        assert (await end(session, second.run_id)).stop.reason == StopReason.CANCELLED
        assert session.state.running
        session.cancel()
        await end(session, first.run_id)
    assert len(world.model.requests) == 1


async def test_caller_that_leaves_cancels_the_run_whose_end_is_recorded() -> None:
    async with World([hang]).session() as session:
        admission = await session.prompt(GO)
        waiting = asyncio.ensure_future(session.finished(admission.run_id))
        await asyncio.sleep(0)  # it begins to wait
        await asked(session)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert session.state.stop == Stop(StopReason.CANCELLED, "cancelled by the user")


async def test_a_cancelled_task_of_the_run_itself_is_recorded_and_raised() -> None:
    async with World([hang]).sessions() as sessions:
        session = await sessions.create("/project")
        admission = await session.prompt(GO)
        await asked(session)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await session.finished(admission.run_id)
        assert session.state.stop == Stop(StopReason.CANCELLED, "the caller went away")
        assert not session.state.running


async def test_closing_ends_the_run_as_interrupted_and_keeps_what_waits() -> None:
    world = World([hang], say("one"), say("two"))
    async with world.sessions() as sessions:
        session = await sessions.create("/project")
        await session.prompt((Text("1"),))
        await asked(session)
        await session.prompt((Text("2"),))
        await sessions.close(session.session_id)
        await sessions.close(session.session_id)
        assert session.state.stop == SHUT_DOWN
        again = await sessions.open(session.session_id)
        assert again is not session
        assert again is await sessions.open(session.session_id)
        assert [admitted.content for admitted in again.state.queue] == [(Text("2"),)]
        third = await again.prompt((Text("3"),))
        await end(again, third.run_id)
        assert [line for line in told(again) if line.startswith("took in")] == [
            "took in user: 1", "took in user: 2", "took in user: 3",
        ]  # fmt: skip


async def test_a_session_that_is_being_closed_is_opened_again_when_it_is_free() -> None:
    async with World([hang], say("one")).sessions() as sessions:
        session = await sessions.create("/project")
        await session.prompt((Text("1"),))
        await asked(session)
        closing = asyncio.ensure_future(sessions.close(session.session_id))
        await asyncio.sleep(0)
        again = await sessions.open(session.session_id)
        assert closing.done()
        assert again is not session
        assert again.state.stop == SHUT_DOWN


async def test_session_closed_while_its_opening_waits_for_another_is_opened_when_it_is_free() -> None:
    world, loads, ends = World([lambda: linger(ends)], say("one")), threading.Event(), asyncio.Event()
    async with world.sessions() as sessions:
        other = await sessions.create("/project")
        await sessions.close(other.session_id)
        session = await sessions.create("/project")
        await session.prompt((Text("1"),))
        await asked(session)
        open_at_once = world.store.open
        world.store.open = lambda session_id: (loads.wait(PATIENCE), open_at_once(session_id))[1]
        opening = [
            asyncio.ensure_future(sessions.open(each.session_id)) for each in (other, session)
        ]  # the second waits for the first
        await asyncio.sleep(0.01)
        closing = asyncio.ensure_future(sessions.close(session.session_id))
        await asyncio.sleep(0)
        loads.set()
        await opening[0]
        ends.set()
        again = await opening[1]
        assert closing.done()
        assert again is not session
        assert again.state.stop == SHUT_DOWN


async def test_a_replaced_prompt_that_could_begin_at_that_moment_never_runs() -> None:
    async with World([hang], say("other")).session() as session:
        first = await session.prompt((Text("1"),))
        await asked(session)
        second = await session.prompt((Text("2"),))
        replacing = asyncio.ensure_future(run_queue.replace(session, second.item_id, OTHER, ANYBODY))
        await asyncio.sleep(0)  # the other prompt is admitted and waits for the disk
        (other,) = session.state.queue
        session.cancel(first.run_id)
        await replacing
        assert (await end(session, second.run_id)).stop.reason is StopReason.CANCELLED
        await end(session, other.run_id)
        injected = [line for line in told(session) if line.startswith("took in")]
        assert injected == ["took in user: 1", "took in user: other"]


async def test_a_run_that_a_crash_left_open_is_closed_and_its_call_never_repeated() -> None:
    async def crash(context: ToolContext) -> None:
        await hang()

    tool = FakeTool("write", frozenset({Effect.WRITES}), crash)
    world = World(call(("c1", "write"), ("c2", "write")), say("I see"), tools=[tool])
    async with world.session() as session:
        await session.prompt(GO)
        while not session.state.calls or not session.state.calls["c1"].started:
            await asyncio.sleep(0.001)
        entries = session.log.journal.entries()
    crashed = World(say("I see"), tools=[tool])
    journal = crashed.store.create("ses_crashed")
    journal.append(*entries)
    journal.close()
    async with crashed.sessions() as sessions:
        session = await sessions.open("ses_crashed")
        assert session.state.stop is not None
        assert session.state.stop.reason == StopReason.INTERRUPTED
        interrupted = session.state.run_id
        admission = await session.prompt((), recovers=interrupted)
        result = await end(session, admission.run_id)
    assert result.stop.reason == StopReason.END_TURN
    assert tool.ran == 1
    assert paired(result.state.transcript)
    unknown, not_run = (m for m in crashed.model.requests[0].messages if isinstance(m, ToolResult))
    assert "outcome of this call is unknown" in unknown.text
    assert "was not run" in not_run.text


async def test_a_run_that_cannot_be_equipped_ends_with_the_reason() -> None:
    world = World()

    def broken(session: Session, admitted: Admitted) -> RunSetup:
        raise ValueError("no such room")

    world.build_run = broken  # type: ignore[method-assign]
    async with world.session() as session:
        admission = await session.prompt(GO)
        result = await end(session, admission.run_id)
        assert result.stop.reason == StopReason.INTERNAL_ERROR
        assert not session.state.queue


async def test_a_journal_that_lost_its_lock_stops_the_run_without_another_write() -> None:
    world = World(say("never"))
    async with world.session() as session:
        admission = await session.prompt(GO)
        written = len(session.log.journal.entries())

        def lost(*entries: object) -> None:
            raise JournalError("another process took this session over")

        session.log.journal.append = lost  # type: ignore[method-assign]
        with pytest.raises(JournalError):
            await end(session, admission.run_id)
        assert len(session.log.journal.entries()) == written


@pytest.mark.port("Checkpointer")
async def test_trouble_with_the_disk_is_shown_and_so_is_its_end() -> None:
    """A disk that refuses is a notice."""
    async with World().session() as session:
        seen: list[str] = []
        leave = session.log.subscribe(
            lambda event, state: seen.append(event.text) if isinstance(event, Notice) else None
        )
        journal = session.log.journal
        journal.trouble = "the disk is full"  # type: ignore[misc]
        session.log.record(SessionChanged(title="a"))
        session.log.record(SessionChanged(title="b"))
        journal.trouble = ""  # type: ignore[misc]
        session.log.record(SessionChanged(title="c"))
        leave()
        assert seen == ["the disk is full", "The session is saved again; nothing was lost."]


async def test_old_results_are_forgotten() -> None:
    async with World(*[say() for _ in range(40)]).session() as session:
        first = await session.prompt(GO)
        for _ in range(20):
            last = await session.prompt(GO)
        await end(session, last.run_id)
        await session.prompt(GO)
        with pytest.raises(KeyError):
            await session.finished(first.run_id)


async def test_sessions_are_listed_and_peeked_without_opening_them() -> None:
    world = World(say())
    async with world.sessions() as sessions:
        session = await sessions.create("/project", title="a title")
        rows, cursor = await sessions.list()
        assert [(row.session_id, row.title) for row in rows] == [(session.session_id, "a title")]
        assert cursor == ""
        assert len(await sessions.peek(session.session_id)) == 1
        with pytest.raises(JournalError):
            await sessions.open("ses_unknown")


async def test_a_session_is_written_by_one_process() -> None:
    world = World()
    async with world.sessions() as sessions, world.sessions() as others:
        session = await sessions.create("/project")
        with pytest.raises(JournalBusy):
            await others.open(session.session_id)


@pytest.mark.parametrize("delay", range(12))
async def test_steering_that_races_the_end_is_taken_in_or_returned(delay: int) -> None:
    async with World(say("one"), *[say() for _ in range(3)]).session() as session:
        admission = await session.prompt(GO)
        for _ in range(delay):
            await asyncio.sleep(0)
        steered = await session.steer((Text("more"),), if_ended="queue")
        await end(session, steered.run_id)
        while session.state.running:
            await asyncio.sleep(0.001)
        taken = [line for line in told(session) if line.startswith("took in")]
        assert ", ".join(taken).replace("took in ", "") == "user: go, user: more", admission


async def test_cancel_that_races_the_end_gives_one_end() -> None:
    for delay in range(15):
        async with World(say("one")).session() as session:
            admission = await session.prompt(GO)
            for _ in range(delay):
                await asyncio.sleep(0)
            session.cancel()
            result = await end(session, admission.run_id)
            ends = [e for e in session.log.journal.entries() if isinstance(e.fact, RunEnded)]
            assert len(ends) == 1
            assert result.stop.reason in {StopReason.CANCELLED, StopReason.END_TURN}
            said = any(isinstance(e.fact, Replied) for e in session.log.journal.entries())
            assert said or result.stop.reason == StopReason.CANCELLED


async def test_facts_that_only_a_newer_version_knows_change_nothing() -> None:
    async with World().session() as session:
        before = session.state
        session.log.record(Unknown("Telepathy", {"strength": 3}))
        assert session.state.transcript == before.transcript
        session.log.record(Used("critic", Usage(10, 5), 0.5))
        assert session.state.used_by["critic"].total_tokens == 15
        assert session.state.total.cost == 0.5


async def test_failing_listener_does_not_affect_the_others() -> None:
    async with World(say()).session() as session:
        seen: list[object] = []

        def broken(event: object, state: object) -> None:
            raise RuntimeError("boom")

        session.log.subscribe(broken)
        session.log.subscribe(lambda event, state: seen.append(event))
        admission = await session.prompt(GO)
        await end(session, admission.run_id)
        assert seen


async def test_a_call_without_a_tool_can_be_previewed_like_any_other() -> None:
    asked = ToolCall("c1", "nothing", {"a": 1})
    tool = find_tool(asked, ())
    preview = await tool.preview(asked, ToolContext(NOWHERE, "c1", print))
    assert preview.subject == {"type": "tool", "name": "nothing", "input": {"a": 1}}
    assert not tool.spec.effects


def test_facts_whose_beginning_only_a_newer_version_knows_can_still_be_folded() -> None:
    facts = [
        RunStarted("run_1"),
        ToolFinished("call_1", ToolOutcome("done")),
        RunEnded("run_1", Stop(StopReason.END_TURN)),
    ]
    state = fold_all(Entry(seq, 0.0, fact) for seq, fact in enumerate(facts, 1))
    assert (state.run_id, state.running, state.transcript) == ("run_1", False, ())


# --- requests that are followed once ----------------------------------------------------------------


MADE = ClientRequest("a key", "make it so")


async def test_a_request_with_a_key_makes_one_session_in_every_process() -> None:
    world = World(say("one"))
    async with world.sessions() as sessions:
        made, again = await asyncio.gather(*[sessions.create("/project", request=MADE) for _ in range(2)])
        assert made is again
        await end(made, (await made.prompt(GO)).run_id)
        with pytest.raises(Refused, match="another request"):
            await sessions.create("/elsewhere", request=ClientRequest("a key", "make it otherwise"))
        assert sessions.is_open(made.session_id)
        async with world.sessions() as others:
            with pytest.raises(JournalBusy):
                await others.create("/project", request=MADE)
    async with world.sessions() as sessions:
        with pytest.raises(Refused, match="another request"):
            await sessions.fork(made.session_id, request=ClientRequest("a key", "fork it"))
        assert not sessions.is_open(made.session_id)
        assert (await sessions.create("/project", request=MADE)).state == made.state
        assert (await sessions.create("/project")).session_id != made.session_id


async def test_a_request_with_a_key_makes_one_fork_in_every_process() -> None:
    world = World(say("one"), say("two"))
    async with world.sessions() as sessions:
        session = await sessions.create("/project")
        await end(session, (await session.prompt(GO)).run_id)
        fork = await sessions.fork(session.session_id, request=MADE)
        await end(session, (await session.prompt(GO)).run_id)
        assert await sessions.fork(session.session_id, request=MADE) is fork
    async with world.sessions() as sessions:
        assert (await sessions.fork(session.session_id, request=MADE)).state == fork.state
        assert len((await sessions.list())[0]) == 2


@pytest.mark.parametrize("facts", range(5))
async def test_fork_left_unfinished_by_a_crash_is_made_anew(facts: int) -> None:
    world = World(say("one"))
    async with world.sessions() as sessions:
        session = await sessions.create("/project")
        await end(session, (await session.prompt(GO)).run_id)
    journal = world.store.create(made_for(MADE), MADE.asked)
    journal.append(*session.log.journal.entries()[:facts])
    journal.close()
    async with world.sessions() as sessions:
        fork = await sessions.fork(session.session_id, request=MADE)
        assert fork.state.parent == session.session_id
        assert fork.state.transcript == session.state.transcript


async def test_a_change_of_the_queue_with_a_key_is_made_once() -> None:
    world = World([hang])
    async with world.session() as session:
        await session.prompt(GO)
        await asked(session)
        one, two, three = [(await session.prompt((Text(text),))).item_id for text in "123"]
        requests = {name: ClientRequest(name, name) for name in ("remove", "move", "replace")}
        assert not run_queue.followed(session, requests["remove"], run_queue.CHANGED)
        run_queue.remove(session, one, requests["remove"])
        run_queue.move(session, three, 0, requests["move"])
        await run_queue.replace(session, two, OTHER, requests["replace"])
    async with world.sessions() as sessions:
        session = await sessions.open(session.session_id)
        assert [waiting.content for waiting in session.state.queue] == [(Text("3"),), OTHER]
        for name, request in requests.items():
            facts = run_queue.REPLACED if name == "replace" else run_queue.CHANGED
            assert run_queue.followed(session, request, facts)
            with pytest.raises(Refused, match="another request"):
                run_queue.followed(session, ClientRequest(name, "something else"), facts)
        fork = await sessions.fork(session.session_id)
        assert not run_queue.followed(fork, requests["remove"], run_queue.CHANGED)


async def test_a_change_of_the_queue_that_a_crash_broke_off_is_made_when_it_is_asked_for_again() -> None:
    world = World([hang])
    request = ClientRequest("a key", "remove it")
    async with world.session() as session:
        await session.prompt(GO)
        await asked(session)
        item_id = (await session.prompt(OTHER)).item_id
        run_queue.remove(session, item_id, request)
        entries = session.log.journal.entries()
    place = next(n for n, entry in enumerate(entries) if isinstance(entry.fact, Noted)) + 1
    journal = world.store.create("ses_crashed")
    journal.append(*entries[:place])
    journal.close()
    async with world.sessions() as sessions:
        session = await sessions.open("ses_crashed")
        assert not run_queue.followed(session, request, run_queue.CHANGED)
        run_queue.remove(session, item_id, request)
        assert run_queue.followed(session, request, run_queue.CHANGED)
        assert not session.state.queue


async def test_a_prompt_that_is_about_to_begin_is_removed_once() -> None:
    async with World(say("never")).session() as session:
        admission = await session.prompt(GO)
        request = ClientRequest("a key", "remove it")
        run_queue.remove(session, admission.item_id, request)
        assert run_queue.followed(session, request, run_queue.CHANGED)
        assert (await end(session, admission.run_id)).stop.reason is StopReason.CANCELLED
        assert not session.state.transcript


# --- sessions that another process writes ------------------------------------------------------------


def heard(session: Session) -> tuple[list[int], list[str]]:
    """The numbers of the facts, and the titles of the notices, that are heard of from here on."""
    facts, notices = list[int](), list[str]()

    def hear(event: Entry | Transient, state: State) -> None:
        if isinstance(event, Entry):
            facts.append(event.seq)
        elif isinstance(event, Notice):
            notices.append(event.title)

    session.log.subscribe(hear)
    return facts, notices


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not reached():
            await asyncio.sleep(0.01)


async def test_a_session_that_another_process_writes_is_followed_and_taken_over() -> None:
    world = World(say("one"), say("two"), say("three"))
    async with world.sessions() as sessions, world.sessions() as others:
        theirs = await others.create("/project", title="Theirs")
        await end(theirs, (await theirs.prompt(GO)).run_id)
        ours = await sessions.follow(theirs.session_id)
        assert ours is await sessions.follow(theirs.session_id)
        assert (ours.state, ours.log.journal.epoch) == (theirs.state, theirs.log.journal.epoch)
        facts, notices = heard(ours)
        before = ours.state.seq
        await end(theirs, (await theirs.prompt(OTHER)).run_id)
        await until(lambda: ours.state.seq == theirs.state.seq)
        assert ours.state == theirs.state
        assert facts == list(range(before + 1, theirs.state.seq + 1))
        with pytest.raises(JournalBusy):
            await ours.prompt(GO)
        with pytest.raises(JournalBusy):
            await ours.log.sync()
        with pytest.raises(JournalBusy):
            await sessions.open(theirs.session_id)
        assert notices == []
        await others.close(theirs.session_id)
        await until(lambda: bool(notices))
        mine = await sessions.open(theirs.session_id)
        mine.log.record(SessionChanged(title="Mine"))
        await sessions.unfollow(theirs.session_id)
        assert ours.state == mine.state, "the last was told, too"
        await sessions.unfollow(theirs.session_id)
        await end(mine, (await mine.prompt(GO)).run_id)
        assert facts[-1] < mine.state.seq
        assert len(notices) == 1


async def test_followed_session_reports_its_deletion() -> None:
    world = World()
    async with world.sessions() as sessions, world.sessions() as others:
        session_id = (await others.create("/project")).session_id
        _, notices = heard(await sessions.follow(session_id))
        await others.delete(session_id)  # who looks in the middle of it is told first that nobody writes it
        await until(lambda: notices[-1:] == ["The session cannot be followed any more"])
        with pytest.raises(JournalError):
            await sessions.unfollow(session_id)
        with pytest.raises(JournalError):
            await sessions.follow(session_id)
