"""Sessions that work for another session: side by side, ended with it, accounted for exactly."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from agls.engine.children import Children
from agls.engine.facts import Admitted, Noted, Replied, SessionChanged, Used
from agls.engine.feature import Feature, RunSetup, with_tools
from agls.engine.limits import Totals, left
from agls.engine.ports import JournalError
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.spawning import ChildResult, ChildTask
from agls.engine.vocabulary import Limits, StopReason, Text, Usage
from agls.stores.memory import MemoryStore
from support.patience import PATIENCE, become
from support.scenario import NOWHERE, FakeClock, FakeModel, FakeTool, Part, asked, say

GO = (Text("go"),)


class World:
    """A parent whose children's models play these turns, in the order in which they are asked."""

    def __init__(self, *turns: list[Part]) -> None:
        self.store, self.model = MemoryStore(), FakeModel(list(turns))

    def build_run(self, session: Session, admitted: Admitted) -> RunSetup:
        return RunSetup((Feature(name="none"),), self.model, NOWHERE, Limits(max_model_calls=9))

    @asynccontextmanager
    async def task_group(self) -> AsyncIterator[tuple[Sessions, Session, Children]]:
        async with Sessions(self.store, self.build_run, FakeClock()) as sessions:
            parent = await sessions.create("/project", roots=("/more",))
            yield sessions, parent, Children(sessions, parent)


def child_task(label: str = "a", **more: Any) -> ChildTask:
    return ChildTask("call_1", label, GO, **more)


async def done(children: Children, *child_tasks: ChildTask) -> list[ChildResult]:
    async with children.task_group() as begin:
        return [
            await asyncio.wait_for(one, PATIENCE) for one in [begin(child_task) for child_task in child_tasks]
        ]


def used(session: Session) -> list[str]:
    return [e.fact.by for e in session.log.journal.entries() if isinstance(e.fact, Used)]


async def test_a_child_is_a_session_with_its_parents_folders_and_its_own_options() -> None:
    async with World(say("hi", usage=Usage(3, 4))).task_group() as (sessions, parent, children):
        wanted = child_task(title="A", options={"mode": "plan"})
        (returned,) = await done(children, wanted)
        assert (returned.stop.reason, returned.state.transcript[-1].text) == (StopReason.END_TURN, "hi")  # pyright: ignore
        state = returned.state
        assert (state.parent, state.parent_item, state.depth) == (parent.session_id, "call_1", 1)
        assert (state.cwd, state.roots, state.title, state.options) == (
            "/project",
            ("/more",),
            "A",
            {"mode": "plan"},
        )
        assert not sessions.is_open(children.child_of(wanted)), "it rests, and is let go of"
        assert used(parent) == [children.child_of(wanted)]
        assert parent.state.total.total_tokens == 7
        children.note("room", "kind", {})
        assert parent.state.notes["room"][0].kind == "kind"
        assert children.state is parent.state


async def test_hosts_see_a_child_from_its_first_fact_to_its_rest() -> None:
    seen: list[str] = []

    def host(child: Session, parent_id: str):
        seen.append(f"{child.state.seq} of {parent_id}")
        return lambda: seen.append("goodbye")

    async with World(say(), say()).task_group() as (sessions, parent, children):
        sessions.hosts.append(host)
        await done(children, child_task())
        await done(children, child_task("again", resumes=children.child_of(child_task())))
        first, goodbye, again, _ = seen
        assert (first, goodbye) == (f"0 of {parent.session_id}", "goodbye")
        assert again != first


async def test_leaving_the_block_cancels_what_is_not_done_and_waits_for_its_end() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    world = World([hang], [hang])
    async with world.task_group() as (sessions, parent, children):
        async with children.task_group() as begin:
            futures = [begin(child_task("a")), begin(child_task("b"))]
            await become(lambda: len(world.model.requests) == 2)
        assert all(future.cancelled() for future in futures)
        for label in ("a", "b"):
            child = await sessions.open(children.child_of(child_task(label)))
            assert child.state.stop is not None
            assert child.state.stop.reason is StopReason.CANCELLED
        assert len(used(parent)) == 2, "the broken-off calls count as well"


async def test_empty_task_group_ends() -> None:
    async with World().task_group() as (_, parent, children):
        async with children.task_group():
            pass
        assert used(parent) == []


