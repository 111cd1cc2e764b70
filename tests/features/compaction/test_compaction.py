"""Room in the model's context: when it is made, what goes, what stays, and what is when nothing can go."""

import asyncio
from collections.abc import Sequence

import pytest

from agls.engine.actions import ActionError
from agls.engine.context import CLEARED
from agls.engine.facts import Cleared, Compacted, Injected, Overflowed, Replied
from agls.engine.feature import BeforeTurn, Feature, RunView
from agls.engine.ports import ModelError
from agls.engine.state import fold_all
from agls.engine.vocabulary import Limits, Text, Usage, UserMessage
from agls.features.audit.record import records
from agls.features.audit.report import as_json
from agls.features.compaction.settings import Settings
from agls.features.compaction.summary import HEAD, LISTED
from features.compaction.scene import SUMMARY, WINDOW, of, said, scene
from support.scenario import FakeClock, Part, call, overflow, say


def looks(count: int, text: str = "", first: int = 0) -> list[list[Part]]:
    """So many turns that each make one call."""
    return [call((f"c{number}", "look"), text=text) for number in range(first, first + count)]


ASLEEP: list[Part] = [ModelError("It is asleep.", kind="overloaded", hint="Wake it.")]


async def test_with_enough_room_nothing_happens() -> None:
    async with scene(*looks(3), say(), results=[500] * 3) as it:
        await it.prompt()
        assert it.stop == "end_turn"
        assert it.shortened == []
        assert it.seen.titles == []


@pytest.mark.row(27)
async def test_old_results_go_when_the_threshold_is_reached() -> None:
    """Over the threshold the oldest results are taken out, the newest stay, and an event says so."""
    async with scene(*looks(8), say(), results=[800] * 8) as it:
        await it.prompt()
        [cleared] = it.shortened
        assert isinstance(cleared, Cleared)
        assert cleared.cause == "threshold"
        assert cleared.tokens_before > 5_600 > cleared.tokens_after
        results = [text for text in it.visible if text == CLEARED or text.startswith("xxx")]
        assert results == [CLEARED] * len(cleared.call_ids) + [of(800)] * (8 - len(cleared.call_ids))
        assert len(cleared.call_ids) >= 3
        assert said(it.session.state.transcript).count(of(800)) == 8, "the transcript keeps them"
        assert it.spent == [], "no model was asked"


@pytest.mark.row(28)
async def test_the_beginning_becomes_a_summary_and_the_users_words_stay() -> None:
    """A summary by a model takes the place of the middle; first words and last messages stay."""
    async with scene(*looks(8, of(700, "w")), say(), results=[30] * 8) as it:
        await it.prompt("Write a poem.")
        [compacted] = it.shortened
        assert isinstance(compacted, Compacted)
        assert it.visible[:2] == ["Write a poem.", HEAD + "All was well."]
        assert it.visible[-1] == "done"
        assert len(it.visible) < 12
        assert [used.by for used in it.spent] == ["compaction"]
        assert it.session.state.used_by["compaction"].input_tokens == 900
        assert it.seen.titles == ["Making room in the conversation"]
        assert compacted.tokens_after < compacted.tokens_before / 2
        [request] = it.writer.requests
        assert request.tools == ()
        assert "Write a poem." in said(request.messages)[0]


@pytest.mark.row(76)
async def test_a_resumed_session_sees_what_was_left_of_the_conversation() -> None:
    """The state of the compaction: read again from its journal, the context is the shortened one."""
    async with scene(*looks(8, of(700, "w")), say(), results=[30] * 8) as it:
        await it.prompt("Write a poem.")
        again = fold_all(it.session.log.journal.entries())
        assert said(again.context.messages) == it.visible
        assert it.visible[1] == HEAD + "All was well."
        assert len(again.transcript) > len(again.context.messages), "the history keeps everything"


async def test_a_second_summary_takes_in_the_first() -> None:
    async with scene(*looks(17, of(700, "w")), say(), summaries=[SUMMARY, say("Twice.")]) as it:
        await it.prompt("Write a poem.")
        first, second = it.shortened
        assert isinstance(first, Compacted)
        assert isinstance(second, Compacted)
        assert it.visible[:2] == ["Write a poem.", HEAD + "Twice."]
        assert "All was well." in said(it.writer.requests[1].messages)[0]


async def test_compaction_is_decided_by_the_tokens_that_the_provider_counted() -> None:
    counted = Usage(5_700, 10)
    first: list[Part] = [Replied("", of(2_000, "w"), usage=counted)]
    async with scene(first, say()) as it:
        await it.prompt("one")
        assert it.shortened == []
        await it.prompt("two")
        [compacted] = it.shortened
        assert compacted.tokens_before > 5_710


