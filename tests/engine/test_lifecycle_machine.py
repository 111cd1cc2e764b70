"""The life of sessions as a state machine: nothing is lost or done twice, whatever is done in what order."""

import asyncio
import os
from collections import Counter
from collections.abc import AsyncGenerator, Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from agls.engine import run_queue
from agls.engine.admission import ANYBODY, ClientRequest, Policy, Refused
from agls.engine.facts import Admitted, Entry, ModelDelta, Replied, RunEnded, Steered, TextDelta
from agls.engine.feature import RunSetup
from agls.engine.history import name_of, rewinding
from agls.engine.ports import ModelInfo, ModelRequest, Reply
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import fold_all
from agls.engine.vocabulary import Text, UserMessage
from agls.stores.memory import MemoryStore
from support.scenario import NOWHERE, FakeClock

Result = TypeVar("Result")
# AGLS_MACHINE_EXAMPLES=2000 takes about a minute.
EXAMPLES = int(os.environ.get("AGLS_MACHINE_EXAMPLES", "25"))
PATIENCE = 30.0


class FakeTalker:
    """Answers everything, but hangs when it is told to."""

    info = ModelInfo("talker")

    def resolve(self, name: str) -> "FakeTalker":
        """It is every model."""
        return self

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply, None]:
        """One word, then the answer, if any."""
        yield TextDelta(request.reply_id, "yes")
        last = next(message for message in reversed(request.messages) if isinstance(message, UserMessage))
        if any(isinstance(part, Text) and "hang" in part.text for part in last.content):
            await asyncio.Event().wait()
        yield Replied(request.reply_id, "yes")


def build_run(session: Session, admitted: Admitted) -> RunSetup:
    return RunSetup((), FakeTalker(), NOWHERE)


