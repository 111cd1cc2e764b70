"""Handing work to children: order, failures, limits, resume, cancel; through real sessions and real HTTP."""

from pathlib import Path

import pytest

from agls.engine.run_action import invoke
from agls.engine.state import fold_all
from agls.engine.vocabulary import Stop, StopReason, Text
from agls.features.subagents.lineage import children_of
from support.family import cast, child, delegate, opened, results, run, statuses, task
from support.model_server import Failure, ModelServer, Reply
from support.patience import become

ANY = 'permissions = { mode = "allowAll" }'


@pytest.mark.row(56)
async def test_one_and_several_tasks_get_their_instructions_and_the_shared_conversation(
    tmp_path: Path,
) -> None:
    """Single and multiple subtasks, and the parent's conversation where it is shared."""
    both = delegate(task("TWO", "b"), task("TRE", "c"), share_conversation=True)
    parts = {
        "ROOT": [delegate(task("ONE")), both, Reply("End")],
        "ONE": [Reply("The answer of one.")],
        "TWO": [Reply("Second.")],
        "TRE": [Reply("Third.")],
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session, "ROOT, my question")
        firsts = {m["content"] for post in server.posts for m in post.body["messages"][1:2]}
    one, several = results(state)
    assert one.status == several.status == "completed"
    assert one.text.startswith("completed: 1 completed.") and "The answer of one." in one.text
    assert several.text.startswith("completed: 2 completed. Order: b, c.")
    assert statuses(state) == {"task-1": "completed", "b": "completed", "c": "completed"}
    (alone,) = [text for text in firsts if text.startswith("ONE")]
    assert alone.split("<environment>")[0].strip() == "ONE", "its task and nothing else"
    shared = next(text for text in firsts if text.startswith("TWO"))
    assert "User: ROOT, my question" in shared


ALONE = {"bad": "failed", "good": "completed", "late": "completed"}
ENDED = {"bad": "failed", "good": "skipped", "late": "skipped"}


@pytest.mark.row(56)
@pytest.mark.parametrize(
    ("more", "whole", "status", "each"),
    [
        ({}, "partial", "completed", ALONE),
        ({"max_failures": 1}, "partial", "completed", ALONE),
        ({"continue_on_error": False}, "failed", "failed", ENDED),
        ({"max_failures": 0}, "failed", "failed", ENDED),
    ],
)
async def test_a_failure_leaves_the_others_alone_or_ends_them(
    tmp_path: Path, more: dict[str, object], whole: str, status: str, each: dict[str, str]
) -> None:
    """The failure policy; the whole and the status of the call agree."""
    tasks = (task("BAD", "bad"), task("GOOD", "good"), task("LATE", "late", "good"))
    parts = {
        "ROOT": [delegate(*tasks, **more), Reply("End")],
        "BAD": [Failure(401, "no")],
        "GOOD": [Reply("fine")],
        "LATE": [Reply("fine too")],
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, "[subagents]\nparallel = 1") as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
    (result,) = results(state)
    told = {**dict.fromkeys(each, "skipped"), **statuses(state)}
    assert (result.status, told) == (status, each)
    assert result.text.startswith(f"{whole}: ")
    assert all(f"## {label}: {how}" in result.text for label, how in each.items())


@pytest.mark.row(57)
async def test_tasks_are_done_as_they_depend_on_each_other(tmp_path: Path) -> None:
    """Order and skips as declared; answers are handed on."""
    tasks = (task("SUM", "sum", "a", "b"), task("AAA", "a"), task("BBB", "b"), task("ODD", "odd", "bad"),
             task("BAD", "bad"), task("FAR", "far", "odd"))  # fmt: skip
    parts = {
        "ROOT": [delegate(*tasks), Reply("End")],
        "SUM": [Reply("3")],
        "AAA": [Reply("one apple")],
        "BBB": [Reply("two pears")],
        "BAD": [Failure(400, "no")],
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
        (summed,) = [
            p.body["messages"][1]["content"]
            for p in server.posts
            if "SUM" in p.body["messages"][1]["content"]
        ]
    (result,) = results(state)
    assert "Order: a, b, bad then sum, odd then far." in result.text
    assert statuses(state) == {"a": "completed", "b": "completed", "bad": "failed", "sum": "completed"}
    assert "## a\none apple" in summed and "## b\ntwo pears" in summed
    assert "## odd: skipped\n[skipped: it depends on bad, which did not complete]" in result.text
    assert "## far: skipped" in result.text


@pytest.mark.row(57)
@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([task("A", "a", "b"), task("B", "b", "a")], "these tasks wait for each other: a <- b <- a"),
        ([task("A", "a", "a")], "these tasks wait for each other: a <- a"),
        ([task("A", "a", "x"), task("B", "b", "y")], "'a' depends on 'x', which does not exist (there are"),
        ([task("A", "a"), task("B", "a")], "two tasks with the label 'a'"),
        ([task("A", agent="nobody")], "there is no agent 'nobody'. Agents: explore, general, help, plan"),
        ([task("A")] * 3, "a run may have 2 helpers and this one has had 0"),
    ],
)  # fmt: skip
async def test_impossible_delegation_is_reported_and_starts_nothing(
    tmp_path: Path, tasks: list[dict[str, object]], said: str
) -> None:
    """Cycles and unknown labels are reported."""
    with ModelServer(cast({"ROOT": [delegate(*tasks), Reply("End")]})) as server:
        async with opened(tmp_path, server, "[subagents]\nmax_children = 2") as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
        assert len(server.posts) == 2
    (result,) = results(state)
    assert result.status == "failed"
    assert "Nothing was begun: " in result.text and said in result.text
    assert children_of(state) == ()