@pytest.mark.port("Compaction")
@pytest.mark.parametrize(("results", "name"), [([800] * 8, "cleared"), ([30] * 8, "compacted")])
async def test_every_firing_is_on_the_record_with_what_there_was_before_and_after(
    results: list[int], name: str
) -> None:
    """At the ratio of the window of the model that was resolved; an event of the audit."""
    text = of(700, "w") if name == "compacted" else ""
    async with scene(*looks(8, text), say(), results=results) as it:
        await it.prompt()
        (record,) = records(it.session.log.journal.entries())
        told = as_json(record, "ses_1")["events"]
    events = [event for event in told if event["name"] in {"cleared", "compacted"}]
    assert (
        [event["name"] for event in events] == [name] == [type(one).__name__.lower() for one in it.shortened]
    )
    (data,) = [event["data"] for event in events]
    assert data["cause"] == "threshold"
    assert data["tokensBefore"] > Settings().at * WINDOW > data["tokensAfter"] > 0
    if name == "compacted":
        assert data["messagesReplaced"] > data["messagesLeftOfThem"] >= 1
    else:
        assert len(data["resultsTakenOut"]) >= 3


@pytest.mark.port("Compaction")
async def test_an_unknown_window_switches_it_off() -> None:
    """Unknown window, off."""
    async with scene(*looks(8), say(), results=[8_000] * 8, window=None) as it:
        await it.prompt()
        assert it.shortened == []


async def test_a_share_of_nothing_switches_it_off() -> None:
    async with scene(*looks(8), say(), results=[8_000] * 8, settings=Settings(at=0)) as it:
        await it.prompt()
        assert it.shortened == []


@pytest.mark.row(7)
@pytest.mark.parametrize("window", [None, WINDOW, 200_000])
async def test_a_request_that_did_not_fit_is_made_again_with_less(window: int | None) -> None:
    """An overflow, then a tool call, then an answer."""
    turns = [*looks(9), overflow(), *looks(1, first=9), say()]
    async with scene(*turns, results=[400] * 9, window=window) as it:
        await it.prompt()
        assert it.stop == "end_turn"
        [cleared] = it.shortened
        assert isinstance(cleared, Cleared)
        assert cleared.cause == "overflow"


@pytest.mark.row(6)
async def test_a_summary_makes_room_when_a_request_did_not_fit() -> None:
    """An overflow, then an answer."""
    async with scene(*looks(6, of(500, "w")), overflow(), say(), window=None) as it:
        await it.prompt()
        assert it.stop == "end_turn"
        assert isinstance(it.shortened[0], Compacted)


async def test_the_first_request_that_does_not_fit_is_tried_once_more_with_less_around_the_prompt() -> None:
    """The environment, the descriptions of tools and the room for the answer go; the user's words never."""
    where = Feature(name="where", before_turn=once("environment", "Working folder: /project"))
    asked = Feature(name="asked", before_turn=once("guards", "Think."))
    async with scene(overflow(), *looks(1), say(), others=(where, asked)) as it:
        await it.prompt("a long question")
        assert it.stop == "end_turn"
        whole, less, after = it.model.requests
        assert said(whole.messages) == ["a long question", "Working folder: /project", "Think."]
        assert said(less.messages) == ["a long question", "Think."]
        assert whole.tools[0].description == "The tool look. It looks."
        assert [less.tools[0].description, after.tools[0].description] == ["The tool look."] * 2
        assert (whole.max_output_tokens, less.max_output_tokens, after.max_output_tokens) == (
            None,
            1_024,
            1_024,
        )
        assert it.seen.titles == ["The request did not fit into the context of the model"]
        await it.prompt("next")  # plays no turn: it fails, but is asked like any other
        assert it.model.requests[-1].tools == whole.tools, "the next run is tried whole again"


async def test_prompt_that_cannot_fit_ends_the_run_with_the_numbers() -> None:
    async with scene(overflow(), overflow()) as it:
        await it.prompt("much too long")
        assert it.stop == "context_full"
        assert it.session.state.stop
        detail = it.session.state.stop.detail
        assert "(it has 120 tokens, the model takes 100)" in detail
        assert "attach a long text as a file" in detail
        assert len(it.model.requests) == 2, "the same request is not made twice"


async def test_overflow_without_numbers_is_reported_without_them() -> None:
    async with scene([Overflowed("no")], [Overflowed("no")]) as it:
        await it.prompt("much too long")
        assert it.session.state.stop
        assert (
            "model, with nothing left that can go. It says: no. Say it shorter"
            in it.session.state.stop.detail
        )


async def test_a_run_that_was_reduced_once_and_overflows_again_ends() -> None:
    async with scene(overflow(), *looks(1), overflow()) as it:
        await it.prompt("a long question")
        assert it.stop == "context_full"
        assert it.session.state.stop
        assert "nothing more can be left out" in it.session.state.stop.detail


