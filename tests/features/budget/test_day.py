"""Limits of a session, a day and a caller, with the real ledger; and what the user may see and change."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from agls.engine.actions import ActionError, ActionOutcome
from agls.engine.facts import TextDelta
from agls.engine.feature import Attempt, Feature, RunView
from agls.engine.ledger import NoLedger, Row, day_of
from agls.engine.limits import Totals
from agls.engine.ports import Effect
from agls.engine.run_action import invoke
from agls.engine.state import State
from agls.engine.vocabulary import Limits, Stop, StopReason, Usage
from agls.room.budgets import Allowance
from agls.stores.files import FileStore
from agls.stores.ledger import DayLedger
from support.budgets import NOON, budget_room
from support.patience import become
from support.rooms import FakeDoer, Notices, do, results, use
from support.scenario import FakeTool, Meanwhile, Part, call, check, say

pytestmark = pytest.mark.promise("P11")

TODAY = day_of(NOON)
SPENT = Usage(input_tokens=700, output_tokens=300)


def ledger_of(folder: Path) -> DayLedger:
    return DayLedger(folder, FileStore(folder).follow)


def paid(text: str = "done") -> list[Part]:
    return say(text, usage=SPENT)


async def run(folder: Path, *script: list[Part], allowance: Allowance, **more: Any) -> State:
    features = [budget_room(allowance, ledger_of(folder)), *more.pop("features", ())]
    return await check(*script, facts=None, features=features, **more)


async def rows(folder: Path) -> list[Row]:
    return list(await ledger_of(folder).rows(TODAY))


@pytest.mark.port("Budget gate")
async def test_a_caller_over_quota_is_refused_and_no_model_is_asked(tmp_path: Path) -> None:
    """A typed refusal, and the model saw no request."""
    quota = Allowance(caller=Limits(max_total_tokens=1500), who="ci")
    for _ in range(2):
        assert (await run(tmp_path, paid(), allowance=quota)).run.model_calls == 1
    state = await run(tmp_path, allowance=quota)
    assert state.stop is not None
    assert (state.stop.reason, state.run.model_calls) == (StopReason.BUDGET, 0)
    assert state.stop.detail == (
        "The budget of tokens of the caller ci today is used up: 2000 of 1500. Raise max_total_tokens in "
        "[budget.callers], or wait: a new day begins at 00:00 UTC."
    )
    other = Allowance(caller=Limits(max_total_tokens=1500), who="me")
    assert (await run(tmp_path, paid(), allowance=other)).run.model_calls == 1


@pytest.mark.port("Budget gate")
async def test_a_cancelled_run_is_charged_once(tmp_path: Path) -> None:
    """Also what is cancelled is charged, once."""

    async def cancel(scene: Meanwhile) -> None:
        await scene.until(lambda event: getattr(event, "text", "") == "never")
        scene.session.cancel()

    tool = Feature(name="tools", tools=(FakeTool("look"),))
    hang: list[Part] = [TextDelta("", "never"), _for_ever]
    first = use(do("c", "look"), usage=SPENT, cost=0.5)
    for limits in (Limits(), Limits(max_cost_usd=100.0)):
        await run(tmp_path, first, hang, allowance=Allowance(day=limits), meanwhile=cancel, features=[tool])
    charged = await rows(tmp_path)
    assert [(row.used.cost, row.used.tool_calls, row.runs) for row in charged] == [(1.0, 2, 2)]


async def _for_ever() -> None:
    await asyncio.Event().wait()


async def test_a_run_that_a_bug_ended_is_charged(tmp_path: Path) -> None:
    async def crash(attempt: Attempt, view: RunView) -> Stop:
        await attempt()
        raise RuntimeError("a bug")

    state = await run(
        tmp_path, paid(), allowance=Allowance(), features=[Feature(name="bad", around_run=crash)]
    )
    assert state.stop is not None
    assert state.stop.reason is StopReason.INTERNAL_ERROR
    assert [(row.used.total_tokens, row.ended) for row in await rows(tmp_path)] == [(1000, True)]


async def test_spending_of_another_process_counts_before_the_next_call(tmp_path: Path) -> None:
    other = ledger_of(tmp_path)

    async def spend() -> None:
        await other.enter(Row(TODAY, "ses_9", "run_9", "", Totals(model_calls=9), ended=True))

    tool = Feature(name="tools", tools=(FakeTool("look"),))
    script = [[spend, *call(("c1", "look"))], paid()]
    state = await run(tmp_path, *script, allowance=Allowance(day=Limits(max_model_calls=10)), features=[tool])
    assert state.stop is not None
    assert (state.stop.reason, state.run.model_calls) == (StopReason.BUDGET, 1)
    assert state.stop.detail.startswith("The budget of model calls of today is used up: 10 of 10. Raise")


async def test_tool_calls_of_the_session_are_refused_and_then_the_run_ends(tmp_path: Path) -> None:
    tool = FakeDoer("look", Effect.READS)
    allowance = Allowance(session=Limits(max_tool_calls=1))
    tools = Feature(name="tools", tools=(tool,))
    state = await run(tmp_path, use(do("a", "look"), do("b", "look")), allowance=allowance, features=[tools])
    assert len(tool.done) == 1
    assert results(state)["b"] == "Not run: nothing is left of the 1 tool calls of this session."
    assert state.stop is not None
    assert state.stop.detail.startswith(
        "The budget of tool calls of this session is used up: 1 of 1. Begin a"
    )


@pytest.mark.row(13)
async def test_limit_on_the_turns_of_a_session_stops_the_run(tmp_path: Path) -> None:
    """The turns of a whole session."""
    tools = Feature(name="tools", tools=(FakeTool("look"),))
    script = [call((f"c{n}", "look")) for n in range(3)]
    state = await run(
        tmp_path, *script, allowance=Allowance(session=Limits(max_turns=9)), features=[tools],
        limits=Limits(max_session_turns=2),
    )  # fmt: skip
    assert state.stop is not None
    assert (state.stop.reason, state.run.turns) == (StopReason.BUDGET, 2)
    assert "turns of this session is used up: 2 of 2. Begin a new session, or raise" in state.stop.detail


async def test_unusable_ledger_stops_only_runs_with_daily_limits(tmp_path: Path) -> None:
    (tmp_path / "usage").write_text("in the way")
    seen = Notices()
    state = await run(tmp_path, paid(), allowance=Allowance(), meanwhile=seen)
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN
    assert seen.titles == ["What this run spends cannot be recorded"]
    state = await run(tmp_path, allowance=Allowance(day=Limits(max_turns=5)))
    assert state.stop is not None
    assert (state.stop.reason, state.run.model_calls) == (StopReason.BUDGET, 0)
    assert state.stop.detail.startswith("Today's spending cannot be read: Not a directory. Make it")


class Entered(NoLedger):
    """Remembers what was entered."""

    def __init__(self) -> None:
        self.entered: list[Row] = []

    async def enter(self, *rows: Row) -> None:
        self.entered.extend(rows)


async def test_ledger_without_a_day_limit_is_written_at_begin_and_end_only(tmp_path: Path) -> None:
    tools = Feature(name="tools", tools=(FakeTool("look"),))
    script = [call(("c1", "look")), call(("c2", "look")), paid()]
    ledger = Entered()
    await check(*script, facts=None, features=[budget_room(Allowance(), ledger), tools])
    assert [(row.used.model_calls, row.ended) for row in ledger.entered] == [(0, False), (3, True)]


async def test_the_user_sees_what_is_left_and_raises_it_in_mid_run(tmp_path: Path) -> None:
    said: list[ActionOutcome] = []
    wrong: list[str] = []

    async def meanwhile(scene: Meanwhile) -> None:
        await scene.until(lambda event: isinstance(event, TextDelta))
        said.append(await invoke(scene.session, "limits", {}))
        said.append(await invoke(scene.session, "limits", {"set": {"max_turns": 5, "maxCostUsd": 9}}))
        for bad in ({"maxFun": 1}, {"maxTurns": 1.5}):
            with pytest.raises(ActionError) as problem:
                await invoke(scene.session, "limits", {"set": bad})
            wrong.append(str(problem.value))

    async def wait() -> None:
        await become(lambda: len(wrong) == 2)

    tools = Feature(name="tools", tools=(FakeTool("look"),))
    first: list[Part] = [TextDelta("", "a"), wait, *call(("c1", "look"))]
    state = await run(
        tmp_path, first, paid(), allowance=Allowance(most=Limits(max_cost_usd=2.0)), features=[tools],
        limits=Limits(max_turns=1), meanwhile=meanwhile,
    )  # fmt: skip
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN
    assert state.limits == Limits(max_turns=5, max_cost_usd=2.0), "the policy allows no more"
    assert said[0].data is not None
    assert said[0].data["run"] == {"limits": {"maxTurns": 1}, "left": {"maxTurns": 0}}
    assert "| run | turns | 1 | 5 | 4 |" in said[1].text
    assert wrong[0].startswith("There is no limit 'maxFun'. There are: maxTurns, ")
    assert wrong[1] == "maxTurns must be a whole number, 0 or more, not 1.5"
