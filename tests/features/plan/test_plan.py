"""The plan of a session: what the model is told of it and when, and which one holds after a rewind."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from agls.engine.actions import ActionError, ActionOutcome
from agls.engine.facts import Admitted, Cleared, Compacted
from agls.engine.feature import RunSetup
from agls.engine.history import rewinding, undoing
from agls.engine.run_action import invoke, values
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.vocabulary import Limits, Text, ToolCall
from agls.features.plan.feature import build
from agls.features.plan.settings import Settings
from agls.room.run_ports import RunInfo
from agls.stores.memory import MemoryStore
from support.plan_ports import plan_ports
from support.rooms import injected, results, use
from support.scenario import NOWHERE, FakeClock, FakeModel, Part, say
from support.toolbox import Toolbox


@dataclass
class Scene:
    """A session with the room, and its model."""

    session: Session
    model: FakeModel

    async def prompt(self, text: str = "go") -> None:
        admission = await self.session.prompt((Text(text),))
        await self.session.finished(admission.run_id)

    async def plan(self, **arguments: Any) -> ActionOutcome:
        return await invoke(self.session, "plan", arguments)

    async def texts(self) -> list[str]:
        """The entries as the user sees them."""
        data = (await self.plan()).data
        assert data
        return [f"{entry['text']}: {entry['state']}" for entry in data["entries"]]

    @property
    def told(self) -> list[str]:
        """What the room said to the model."""
        return injected(self.session.state, "plan")


@asynccontextmanager
async def scene(*turns: list[Part], works_for: str = "", enabled: bool = True) -> AsyncIterator[Scene]:
    model = FakeModel(list(turns))

    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        run = RunInfo(works_for=works_for)
        made = build(Settings(enabled=enabled), session.log.journal, run, *plan_ports(session))
        return RunSetup((made,) if made else (), model, NOWHERE, Limits())

    async with Sessions(MemoryStore(), build_run, FakeClock()) as sessions:
        yield Scene(await sessions.create("/project"), model)


def update(call_id: str, *entries: dict[str, Any]) -> list[Part]:
    """A turn that changes the plan."""
    return use(ToolCall(call_id, "plan", {"entries": list(entries)}))


TWO = ({"text": "Read"}, {"text": "Write", "after": [1]})


@pytest.mark.row(65)
async def test_model_that_read_the_plan_gets_no_message_about_it() -> None:
    """Create, update, dependencies, next."""
    async with scene(update("c1", *TWO), update("c2", {"id": 1, "state": "in_progress"}), say(), say()) as it:
        await it.prompt()
        await it.prompt()
        assert results(it.session.state) == {
            "c1": "Plan: 0 of 2 done\n- [ ] 1. Read\n- [ ] 2. Write (after 1)\n\nNext: 1.",
            "c2": "Plan: 0 of 2 done\n- [>] 1. Read\n- [ ] 2. Write (after 1)\n\nNext: 1.",
        }
        assert it.told == []


@pytest.mark.row(65)
async def test_refused_change_leaves_the_plan_and_shows_it() -> None:
    async with scene(update("c1", *TWO), update("c2", {"id": 1, "state": "done"}, {"id": 7}), say()) as it:
        await it.prompt()
        assert results(it.session.state)["c2"].startswith(
            "There is no entry 7. There are: 1, 2. Nothing was chan"
        )
        assert await it.texts() == ["Read: pending", "Write: pending"]


async def test_change_that_changes_nothing_is_no_note() -> None:
    async with scene(update("c1", *TWO), update("c2", {"id": 2, "text": "Write"}), update("c3"), say()) as it:
        await it.prompt()
        await it.plan(do="start", entry="1")
        await it.plan(do="start", entry="1")
        assert len(it.session.state.notes["plan"]) == 2


@pytest.mark.row(66)
async def test_edits_of_user_and_model_are_merged_and_the_model_gets_the_result() -> None:
    """A change of the model leaves what the user wrote as it is."""
    async with scene(update("c1", *TWO), say(), update("c2", {"id": 1, "state": "done"}), say()) as it:
        await it.prompt()
        await it.plan(do="add", entry="Ask  me\nfirst", after=[1])
        await it.plan(do="cancel", entry="2")
        assert it.told == []
        await it.prompt()
        assert it.told == [
            "The user changed the plan.\n\nPlan: 0 of 2 done\n- [ ] 1. Read\n- [-] 2. Write\n"
            "- [ ] 3. Ask me first (after 1)\n\nNext: 1."
        ]
        assert await it.texts() == ["Read: done", "Write: cancelled", "Ask me first: pending"]


async def test_model_gets_a_message_when_the_user_emptied_the_plan() -> None:
    async with scene(update("c1", *TWO), say(), say(), say()) as it:
        await it.prompt()
        await it.plan(do="clear")
        await it.prompt()
        await it.prompt()
        assert it.told == ["The user changed the plan.\n\nThe plan is empty."]


@pytest.mark.row(66)
@pytest.mark.parametrize("fact", [Compacted("item_s", "Summary.", 3), Cleared("item_s", ("c1",))])
async def test_open_entries_are_sent_again_when_they_left_the_context(fact: Compacted | Cleared) -> None:
    """A plan survives a compaction."""
    async with scene(update("c1", *TWO), say(), say(), say()) as it:
        await it.prompt()
        it.session.log.record(fact)
        await it.prompt()
        await it.prompt()
        assert it.told == [
            "This is the plan of the work as it stands.\n\n"
            "Plan: 0 of 2 done\n- [ ] 1. Read\n- [ ] 2. Write (after 1)\n\nNext: 1."
        ]


async def test_plan_without_open_entries_is_not_sent_again() -> None:
    async with scene(update("c1", {"text": "Read", "state": "done"}), say(), say()) as it:
        await it.prompt()
        it.session.log.record(Compacted("item_s", "Summary.", 3))
        await it.prompt()
        assert it.told == []


@pytest.mark.row(66)
async def test_rewind_takes_the_plan_along_and_its_undo_brings_it_back() -> None:
    done = {"id": 1, "state": "done"}
    async with scene(update("c1", *TWO), say(), update("c2", done), say(), say(), say()) as it:
        await it.prompt()
        last = it.session.state.transcript[-1]
        await it.plan(do="add", entry="Mine")
        await it.prompt()
        await it.plan(do="done", entry="3")
        assert await it.texts() == ["Read: done", "Write: pending", "Mine: done"]
        back = rewinding(it.session, getattr(last, "item_id", ""))
        it.session.log.record(back)
        assert await it.texts() == ["Read: pending", "Write: pending", "Mine: pending"]
        it.session.log.record(undone := undoing(it.session, back.checkpoint_id))
        assert await it.texts() == ["Read: done", "Write: pending", "Mine: done"]
        it.session.log.record(undoing(it.session, undone.checkpoint_id))
        await it.plan(do="start", entry="3")
        it.session.log.record(rewinding(it.session, ""))
        assert await it.texts() == []
        await it.prompt()
        assert it.told[1:] == []


async def test_rewind_to_a_summary_goes_back_to_the_plan_of_then() -> None:
    async with scene(update("c1", *TWO), say(), update("c2", {"id": 1, "state": "done"}), say()) as it:
        await it.prompt()
        it.session.log.record(Compacted("item_s", "Summary.", 4))
        await it.prompt()
        it.session.log.record(rewinding(it.session, "item_s"))
        assert await it.texts() == ["Read: pending", "Write: pending"]


async def test_rewind_to_the_call_keeps_what_the_call_did() -> None:
    async with scene(update("c1", *TWO), say()) as it:
        await it.prompt()
        it.session.log.record(rewinding(it.session, "c1"))
        assert len(await it.texts()) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"do": "done", "entry": "1 x"}, "Write which entries, by their ids: /plan done 2 3"),
        ({"do": "remove"}, "Write which entries"),
        ({"do": "done", "entry": "4"}, "There is no entry 4. The plan is empty."),
        ({"do": "add"}, "A new entry needs a text"),
        ({"do": "add", "entry": "x" * 301}, "at most 300 characters"),
        ({"do": "clear", "entry": "2"}, "To take some entries out: /plan remove 2."),
        ({"do": "burn"}, "its arguments are wrong"),
    ],
)
async def test_action_that_cannot_be_done_says_what_to_write(arguments: dict[str, Any], words: str) -> None:
    async with scene() as it:
        with pytest.raises(ActionError, match=words):
            await it.plan(**arguments)
        assert "plan" not in it.session.state.notes


async def test_action_changes_several_entries_and_offers_their_ids() -> None:
    async with scene() as it:
        for text in ("a", "b", "c"):
            await it.plan(do="add", entry=text)
        await it.plan(do="remove", entry="2")
        shown = await it.plan(do="done", entry="1, 3")
        assert shown.text == "Plan: 2 of 2 done\n- [x] 1. a\n- [x] 3. c\n\nNothing is left to do."
        assert shown.data and shown.data["next"] is None
        await it.plan(do="reopen", entry="3")
        offered = await values(it.session, "plan", "entry")
        assert [(value.text, value.detail) for value in offered] == [("1", "a (done)"), ("3", "c (pending)")]


async def test_session_that_works_for_another_has_no_plan() -> None:
    async with scene(works_for="ses_1") as it:
        assert it.session.run_setup(Admitted("", "", ())).features == ()


async def test_tool_can_be_switched_off_and_the_user_keeps_the_plan() -> None:
    async with scene(say(), enabled=False) as it:
        await it.plan(do="add", entry="Mine")
        await it.prompt()
        assert it.model.requests[0].tools == ()
        assert "1. Mine" in it.told[0]


async def test_tool_outside_of_a_run_changes_nothing() -> None:
    async with scene() as it:
        (room,) = it.session.run_setup(Admitted("", "", ())).features
        tool = room.tools[0]
        outcome = await tool(
            ToolCall("c", "plan", {"entries": [{"text": "a"}]}), Toolbox(room, NOWHERE).context()
        )
        assert (outcome.status, outcome.text) == ("failed", "The model changes the plan only in a run.")