@pytest.mark.row(58)
async def test_children_work_side_by_side(tmp_path: Path) -> None:
    """Three children each wait until all three are there; one after the other they never would be."""
    wait = "touch {0}; until [ -e a ] && [ -e b ] && [ -e c ]; do sleep 0.05; done; echo met"
    parts = {"ROOT": [delegate(*(task(f"CHILD {n}", n) for n in "abc")), Reply("End")]}
    for n in "abc":
        command = {"command": wait.format(n), "timeout_s": 120}
        parts[f"CHILD {n}"] = [Reply(calls=[("shell", command)]), Reply(f"{n} met them")]
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, ANY) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
    assert statuses(state) == dict.fromkeys("abc", "completed")


@pytest.mark.row(59)
async def test_a_child_is_resumed_and_the_lineage_is_known_after_the_fact(tmp_path: Path) -> None:
    """Child resume by session id; the lineage report comes from the disk."""
    parts = {
        "ROOT": [delegate(task("ONE", "first")), Reply("End")],
        "ONE": [Reply("I remember 7."), Reply("It was 7.")],
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            known = child(await run(world, session), "first").session_id
        parts["ROOT"] += [delegate(task("What was it?", "again", resume=known)), Reply("End")]
        async with opened(tmp_path, server) as world:
            session = await world.sessions.open(session.session_id)
            state = await run(world, session, "More")
            assert not world.sessions.is_open(known), "it is let go of when it rests"
        async with opened(tmp_path, server) as world:
            session = await world.sessions.open(session.session_id)
            shown = await invoke(session, "subagents", {})
            rows, _ = await world.sessions.list()
    assert "It was 7." in results(state)[-1].text
    assert shown.data is not None
    assert [(c["label"], c["sessionId"], c["status"], c["tokens"]) for c in shown.data["children"]] == [
        ("first", known, "completed", 30),
        ("again", known, "completed", 30),
    ]
    assert f"| first |  | {known} | completed | 30 |" in shown.text
    assert {row.session_id: row.parent for row in rows} == {session.session_id: "", known: session.session_id}


@pytest.mark.row(59)
async def test_only_a_child_of_this_session_can_be_resumed(tmp_path: Path) -> None:
    """Another session is not a child, and neither is one that there is not."""
    with ModelServer(cast({"OTHER": [Reply("hi")], "ROOT": []})) as server:
        parts = {"OTHER": [Reply("hi")]}
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server) as world:
            other = await world.sessions.create(str(tmp_path / "workspace"))
            await run(world, other, "OTHER")
            resumes = [task("go on", "a", resume=other.session_id), task("go on", "b", resume="ses_nowhere")]
            parts["ROOT"] = [delegate(*resumes), Reply("End")]
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
            assert other.state.parent == "" and other.state.run.turns == 1
    (result,) = results(state)
    assert result.status == "failed"
    assert f"{other.session_id} is not a child of this session" in result.text
    assert "ses_nowhere" in result.text


@pytest.mark.row(15)
async def test_usage_of_a_child_counts_for_its_parent(tmp_path: Path) -> None:
    """A child uses 5,000 tokens, the limit is 1,000: the parent stops, its totals have them."""
    parts = {
        "ROOT": [delegate(task("ONE")), Reply("never said")],
        "ONE": [Reply("So much.", usage=(4000, 1000))],
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session, maxTotalTokens=1000, maxToolCalls=9)
            helper = fold_all(await world.sessions.peek(child(state, "task-1").session_id))
    hint = "Raise the limit (--max-total-tokens, or [budget] max_total_tokens)."
    assert state.stop == Stop(StopReason.BUDGET, f"The budget of tokens is used up: 5015 of 1000. {hint}")
    assert (state.total.total_tokens, state.total.model_calls) == (5015, 2)
    assert (helper.limits.max_total_tokens, helper.limits.max_tool_calls) == (985, 8), "what was left"
    assert state.total.delegated_tasks == 1
    assert len(server.posts) == 2