class Lives(RuleBasedStateMachine):
    """One session at a time, in processes that come and go."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.store = MemoryStore()
        self.sessions = self.new_process()
        self.count = 0
        self.kept: list[ClientRequest] = []
        self.session = self.do(self.sessions.create("/project"))

    def do(self, work: Coroutine[Any, Any, Result]) -> Result:
        async def bounded() -> Result:
            async with asyncio.timeout(PATIENCE):
                return await work

        return self.loop.run_until_complete(bounded())

    def new_process(self) -> Sessions:
        return Sessions(self.store, build_run, FakeClock())

    def text(self, hangs: bool) -> tuple[Text, ...]:
        self.count += 1
        return (Text(f"{self.count} {'hang' if hangs else 'go'}"),)

    @rule(
        hangs=st.booleans(),
        policy=st.sampled_from(["ifIdle", "queue", "steer", "interrupt"]),
        key=st.booleans(),
    )
    def prompt(self, hangs: bool, policy: Policy, key: bool) -> None:
        text = self.text(hangs)
        name = f"key {self.count}" if key else ""
        with suppress(Refused):
            first = self.do(self.session.prompt(text, policy, key=name))
            if key:
                assert self.do(self.session.prompt(text, policy, key=name)).item_id == first.item_id

    @rule(if_ended=st.sampled_from(["run", "queue", "return"]))
    def steer(self, if_ended: Any) -> None:
        self.do(self.session.steer(self.text(False), if_ended=if_ended))

    @rule(name=st.booleans(), queued=st.sampled_from(["keep", "drop"]))
    def cancel(self, name: bool, queued: Any) -> None:
        async def cancel() -> None:
            self.session.cancel(self.session.state.run_id if name else "", queued)

        self.do(cancel())

    @precondition(lambda self: self.session.state.queue)
    @rule(place=st.integers(0, 3), to=st.integers(0, 3), op=st.sampled_from(["remove", "move", "replace"]))
    def rearrange(self, place: int, to: int, op: str) -> None:
        waiting = self.session.state.queue
        item_id = waiting[place % len(waiting)].item_id
        request = ClientRequest(f"change {self.count}", op)

        async def change() -> None:
            match op:
                case "remove":
                    run_queue.remove(self.session, item_id, request)
                case "move":
                    run_queue.move(self.session, item_id, to, request)
                case _:
                    await run_queue.replace(self.session, item_id, self.text(False), ANYBODY)

        with suppress(Refused):
            self.do(change())

    @rule(steps=st.integers(1, 60))
    def go_on(self, steps: int) -> None:
        async def wait() -> None:
            for _ in range(steps):
                await asyncio.sleep(0)

        self.do(wait())

    @rule()
    def close_and_resume(self) -> None:
        self.do(self.sessions.close(self.session.session_id))
        self.session = self.do(self.sessions.open(self.session.session_id))

    @rule()
    def crash(self) -> None:
        """The process is gone in this moment; the next one finds what was written."""
        entries = list(self.session.log.journal.entries())
        self.leave()
        self.loop = asyncio.new_event_loop()
        self.store = MemoryStore()
        journal = self.store.create(self.session.session_id)
        journal.append(*entries)
        journal.close()
        self.sessions = self.new_process()
        self.session = self.do(self.sessions.open(self.session.session_id))

    @rule(place=st.integers(0, 20))
    def fork(self, place: int) -> None:
        messages = self.session.state.transcript
        item_id = name_of(messages[place % len(messages)]) if messages else ""
        with suppress(Refused):
            fork = self.do(self.sessions.fork(self.session.session_id, item_id))
            assert not fork.state.queue
            assert not fork.state.running
            self.do(self.sessions.delete(fork.session_id))

    @rule(place=st.integers(0, 20))
    def rewind(self, place: int) -> None:
        messages = self.session.state.transcript
        with suppress(Refused):
            item_id = name_of(messages[place % len(messages)]) if messages else ""
            self.session.log.record(rewinding(self.session, item_id))

    @rule()
    def delete(self) -> None:
        self.do(self.sessions.delete(self.session.session_id))
        self.session = self.do(self.sessions.create("/project"))

    @invariant()
    def the_journal_tells_it_all(self) -> None:
        entries = self.session.log.journal.entries()
        assert fold_all(entries) == self.session.state
        ends = Counter(e.fact.run_id for e in entries if isinstance(e.fact, RunEnded))
        assert all(count == 1 for count in ends.values()), "a run has one end"

    def teardown(self) -> None:
        """Everything that was admitted comes to one end, and what was said was said once."""

        async def end() -> None:
            while self.session.state.queue or self.session.state.running:
                self.session.cancel(queued="drop")
                if not (self.session.state.running or self.session.cancel().run_id):
                    await self.session.prompt(self.text(False))  # what a dead process left runs with the next
                await asyncio.sleep(0)

        self.do(end())
        self.the_journal_tells_it_all()
        check(self.session.log.journal.entries(), self.session)
        self.do(self.sessions.__aexit__())
        self.leave()

    def leave(self) -> None:
        """The loop and all that runs in it are gone."""

        async def end() -> None:
            while running := asyncio.all_tasks() - {asyncio.current_task()}:
                await asyncio.sleep(0)  # what was only just spawned begins, so that it can end
                for task in running:
                    task.cancel()
                await asyncio.wait(running)

        self.do(end())
        self.loop.run_until_complete(self.loop.shutdown_asyncgens())
        self.loop.close()


def check(entries: Any, session: Session) -> None:
    facts = [entry.fact for entry in entries if isinstance(entry, Entry)]
    admitted = {fact.run_id for fact in facts if isinstance(fact, Admitted)}
    ended = {fact.run_id for fact in facts if isinstance(fact, RunEnded)}
    assert admitted == ended, "every run that was admitted ended"
    said = Counter(m.item_id for m in session.state.transcript if isinstance(m, UserMessage))
    assert all(count == 1 for count in said.values()), "nothing is taken in twice"
    steered = {fact.item_id for fact in facts if isinstance(fact, Steered)}
    assert steered <= said.keys(), "no message is lost"


TestLives = pytest.mark.timeout(60 + EXAMPLES)(Lives.TestCase)
TestLives.settings = settings(
    max_examples=EXAMPLES,
    stateful_step_count=25,
    deadline=None,
    derandomize=EXAMPLES <= 25,
    suppress_health_check=list(HealthCheck),
)
