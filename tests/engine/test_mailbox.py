"""Steering under any interleaving: in order, drained before each step, nothing lost at the end of a run."""

import asyncio
from collections.abc import AsyncGenerator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agls.engine.facts import Admitted, ModelDelta, Replied, Steered
from agls.engine.feature import Feature, RunSetup
from agls.engine.ports import ModelInfo, ModelRequest, Reply, ToolContext, new_id
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.vocabulary import Content, Image, Message, Text, ToolCall, UserMessage
from agls.stores.memory import MemoryStore
from support.patience import PATIENCE
from support.scenario import NOWHERE, FakeClock, FakeTool

STEPS = 3  # replies with calls before the last one, when nobody steers
Voice = tuple[str, int]  # who speaks, and how many moments pass before


class FakeWalker:
    """Calls a tool a few times, at its own pace, then ends; remembers what it saw each time."""

    info = ModelInfo("walker")

    def __init__(self, pace: int) -> None:
        self._pace, self.seen = pace, list[tuple[Message, ...]]()

    def resolve(self, name: str) -> "FakeWalker":
        """It is every model."""
        return self

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply, None]:
        """A call, or at last some words."""
        self.seen.append(request.messages)
        for _ in range(self._pace):
            await asyncio.sleep(0)
        call = (ToolCall(new_id("call"), "look", {}),) if len(self.seen) <= STEPS else ()
        yield Replied(request.reply_id, "" if call else "done", tool_calls=call)


def said(message: Message) -> str:
    if not isinstance(message, UserMessage):
        return ""
    return "".join(part.text for part in message.content if isinstance(part, Text))


@pytest.mark.port("Steer mailbox")
@given(
    pace=st.integers(0, 6),
    talks=st.booleans(),
    voices=st.lists(st.tuples(st.sampled_from(["text", "image", "queue"]), st.integers(0, 25)), max_size=8),
)
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_no_message_is_lost_doubled_or_out_of_order(pace: int, talks: bool, voices: list[Voice]) -> None:
    """Whatever comes when, from the user and from tools, as text and as image."""
    asyncio.run(asyncio.wait_for(steered(pace, talks, voices), PATIENCE))


async def steered(pace: int, talks: bool, voices: list[Voice]) -> None:
    model, kept, lost = FakeWalker(pace), ["go"], list[str]()

    async def talk(context: ToolContext) -> None:
        word = f"tool {len(kept)}"
        if talks:
            content = (Text(word), Image("AAAA", "image/png"))
            session.log.record(Steered(new_id("item"), session.state.run_id, content, origin="tool"))
            kept.append(word)

    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        return RunSetup((Feature(name="tools", tools=(FakeTool("look", body=talk),)),), model, NOWHERE)

    async with Sessions(MemoryStore(), build_run, FakeClock()) as sessions:
        session = await sessions.create("/project")
        first = await session.prompt((Text("go"),))
        for number, (voice, moments) in enumerate(voices):
            for _ in range(moments):
                await asyncio.sleep(0)
            await speak(session, voice, f"m{number}", kept, lost)
        await session.finished(first.run_id)
        while session.state.running or session.state.queue:
            await asyncio.sleep(0)
        kept.append("and?")  # a message too late for its run is what the next one begins with
        await session.finished((await session.prompt((Text("and?"),))).run_id)
        heard = [said(message) for message in session.state.transcript if isinstance(message, UserMessage)]
        assert not session.state.pending
    assert heard == kept, "in the order in which they came, each once; what was given back is not in it"
    assert not set(lost) & set(kept)
    for before, after in zip(model.seen, model.seen[1:], strict=False):
        assert after[: len(before)] == before, "they go behind what was there"
    assert {said(message) for message in model.seen[-1]} >= set(heard), "the model has seen them all"


async def speak(session: Session, voice: str, word: str, kept: list[str], lost: list[str]) -> None:
    """Say it, and note what became of it; that is decided before anybody else has a turn."""
    content: tuple[Content, ...] = (
        (Text(word), Image("AAAA", "image/png")) if voice == "image" else (Text(word),)
    )
    place = len(kept)
    outcome = (await session.steer(content, if_ended="queue" if voice == "queue" else "return")).outcome
    if outcome == "returned":
        lost.append(word)
    else:
        kept.insert(place, word)