SHARED = {"maxTotalTokens": 1000, "maxCostUsd": 9.0, "maxDelegatedTasks": 7, "maxTurns": 50}


@pytest.mark.row(15)
async def test_children_side_by_side_have_no_more_together_than_their_parent_has_left(tmp_path: Path) -> None:
    """What is left is shared equally; turns and time are each child's own."""
    wait = "touch {0}; until [ -e a ] && [ -e b ] && [ -e c ]; do sleep 0.05; done"
    parts = {"ROOT": [delegate(*(task(f"CHILD {n}", n) for n in "abc")), Reply("End")]}
    for n in "abc":
        parts[f"CHILD {n}"] = [Reply(calls=[("shell", {"command": wait.format(n)})]), Reply("met")]
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, ANY) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session, **SHARED)
            limits = [fold_all(await world.sessions.peek(child(state, n).session_id)).limits for n in "abc"]
    assert statuses(state) == dict.fromkeys("abc", "completed"), "all three were there together"
    assert sorted(each.max_total_tokens or 0 for each in limits) == [328, 328, 329]
    assert [each.max_cost_usd for each in limits] == pytest.approx([3.0] * 3)
    assert [each.max_turns for each in limits] == [49] * 3
    given = [each.max_delegated_tasks or 0 for each in limits]
    assert (sum(given), state.run.delegated_tasks) == (7 - 3, 3)
    assert state.run.tool_calls == 1 + 3, "those of the children count"


@pytest.mark.row(15)
async def test_a_child_for_which_nothing_is_left_waits_until_another_is_back(tmp_path: Path) -> None:
    """Two model calls are left for three children: two begin, the third has what they left over."""
    parts = {
        "ROOT": [delegate(*(task(f"CHILD {n}", n) for n in "abc")), Reply("never said")],
        **{f"CHILD {n}": [Reply("done")] for n in "abc"},
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session, maxModelCalls=3)
        assert len(server.posts) == 3
    assert statuses(state) == {"a": "completed", "b": "completed", "c": "failed"}
    assert "The budget of model calls is used up: 0 of 0." in child(state, "c").reason
    assert (state.run.model_calls, state.stop and state.stop.reason) == (3, StopReason.BUDGET)


@pytest.mark.row(15)
async def test_more_tasks_than_may_be_delegated_are_refused_before_any_begins(tmp_path: Path) -> None:
    """And when the last one is used up, so is the next call."""
    three = delegate(*(task(f"CHILD {n}", n) for n in "abc"))
    parts = {
        "ROOT": [three, delegate(task("CHILD a", "a"), task("CHILD b", "b", "a")), three, Reply("End")],
        "CHILD a": [Reply("done")],
        "CHILD b": [Reply("done")],
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session, maxDelegatedTasks=2)
    first, second, third = results(state)
    assert "Nothing was begun: 2 more tasks may be delegated." in first.text
    assert second.status == "completed"
    assert third.text == "Not run: nothing is left of the 2 delegated tasks of this run."
    assert state.run.delegated_tasks == 2


@pytest.mark.row(15)
async def test_a_limit_of_delegated_tasks_that_is_lowered_meanwhile_holds(tmp_path: Path) -> None:
    """What waits for its turn is not begun any more."""
    begun, go = tmp_path / "workspace/begun", tmp_path / "workspace/go"
    wait = {"command": "touch begun; until [ -e go ]; do sleep 0.05; done", "timeout_s": 120}
    parts = {
        "ROOT": [delegate(task("CHILD", "a"), task("NEXT", "b", "a"), task("LAST", "c")), Reply("End")],
        "CHILD": [Reply(calls=[("shell", wait)]), Reply("done")],
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server, f"{ANY}\n[subagents]\nparallel = 1") as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            admission = await session.prompt((Text("ROOT"),), options={"maxDelegatedTasks": 3})
            await become(begun.exists)
            await invoke(session, "limits", {"set": {"maxDelegatedTasks": 1}})
            go.touch()
            state = (await session.finished(admission.run_id)).state
    (result,) = results(state)
    assert statuses(state) == {"a": "completed"}
    left_out = "skipped\n[skipped: nothing is left of the budget of delegated tasks]"
    assert f"## b: {left_out}" in result.text and f"## c: {left_out}" in result.text
    assert (state.run.delegated_tasks, state.limits.max_delegated_tasks) == (1, 1)
