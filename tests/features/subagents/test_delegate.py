"""Handing work to children: order, failures, limits, resume, cancel; through real sessions and real HTTP."""

from pathlib import Path

import pytest

from aglet.engine.invoking import invoke
from aglet.engine.state import fold_all
from aglet.engine.vocabulary import Stop, StopReason
from aglet.features.subagents.lineage import children_of
from support.family import cast, child, delegate, opened, results, run, statuses, task
from support.model_server import Failure, ModelServer, Reply

ANY = 'permissions = { mode = "allowAll" }'


async def test_one_task_and_several_and_what_they_are_told(tmp_path: Path) -> None:
    """Row 56: single and multiple subtasks, and the parent's conversation where it is shared."""
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
    """Row 56: the failure policy; the whole and the status of the call agree."""
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


async def test_tasks_are_done_as_they_depend_on_each_other(tmp_path: Path) -> None:
    """Row 57: order and skips as declared; answers are handed on."""
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


@pytest.mark.parametrize(
    ("tasks", "said"),
    [
        ([task("A", "a", "b"), task("B", "b", "a")], "these tasks wait for each other: a <- b <- a"),
        ([task("A", "a", "a")], "these tasks wait for each other: a <- a"),
        ([task("A", "a", "x"), task("B", "b", "y")], "'a' depends on 'x', which there is not (there are"),
        ([task("A", "a"), task("B", "a")], "two tasks with the label 'a'"),
        ([task("A", agent="nobody")], "there is no agent 'nobody'. Agents: none."),
        ([task("A")] * 3, "a run may have 2 helpers and this one has had 0"),
    ],
)  # fmt: skip
async def test_a_plan_that_cannot_be_done_is_told_and_begins_nothing(
    tmp_path: Path, tasks: list[dict[str, object]], said: str
) -> None:
    """Row 57: cycles and unknown labels are reported."""
    with ModelServer(cast({"ROOT": [delegate(*tasks), Reply("End")]})) as server:
        async with opened(tmp_path, server, "[subagents]\nmax_children = 2") as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
        assert len(server.posts) == 2
    (result,) = results(state)
    assert result.status == "failed"
    assert "Nothing was begun: " in result.text and said in result.text
    assert children_of(state) == ()


async def test_children_work_side_by_side(tmp_path: Path) -> None:
    """Row 58: three children each wait until all three are there; one after the other they never would be."""
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


async def test_a_child_is_resumed_and_the_lineage_is_known_after_the_fact(tmp_path: Path) -> None:
    """Row 59: child resume by session id; the lineage report comes from the disk."""
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


async def test_only_a_child_of_this_session_can_be_resumed(tmp_path: Path) -> None:
    """Row 59: another session is not a child, and neither is one that there is not."""
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
    assert f"{other.session_id} is no child of this session" in result.text
    assert "ses_nowhere" in result.text


async def test_what_a_child_uses_counts_for_its_parent(tmp_path: Path) -> None:
    """Row 15: a child uses 5,000 tokens, the limit is 1,000: the parent stops, its totals have them."""
    parts = {
        "ROOT": [delegate(task("ONE")), Reply("never said")],
        "ONE": [Reply("So much.", usage=(4000, 1000))],
    }
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session, maxTotalTokens=1000, maxToolCalls=9)
            helper = fold_all(await world.sessions.peek(child(state, "task-1").session_id))
    assert state.stop == Stop(StopReason.BUDGET, "The budget of tokens is used up: 5015 of 1000.")
    assert (state.total.total_tokens, state.total.model_calls) == (5015, 2)
    assert (helper.limits.max_total_tokens, helper.limits.max_tool_calls) == (985, 8), "what was left"
    assert len(server.posts) == 2