async def test_child_cancelled_before_admission_leaves_nothing_running() -> None:
    async with World(say()).task_group() as (sessions, _, children):
        async with children.task_group() as begin:
            future = begin(child_task())
            await asyncio.sleep(0)  # it begins to be made
        assert future.cancelled()
        assert not sessions.is_open(children.child_of(child_task()))


async def test_resuming_a_session_that_is_no_child_fails() -> None:
    async with World(say()).task_group() as (sessions, parent, children):
        other = await sessions.create("/project")
        fork = await sessions.fork(parent.session_id)
        for session_id in (other.session_id, fork.session_id, "ses_nowhere"):
            (returned,) = await done(children, child_task(resumes=session_id))
            assert returned.stop.reason is StopReason.INTERNAL_ERROR
        assert sessions.is_open(other.session_id), "what was open stays open"


async def test_a_fork_of_a_child_is_no_child() -> None:
    async with World(say()).task_group() as (sessions, _, children):
        await done(children, child_task())
        fork = await sessions.fork(children.child_of(child_task()))
        assert (fork.state.parent, fork.state.parent_item, fork.state.depth) == (
            children.child_of(child_task()), "", 0,
        )  # fmt: skip


async def test_a_child_that_somebody_else_prompted_meanwhile_stays_open() -> None:
    go = asyncio.Event()
    world = World([go.wait, Replied("", "one")], [go.wait, Replied("", "two")])
    async with world.task_group() as (sessions, _, children), children.task_group() as begin:
        future = begin(child_task())
        await become(lambda: world.model.requests)
        child = await sessions.open(children.child_of(child_task()))
        await asked(child)
        later = await child.prompt((Text("more"),))
        (busy,) = await done(children, child_task("b", resumes=child.session_id))
        assert busy.stop.detail == "A run is active in this session."
        go.set()
        await asyncio.wait_for(future, PATIENCE)
        await asyncio.wait_for(child.finished(later.run_id), PATIENCE)
        assert sessions.is_open(child.session_id)


async def test_spending_of_a_child_lost_in_a_crash_is_charged_once() -> None:
    world = World(say("one", usage=Usage(1, 1)), say("two", usage=Usage(2, 2)))
    async with world.task_group() as (sessions, parent, children):
        await done(children, child_task())
        child_id = children.child_of(child_task())
        child = await sessions.open(child_id)
        child.log.record(Used("grandchild", Usage(10, 10)))  # and the process died before it was charged
        await sessions.close(child_id)
        for _ in range(2):
            async with children.open_child(child_id) as below:
                assert below.state.total.total_tokens == 22
            assert not sessions.is_open(child_id)
            assert parent.state.used_by[child_id] == child.state.total._replace(turns=0, seconds=0.0)
        await sessions.open(child_id)
        async with children.open_child(child_id):
            pass
        assert sessions.is_open(child_id), "it was open before"
        with pytest.raises(JournalError):
            async with children.open_child("ses_nowhere"):
                pass


async def test_a_child_that_was_made_before_is_found_again() -> None:
    async with World(say(), say()).task_group() as (sessions, parent, children):
        child_id = children.child_of(child_task())
        await done(children, child_task())
        facts = [entry.fact for entry in await sessions.peek(child_id)]
        assert sum(isinstance(fact, SessionChanged) for fact in facts) == 1
        async with children.open_child(child_id) as below:
            below.note("room", "kind", {})
        assert any(isinstance(entry.fact, Noted) for entry in await sessions.peek(child_id))
        assert parent.state.total.model_calls == 1


def test_limits_less_what_was_used_are_never_negative() -> None:
    limits = Limits(max_turns=5, max_cost_usd=1.0, max_total_tokens=10)
    rest = left(limits, Totals(turns=2, cost=0.25, input_tokens=11))
    assert rest == Limits(max_turns=3, max_cost_usd=0.75, max_total_tokens=0)


def test_a_feature_keeps_the_tools_that_are_named() -> None:
    feature = Feature(name="f", tools=(FakeTool("a"), FakeTool("b")))
    assert with_tools(feature, None) is feature
    assert [tool.spec.name for tool in with_tools(feature, ("b", "c")).tools] == ["b"]
