"""A session is tagged and put away by its actions, and gets a title when nobody gave it one."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from agls.assembly import SessionLog
from agls.engine.actions import ActionError
from agls.engine.admission import Refused
from agls.engine.facts import Admitted
from agls.engine.feature import Feature, RunSetup
from agls.engine.ports import ModelError
from agls.engine.run_action import invoke
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.vocabulary import Limits, Text, Usage
from agls.features.history.feature import build
from agls.features.history.settings import Settings
from agls.room.process_ports import Tiers as TierNames
from agls.room.session_metadata import tagged, tags_of
from agls.stores.memory import MemoryStore
from agls.titles import title_from
from support.scenario import NOWHERE, FakeClock, FakeModel, say

PATIENCE = 20.0


@dataclass
class Tiers:
    """The model of the work and the one of the titles."""

    work: FakeModel = field(default_factory=lambda: FakeModel([say("done"), say("more")]))
    fast: FakeModel = field(
        default_factory=lambda: FakeModel([say('"Repair the pump."\n\nThere.', usage=Usage(7, 3))])
    )

    def resolve(self, name: str) -> Any:
        return self.fast if name == "fast" else self.work


FAST = TierNames(frozenset({"fast"}), str)


def sessions_with(models: Tiers, *, titles: bool = True, limits: Limits | None = None) -> Sessions:
    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        room: Feature = build(Settings(titles=titles), models, SessionLog(session.log), FAST)
        return RunSetup((room,), models, NOWHERE, limits or Limits())

    return Sessions(MemoryStore(), build_run, FakeClock())


async def run(session: Session, text: str = "repair the pump, please") -> None:
    await session.finished((await session.prompt((Text(text),))).run_id)


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(PATIENCE):
        while not holds():
            await asyncio.sleep(0.005)


async def test_the_fast_tier_gives_a_title_and_is_metered() -> None:
    models = Tiers()
    async with sessions_with(models) as sessions:
        session = await sessions.create("/project")
        await run(session)
        await until(lambda: session.state.title)
        assert session.state.title == "Repair the pump"
        assert session.state.used_by["history"].total_tokens == 10
        await run(session, "and now the fence")
        assert len(models.fast.requests) == 1, "once"
    (request,) = models.fast.requests
    assert "repair the pump, please" in str(request.messages)
    assert request.tools == ()


@pytest.mark.parametrize("turn", [[ModelError("down", kind="network")], say("  \n"), say('"."')])
async def test_run_whose_title_cannot_be_made_is_not_affected(turn: list[Any]) -> None:
    models = Tiers(fast=FakeModel([turn]))
    async with sessions_with(models) as sessions:
        session = await sessions.create("/project")
        await run(session)
        await until(lambda: models.fast.closed)
        rows, _ = await sessions.list()
    assert rows[0].title == "repair the pump, please", "the first words stand in"


async def test_hanging_title_request_does_not_delay_the_end() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    models = Tiers(fast=FakeModel([[hang]]))
    async with sessions_with(models) as sessions:
        session = await sessions.create("/project")
        await run(session)
        await until(lambda: models.fast.requests)
        await sessions.close(session.session_id)
    assert session.state.title == ""


@pytest.mark.parametrize(
    ("titles", "limits", "title"),
    [(False, Limits(), ""), (True, Limits(max_model_calls=1), ""), (True, Limits(), "The user's own")],
)
async def test_no_title_is_asked_for_when_it_is_off_not_paid_for_or_not_needed(
    titles: bool, limits: Limits, title: str
) -> None:
    models = Tiers()
    async with sessions_with(models, titles=titles, limits=limits) as sessions:
        session = await sessions.create("/project", title=title)
        await run(session)
    assert (models.fast.requests, session.state.title) == ([], title)


async def test_tags_and_the_archive_are_actions() -> None:
    async with sessions_with(Tiers(), titles=False) as sessions:
        session = await sessions.create("/project")
        done = await invoke(session, "tag", {"add": ["a", " b  c ", "a"]})
        assert done.data == {"tags": ["a", "b c"]}
        await invoke(session, "tag", {"add": ["d"], "remove": ["a"]})
        assert tags_of(session.state) == ("b c", "d")
        with pytest.raises(ActionError, match="1 to 40"):
            await invoke(session, "tag", {"add": ["x" * 41]})
        await invoke(session, "archive", {})
        assert [row.archived for row in (await sessions.list())[0]] == [True]
        await invoke(session, "archive", {"undo": True})
        assert [row.archived for row in (await sessions.list())[0]] == [False]
        with pytest.raises(Refused):
            await invoke(session, "burn", {})
        (row,), _ = await sessions.list()
        assert (row.tags, row.archived) == (("b c", "d"), False)


@pytest.mark.parametrize("tags", [[""], [" "], [f"{n}" for n in range(21)]])
def test_invalid_tag_is_refused(tags: list[str]) -> None:
    with pytest.raises(ValueError, match=r"tag|tags"):
        tagged(tags)


def test_a_title_is_one_line() -> None:
    assert title_from(" a\n b\t c ") == "a b c"
    assert title_from("\x1b]0;gone\x07 \u202etxt\ud800") == "]0;gone txt"
    assert len(title_from("x" * 500)) == 200
    with pytest.raises(ValueError, match="empty"):
        title_from(" \n ")