def once(origin: str, text: str) -> BeforeTurn:
    """A gate of a room that says this before the first turn."""

    async def before_turn(view: RunView) -> Sequence[Injected]:
        if view.state.run.turns:
            return ()
        return (Injected((UserMessage(f"i_{origin}_{view.state.seq}", (Text(text),), origin),)),)

    return before_turn


async def test_a_model_that_never_has_room_is_not_asked_for_ever() -> None:
    turns = [*looks(6, of(500, "w")), *([overflow()] * 30)]
    async with scene(*turns, results=[500] * 6) as it:
        await it.prompt()
        assert it.stop == "context_full"
        assert 1 < len(it.shortened) < 8


@pytest.mark.row(28)
async def test_without_a_summary_results_have_to_do() -> None:
    """When the model fails, the oldest results are taken out instead."""
    turns = [*looks(4, of(750, "w")), say()]
    once = Settings(keep_results=1)
    async with scene(*turns, results=[700] * 4, settings=once, summaries=[ASLEEP]) as it:
        await it.prompt()
        assert it.stop == "end_turn"
        assert it.failures == ["It is asleep. Wake it."]
        assert "The conversation could not be summarised" in it.seen.titles
        [cleared] = it.shortened
        assert isinstance(cleared, Cleared)


async def test_list_of_the_steps_makes_room_where_no_summary_can_be_had() -> None:
    turns = [*looks(6, of(500, "w")), overflow(), say()]
    async with scene(*turns, summaries=[ASLEEP], window=None) as it:
        await it.prompt("Write a poem.")
        assert it.stop == "end_turn"
        assert it.visible[0] == "Write a poem."
        assert it.visible[1].startswith(LISTED)
        assert "- called look {}" in it.visible[1]


@pytest.mark.parametrize("useless", ["", of(9_000)])
async def test_invalid_summary_is_refused(useless: str) -> None:
    turns = [*looks(6, of(500, "w")), overflow(), say()]
    async with scene(*turns, summaries=[say(useless)], window=None) as it:
        await it.prompt()
        assert it.stop == "end_turn"
        assert len(it.failures) == 1
        assert it.visible[1].startswith(LISTED)


@pytest.mark.row(29)
async def test_no_request_is_made_after_three_failures() -> None:
    """After three summaries that failed no further one is asked for."""
    small = [*looks(10, of(500, "w")), *looks(8, of(60, "v"), 10)]
    async with scene(*small, say(), summaries=[ASLEEP] * 9) as it:
        await it.prompt(of(100, "u"))
        assert it.stop == "end_turn"
        assert len(it.failures) == len(it.writer.requests) == 3
        assert it.shortened == [], "it could still go on without"


@pytest.mark.row(29)
async def test_over_the_soft_limit_the_user_is_warned_once() -> None:
    """A warning over the soft limit."""
    words = of(6_000, "u")
    async with scene(*looks(2), say(), settings=Settings(idle_minutes=0)) as it:
        await it.prompt(words)
        assert it.stop == "end_turn"
        assert it.seen.titles.count("The conversation is nearly too long") == 1


@pytest.mark.row(29)
async def test_over_the_hard_limit_the_run_ends_before_it_asks() -> None:
    """The end over the hard limit, with the numbers."""
    counted = Usage(5_000, 10)
    async with scene(say("short", usage=counted)) as it:
        await it.prompt()
        state = await it.prompt(of(5_000, "u"))
        assert it.stop == "context_full"
        assert state.stop
        assert "10,0" in state.stop.detail
        assert "takes 6,976" in state.stop.detail
        assert state.run.model_calls == 0


async def test_a_budget_is_not_spent_on_a_summary() -> None:
    async with scene(*looks(8, of(700, "w")), say(), limits=Limits(max_model_calls=9)) as it:
        await it.prompt()
        assert it.stop == "end_turn"
        assert it.spent == []


@pytest.mark.parametrize(
    "limits", [Limits(max_total_tokens=5_000), Limits(max_input_tokens=5_000), Limits(max_cost_usd=0.0)]
)
async def test_no_budget_is_spent_on_a_summary(limits: Limits) -> None:
    async with scene(*looks(8, of(700, "w")), say(), limits=limits) as it:
        await it.prompt()
        assert it.spent == []


class Later(FakeClock):
    """A clock that can be set forward."""

    def forward(self, seconds: float) -> None:
        self._now += seconds


