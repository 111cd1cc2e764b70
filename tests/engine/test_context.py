"""What the model sees becomes shorter: summaries, results taken out, and how large the rest is."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import pytest

from agls.engine.admission import Refused
from agls.engine.context import CLEARED, Measure
from agls.engine.facts import Admitted, Cleared, Compacted, Expanded, Fact
from agls.engine.feature import Feature, RunSetup, RunView
from agls.engine.history import forked, name_of, rewinding
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import fold_all
from agls.engine.vocabulary import Message, Text, Usage, UserMessage
from agls.stores.memory import MemoryStore
from support.scenario import NOWHERE, FakeClock, FakeModel, FakeTool, Part, call, check, overflow, say, words


def texts(messages: Sequence[Message]) -> list[str]:
    """What the messages say."""
    return [words(m.content) if isinstance(m, UserMessage) else m.text for m in messages]


@asynccontextmanager
async def played(*prompts: Sequence[list[Part]]) -> AsyncIterator[Session]:
    """A session in which these prompts, `1` and on, were followed with a tool `look`."""
    model = FakeModel([turn for turns in prompts for turn in turns])
    room = Feature(name="room", tools=(FakeTool("look", text="found"),))

    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        return RunSetup((room,), model, NOWHERE)

    async with Sessions(MemoryStore(), build_run, FakeClock()) as sessions:
        session = await sessions.create("/project")
        for number in range(1, len(prompts) + 1):
            admission = await session.prompt((Text(str(number)),))
            await session.finished(admission.run_id)
        yield session
        assert fold_all(session.log.journal.entries()) == session.state


def shorten(session: Session, fact: Fact) -> list[str]:
    """What the model sees after this; the transcript is as it was."""
    before = session.state.transcript
    session.log.record(fact)
    assert session.state.transcript == before
    return texts(session.state.context.messages)


async def test_results_that_were_taken_out_make_room_and_stay_in_the_transcript() -> None:
    async def clear(view: RunView) -> Sequence[Cleared]:
        return (Cleared("item_c", ("c1",), "overflow", 9, 5),) if view.state.overflowed else ()

    tools = (FakeTool("look", text="long"),)
    state = await check(
        call(("c1", "look"), ("c2", "look")), overflow(), say(),
        features=[Feature(name="compaction", tools=tools, before_turn=clear)],
        facts=None,
    )  # fmt: skip
    assert state.stop
    assert state.stop.reason == "end_turn"
    assert texts(state.context.messages) == ["go", "", CLEARED, "long", "done"]
    assert texts(state.transcript) == ["go", "", "long", "long", "done"]


async def test_a_summary_leaves_the_messages_it_names_in_front() -> None:
    async with played([call(("c1", "look")), say("a")], [say("b")], [say("c")]) as session:
        ids = [name_of(message) for message in session.state.context.messages]
        assert texts(session.state.context.messages) == ["1", "", "found", "a", "2", "b", "3", "c"]
        kept = shorten(session, Compacted("item_s", "so far", 6, (ids[0], ids[3], "item_unknown")))
        assert kept == ["1", "so far", "3", "c"], "replies are not kept: their calls would lack results"
        assert shorten(session, Compacted("item_t", "all", 4, (ids[0],))) == ["1", "all"]


async def test_rewind_to_before_a_summary_is_refused() -> None:
    async with played([say("a")], [say("b")], [say("c")]) as session:
        ids = [name_of(message) for message in session.state.context.messages]
        session.log.record(Compacted("item_s", "so far", 4, (ids[2],)))
        for gone in ids[:3]:
            with pytest.raises(Refused, match="summarised"):
                rewinding(session, gone)
        assert rewinding(session, ids[3]).keep == 2, "the prompt right behind the summary is taken back"
        assert rewinding(session, "item_s").keep == 2
        assert rewinding(session, ids[4]).keep == 3
        assert forked(session.log.journal.entries(), ids[1])[-1].seq > 0, "a fork can go anywhere"


async def test_a_fork_takes_along_what_was_taken_out() -> None:
    async with played([call(("c1", "look")), say("a")]) as session:
        session.log.record(Cleared("item_c", ("c1",)))
        copy = fold_all(forked(session.log.journal.entries(), "item_c"))
        assert texts(copy.context.messages) == ["1", "", CLEARED, "a"]


async def test_the_measure_is_what_the_last_reply_was_counted_at() -> None:
    counted = Usage(1_000, 50, 20)
    async with played([say("a", usage=counted)], [say("b")]) as session:
        measure = session.state.measure
        assert (measure.messages, measure.tokens) == (2, 1_030), "thoughts are not sent again"
        assert 0 < measure.at < session.state.updated_at
        session.log.record(Compacted("item_s", "so far", 2, tokens_after=300))
        assert session.state.measure == Measure(3, 300, measure.at)
        session.log.record(rewinding(session, "item_s"))
        assert session.state.measure == Measure(0, 0, measure.at)


async def test_undone_summary_gives_back_what_it_replaced_and_keeps_what_came_since() -> None:
    async with played([say("a")], [say("b")], [say("c")]) as session:
        whole = texts(session.state.context.messages)
        assert shorten(session, Compacted("item_s", "so far", 4)) == ["so far", *whole[4:]]
        assert shorten(session, Expanded("item_u", "item_s", 5, 50)) == whole
        assert session.state.measure.tokens == 50
        assert shorten(session, Expanded("item_v", "item_unknown")) == whole
        assert shorten(session, Compacted("item_t", "again", 2)) == ["again", *whole[2:]]
        keep = name_of(session.state.context.messages[2])
        session.log.record(rewinding(session, keep))
        assert shorten(session, Expanded("item_w", "item_t")) == whole[:4], "what was taken back stays so"
