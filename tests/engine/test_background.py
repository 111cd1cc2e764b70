"""Tasks of a session: they outlive runs, end once, and are never begun again."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from agls.engine import background
from agls.engine.admission import ANYBODY
from agls.engine.background import CLOSED, DIED, FORKED, KEPT, ROOM, Show, left_open, take, tasks_of
from agls.engine.facts import Noted, SessionChanged
from agls.engine.ports import JournalError, WorkspaceError
from agls.engine.session import Session
from agls.engine.state import fold_all
from agls.engine.vocabulary import KeptOutput, Terminal, ToolOutcome
from agls.terminal_codes import enclosed
from support.patience import become

from .test_sessions import GO, World, end, hang, say

MAKE = Terminal("make", "/project")
DONE = ToolOutcome("made\n[exit code 0]", effects="unknown", terminal=Terminal("make", "/project", 0))


async def at_once(show: Show) -> ToolOutcome:
    return DONE


async def never(show: Show) -> ToolOutcome:
    show("begun\n")
    await hang()
    raise AssertionError


def begin(session: Session, work: Callable[[Show], Awaitable[ToolOutcome]]) -> str:
    return session.background.begin("make", "call_1", MAKE, work).task_id


async def test_a_task_ends_by_itself_while_no_run_is_on() -> None:
    async with World().session() as session:
        task_id = begin(session, at_once)
        assert (session.state.status, session.background.running) == ("idle", (task_id,))
        await session.background.over()
        (task,) = tasks_of(session.state).values()
        assert (task.outcome, task.is_reported, session.background.running) == (DONE, False, ())
        session.background.mark_reported([task])
        assert session.background.tasks[task_id].is_reported
        before = session.state.seq
        session.background.mark_reported(session.background.tasks.values())
        assert session.state.seq == before


async def test_a_task_ends_in_the_colours_of_the_lines_that_its_text_has() -> None:
    async def coloured(show: Show) -> ToolOutcome:
        terminal = Terminal("make", "/project", 0, coloured="\x1b[31mkey\x1b[0m\n\x1b[32mmade\x1b[0m")
        return ToolOutcome("[left out]\nmade\n[exit code 0]", terminal=terminal)

    async with World().session() as session:
        begin(session, coloured)
        await session.background.over()
        (task,) = tasks_of(session.state).values()
        assert task.outcome
        assert task.outcome.terminal
        assert task.outcome.terminal.coloured == "[left out]\n\x1b[32mmade\x1b[0m\n[exit code 0]"
        assert task.outcome.settled() == task.outcome


async def test_tasks_that_are_stopped_end_with_what_they_printed() -> None:
    async with World().session() as session:
        first, second = begin(session, never), begin(session, never)
        await become(lambda: session.background.printed(first) and session.background.printed(second))
        assert session.background.stop("enough", {first}) == (first,)
        assert session.background.stop("again", {first}) == (first,)
        await session.background.over({first})
        task = session.background.tasks[first]
        assert task.outcome
        assert (task.outcome.status, task.outcome.effects) == ("cancelled", "unknown")
        assert task.outcome.text == enclosed("begun") + "\n[Stopped: enough. What it did is unknown.]"
        assert session.background.running == (second,)
        assert session.background.stop("all of them") == (second,)
        await session.background.over()
        await session.background.over()
        assert session.background.printed(first) == session.background.news(first) == ""


async def test_a_task_that_does_not_let_go_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(background, "PATIENCE", 0.01)
    let_go = asyncio.Event()

    async def stubborn(show: Show) -> ToolOutcome:
        show("here\n")
        while not let_go.is_set():
            try:
                await let_go.wait()
            except asyncio.CancelledError:
                continue
        return DONE

    async with World().session() as session:
        task_id = begin(session, stubborn)
        await become(lambda: session.background.printed(task_id))
        session.background.stop("enough")
        await session.background.over()
        outcome = session.background.tasks[task_id].outcome
        assert outcome
        assert outcome.status == "cancelled"
        let_go.set()


async def test_a_task_that_crashes_has_failed() -> None:
    async def crash(show: Show) -> ToolOutcome:
        raise ValueError("a bug")

    async with World().session() as session:
        task_id = begin(session, crash)
        await session.background.over()
        outcome = session.background.tasks[task_id].outcome
        assert outcome
        assert (outcome.status, outcome.effects) == ("failed", "unknown")


async def test_news_of_a_task_holds_each_piece_of_output_once() -> None:
    async def talks(show: Show) -> ToolOutcome:
        for text in ("one\n", "two\n", "x" * (KEPT + 5)):
            show(text)
            await gate()
        raise AssertionError

    turn = asyncio.Queue[None]()

    async def gate() -> None:
        await turn.get()

    async with World().session() as session:
        task_id = begin(session, talks)
        await become(lambda: session.background.printed(task_id))
        assert session.background.news(task_id) == "one\n"
        assert session.background.news(task_id) == ""
        turn.put_nowait(None)
        await become(lambda: "two" in session.background.printed(task_id))
        assert session.background.news(task_id) == "two\n"
        turn.put_nowait(None)
        await become(lambda: "x" in session.background.printed(task_id))
        assert session.background.news(task_id) == f"[5 characters are left out here]\n{'x' * KEPT}"


async def test_the_end_of_the_session_is_the_end_of_its_tasks() -> None:
    world = World()
    async with world.sessions() as sessions:
        session = await sessions.create("/project")
        task_id = begin(session, never)
        await become(lambda: session.background.printed(task_id))
        await sessions.close(session.session_id)
        outcome = tasks_of(session.state)[task_id].outcome
        assert outcome
        assert CLOSED in outcome.text
        with pytest.raises(WorkspaceError, match="being closed"):
            begin(session, never)


async def test_a_task_whose_process_died_is_closed_and_not_begun_again() -> None:
    world = World()
    async with world.sessions() as sessions:
        session = await sessions.create("/project")
        begin(session, never)
        entries = session.log.journal.entries()
        async with world.sessions() as others:
            journal = world.store.create("ses_other")
            journal.append(*entries)
            journal.close()
            again = await others.open("ses_other")
            (task,) = tasks_of(again.state).values()
            assert task.outcome
            assert DIED in task.outcome.text
            assert again.background.running == ()
            assert not again.background.settle()
        assert [note.kind for note in again.state.notes[ROOM]] == ["began", "ended"]


async def test_fork_has_no_running_task() -> None:
    world = World(say())
    async with world.sessions() as sessions:
        session = await sessions.create("/project")
        await end(session, (await session.prompt(GO)).run_id)
        task_id = begin(session, never)
        fork = await sessions.fork(session.session_id, request=ANYBODY)
        outcome = tasks_of(fork.state)[task_id].outcome
        assert outcome
        assert FORKED in outcome.text
        assert session.background.running == (task_id,)
        assert fork.state == fold_all(fork.log.journal.entries())


async def test_task_of_a_session_that_another_process_took_still_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lost(*entries: object) -> None:
        raise JournalError("another process has it")

    async with World().session() as session:
        begin(session, never)
        monkeypatch.setattr(session.log.journal, "append", lost)
        session.background.stop("enough")
        await session.background.over()
        assert session.background.running == ()
        monkeypatch.undo()


def test_end_without_a_beginning_is_ignored() -> None:
    known = tasks_of(fold_all(()))
    assert take(known, "ended", {"taskId": "task_1"}) is None
    assert take(known, "told", {"taskIds": ["task_1"]}) is None


async def test_note_about_an_unknown_task_leaves_no_task_open() -> None:
    async with World().session() as session:
        assert left_open(session.state, DIED) == []
        session.log.record(SessionChanged(title="t"))
        session.log.record(Noted(ROOM, "told", {"taskIds": ["task_9"]}))
        assert tasks_of(session.state) == {}


async def test_work_that_is_waited_for_ends_or_is_moved() -> None:
    async with World().session() as session:
        tasks, shown = session.background, list[str]()
        assert await tasks.wait_for("make", "call_1", MAKE, at_once, shown.append) == DONE
        go = asyncio.Event()

        async def work(show: Show) -> ToolOutcome:
            show("begun\n")
            await go.wait()
            show("moved\n")
            return DONE

        waits = asyncio.create_task(tasks.wait_for("make", "call_2", MAKE, work, shown.append))
        await become(lambda: bool(shown))
        assert (dict(tasks.waited_for), tasks.move("call_1")) == ({"call_2": "make"}, None)
        task = tasks.move("call_2")
        assert task
        assert (await waits, task.task_id, dict(tasks.waited_for)) == (task, "task_1", {})
        assert tasks.news("task_1") == "begun\n"
        go.set()
        await tasks.over()
        assert tasks.tasks["task_1"].outcome == DONE
        assert shown == ["begun\n"], "from then on it is the output of the task"


async def test_work_that_is_waited_for_ends_with_its_call() -> None:
    async with World().session() as session:
        shown = list[str]()
        waits = asyncio.create_task(session.background.wait_for("make", "call_1", MAKE, never, shown.append))
        await become(lambda: bool(shown))
        waits.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waits
        assert (session.background.tasks, dict(session.background.waited_for)) == ({}, {})


async def test_end_of_a_task_names_the_file_with_all_of_its_output() -> None:
    async with World().session() as session:
        whole = replace(DONE, kept=KeptOutput("task-1.txt", 7))

        async def work(show: Show) -> ToolOutcome:
            return whole

        task_id = begin(session, work)
        await session.background.over()
        assert session.background.tasks[task_id].outcome == whole
        facts = [background.outcome_in(entry.fact) for entry in session.log.journal.entries()]
        assert [fact.kept for fact in facts if fact] == [KeptOutput("task-1.txt", 7)]