@pytest.mark.row(26)
@pytest.mark.parametrize(("minutes", "goes"), [(61, True), (50, False)])
async def test_after_a_pause_old_results_go(minutes: int, goes: bool) -> None:
    """After an hour without a request old results are taken out, except the newest three."""
    clock = Later()
    async with scene(*looks(8), say(), say(), results=[500] * 8, clock=clock, window=200_000) as it:
        await it.prompt()
        clock.forward(minutes * 60)
        await it.prompt("again")
        results = [text for text in it.visible if text in {CLEARED, of(500)}]
        assert results == ([CLEARED] * 5 + [of(500)] * 3 if goes else [of(500)] * 8)
        assert [fact.cause for fact in it.shortened] == (["idle"] if goes else [])


async def test_a_pause_takes_nothing_that_is_not_worth_it() -> None:
    clock = Later()
    async with scene(*looks(8), say(), say(), results=[100] * 8, clock=clock) as it:
        await it.prompt()
        clock.forward(100_000)
        await it.prompt("again")
        assert it.shortened == []


@pytest.mark.row(28)
async def test_the_user_can_ask_for_it() -> None:
    """`/compact` with a wish."""
    turns = [say(of(500, "a")), say(of(500, "b")), say()]
    async with scene(*turns) as it:
        await it.prompt("one")
        await it.prompt("two")
        done = await it.act("compact", focus="the letters")
        assert it.visible == ["one", "two", HEAD + "All was well.", of(500, "b")]
        assert done.data
        assert done.data["tokensBefore"] > done.data["tokensAfter"] > 0
        assert "tokens before" in done.text
        assert "Your words that stayed in front of it:\n- one\n- two\n" in done.text
        assert done.text.endswith("All was well.")
        assert (await it.act("compaction.show")).data == done.data
        assert "the letters" in said(it.writer.requests[-1].messages)[0]
        assert [used.by for used in it.spent] == ["compaction"]
        await it.prompt("three")
        assert it.stop == "end_turn"


async def test_failed_compaction_by_the_user_changes_nothing() -> None:
    async with scene(say(of(500, "a")), say(of(500, "b")), summaries=[ASLEEP]) as it:
        await it.prompt("one")
        await it.prompt("two")
        before = it.visible
        with pytest.raises(ActionError, match=r"It is asleep\. Wake it\."):
            await it.act("compact")
        assert it.visible == before


async def test_a_short_conversation_is_not_summarised() -> None:
    async with scene(say()) as it:
        with pytest.raises(ActionError, match="nothing to summarise"):
            await it.act("compact")
        with pytest.raises(ActionError, match="was summarised yet"):
            await it.act("compaction.show")
        await it.prompt()
        with pytest.raises(ActionError, match="nothing to summarise"):
            await it.act("compact")


async def test_a_run_that_begins_while_it_is_summarised_wins() -> None:
    asked, going = asyncio.Event(), asyncio.Event()

    async def wait() -> None:
        asked.set()
        await going.wait()

    turns = [say(of(500, "a")), say(of(500, "b")), say("new")]
    async with scene(*turns, summaries=[[wait, *SUMMARY]]) as it:
        await it.prompt("one")
        await it.prompt("two")
        acting = asyncio.ensure_future(it.act("compact"))
        await asked.wait()
        await it.prompt("three")
        going.set()
        with pytest.raises(ActionError, match="Something was said meanwhile"):
            await acting
        assert it.visible[-1] == "new"
        assert it.shortened == []


async def test_conversation_too_long_for_the_summarising_model_is_cut() -> None:
    turns = [*looks(6, of(500, "w")), overflow(), say()]
    async with scene(*turns, summaries=[overflow(), overflow(), SUMMARY], window=None) as it:
        await it.prompt()
        assert it.stop == "end_turn"
        assert isinstance(it.shortened[0], Compacted)
        sizes = [len(said(request.messages)[0]) for request in it.writer.requests]
        assert sizes[0] > sizes[1] > sizes[2]
        assert "[… left out …]" in said(it.writer.requests[-1].messages)[0]


async def test_conversation_that_never_fits_the_summarising_model_is_not_summarised() -> None:
    turns = [*looks(6, of(500, "w")), overflow(), say()]
    async with scene(*turns, summaries=[overflow()] * 3, window=None) as it:
        await it.prompt()
        assert it.failures == ["what is to be summarised is too long for writer"]


@pytest.mark.row(25)
async def test_the_report_says_where_the_limits_are() -> None:
    """Window, reserve, soft and hard limit."""
    async with scene(say()) as it:
        await it.prompt()
        told = await it.act("token-budget")
        assert told.data == {
            "tokens": 2, "sure": "guess", "window": 8_000, "reserve": 1_024, "hard": 6_976, "soft": 5_952,
            "threshold": 5_600,
        }  # fmt: skip
        assert "| No more than | 6,976 |" in told.text


async def test_the_report_says_that_a_window_is_not_known() -> None:
    async with scene(say(), window=None) as it:
        told = await it.act("token-budget")
        assert "is not known" in told.text
