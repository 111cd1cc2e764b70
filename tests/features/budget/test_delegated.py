"""What helpers may spend: never more than is left of anything that holds for the run they work for."""

from pathlib import Path

import pytest

from agls.engine.ledger import day_of
from agls.engine.run_action import invoke
from agls.engine.vocabulary import StopReason, Text
from agls.stores.files import FileStore
from agls.stores.ledger import DayLedger
from support.family import cast, child, delegate, opened, results, run, statuses, task
from support.model_server import ModelServer, Reply
from support.patience import become

pytestmark = pytest.mark.promise("P11")

ALL = 'permissions = { mode = "allowAll" }'
LOOK = Reply(calls=[("list_dir", {"path": "."})])
THREE = delegate(*(task(f"CHILD {name}", name) for name in "abc"))
WAIT = Reply(calls=[("shell", {"command": "touch begun; until [ -e go ]; do sleep 0.05; done"})])
SCOPES = {"budget.session": "this session", "budget.day": "today", 'budget.callers."*"': "callers without"}


@pytest.mark.row(15)
@pytest.mark.parametrize("table", SCOPES)
async def test_children_side_by_side_make_no_model_call_more_than_is_left(tmp_path: Path, table: str) -> None:
    """Of the session, the day, the caller: seven calls in all, though each child wants ten."""
    parts = {"ROOT": [THREE, Reply("never said")], **{f"CHILD {name}": [LOOK] * 10 for name in "abc"}}
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, f"{ALL}\n[{table}]\nmax_model_calls = 7") as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
        assert len(server.posts) == 7
    assert statuses(state) == dict.fromkeys("abc", "failed")
    assert state.stop is not None
    assert (state.stop.reason, state.run.model_calls) == (StopReason.BUDGET, 7)
    assert f"of model calls of {SCOPES[table]}" in state.stop.detail


@pytest.mark.row(15)
@pytest.mark.parametrize("table", SCOPES)
async def test_a_delegation_overshoots_by_one_model_call_at_most(tmp_path: Path, table: str) -> None:
    """Tokens are known when they are spent; the call that goes beyond what is left is the last."""
    parts = {
        "ROOT": [delegate(task("CHILD", "a")), Reply("never said")],
        "CHILD": [Reply(calls=LOOK.calls, usage=(500, 100))] * 10,
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, f"{ALL}\n[{table}]\nmax_total_tokens = 1000") as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
        assert len(server.posts) == 3
    assert state.run.total_tokens == 15 + 600 + 600
    assert (state.stop and state.stop.reason) is StopReason.BUDGET
    assert "budget of tokens" in child(state, "a").reason


@pytest.mark.row(15)
async def test_helper_of_a_helper_may_spend_what_the_root_has_left(tmp_path: Path) -> None:
    """All the way up."""
    parts = {
        "ROOT": [delegate(task("CHILD", "a")), Reply("never said")],
        "CHILD": [delegate(task("LEAF", "b")), Reply("never said")],
        "LEAF": [LOOK] * 10,
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, f"{ALL}\n[budget.session]\nmax_model_calls = 4") as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
        assert len(server.posts) == 4
    assert (state.run.model_calls, state.run.delegated_tasks) == (4, 2)
    assert (state.stop and state.stop.reason) is StopReason.BUDGET


@pytest.mark.row(15)
async def test_spending_of_others_ends_a_helper_before_its_next_call(tmp_path: Path) -> None:
    """The day is everybody's; the helper is told so, and so is its parent."""
    parts = {
        "ROOT": [delegate(task("CHILD", "a")), Reply("never said")],
        "CHILD": [WAIT, Reply("never said")],
        "OTHER": [LOOK, Reply("done")],
    }
    workspace = tmp_path / "workspace"
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, f"{ALL}\n[budget.day]\nmax_model_calls = 4") as world:
            session = await world.sessions.create(str(workspace))
            admission = await session.prompt((Text("ROOT"),))
            await become((workspace / "begun").exists)
            await run(world, await world.sessions.create(str(workspace)), "OTHER")
            (workspace / "go").touch()
            state = (await session.finished(admission.run_id)).state
        assert len(server.posts) == 4
    assert "The budget of model calls of today is used up: 4 of 4." in child(state, "a").reason
    assert (state.stop and state.stop.reason) is StopReason.BUDGET


@pytest.mark.row(15)
async def test_a_limit_that_is_lowered_in_mid_run_holds_for_those_that_work_for_it(tmp_path: Path) -> None:
    """The run's own limits, which the user and a critic can change."""
    parts = {
        "ROOT": [delegate(task("CHILD", "a")), Reply("never said")],
        "CHILD": [WAIT, Reply("never said")],
    }
    workspace = tmp_path / "workspace"
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, ALL) as world:
            session = await world.sessions.create(str(workspace))
            admission = await session.prompt((Text("ROOT"),), options={"maxModelCalls": 50})
            await become((workspace / "begun").exists)
            await invoke(session, "limits", {"set": {"maxModelCalls": 2}})
            (workspace / "go").touch()
            state = (await session.finished(admission.run_id)).state
        assert len(server.posts) == 2
    assert "The budget of model calls is used up: 2 of 2." in child(state, "a").reason


@pytest.mark.row(15)
async def test_tool_calls_and_tasks_of_the_session_are_those_of_its_helpers_too(tmp_path: Path) -> None:
    """The call that is too many is refused, wherever it is made."""
    parts = {
        "ROOT": [delegate(task("CHILD", "a")), Reply("End")],
        "CHILD": [delegate(task("LEAF", "b")), LOOK, LOOK, Reply("End")],
    }
    more = f"{ALL}\n[budget.session]\nmax_tool_calls = 2\nmax_delegated_tasks = 1"
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, more) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
            below = await world.sessions.open(child(state, "a").session_id)
            refused, first, second = results(below.state)
    assert refused.text == "Not run: nothing is left of the 0 delegated tasks of this run."
    assert (first.status, second.status) == ("completed", "rejected")
    assert (state.run.tool_calls, state.run.delegated_tasks) == (2, 1)


@pytest.mark.row(15)
async def test_helper_continued_without_its_parent_pays_for_itself(tmp_path: Path) -> None:
    """With no run on above it, what it spends counts on the day by itself, and only then."""
    parts = {"ROOT": [delegate(task("CHILD", "a")), Reply("End")], "CHILD": [Reply("one"), Reply("two")]}
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, "[budget.day]\nmax_model_calls = 4") as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            helper = child(await run(world, session), "a").session_id
            await run(world, await world.sessions.open(helper), "Go on")
            refused = await run(world, await world.sessions.open(helper), "And on")
            today = day_of(refused.updated_at)
    assert (refused.stop and refused.stop.reason, refused.run.model_calls) == (StopReason.BUDGET, 0)
    rows = await DayLedger(tmp_path / "state", FileStore(tmp_path / "state").follow).rows(today)
    spent = sorted((row.used.model_calls, row.session_id) for row in rows if row.used.model_calls)
    assert spent == [(1, helper), (3, session.session_id)]
