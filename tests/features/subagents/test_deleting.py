"""A session takes its helpers with it when it is deleted, and nothing else."""

import asyncio
from pathlib import Path

import pytest

from agls.engine.ports import JournalBusy
from agls.engine.vocabulary import Text
from agls.stores.files import FileStore
from support.family import cast, child, delegate, opened, run, task
from support.model_server import ModelServer, Raw, Reply
from support.patience import become

PARTS = {
    "ROOT": [delegate(task("CHILD", "a"), task("OTHER", "b")), Reply("End")],
    "CHILD": [delegate(task("LEAF", "c")), Reply("done")],
    "OTHER": [Reply("done")],
    "LEAF": [Reply("done")],
}


def kept(folder: Path) -> set[str]:
    return {path.stem for path in (folder / "state/sessions").glob("*.jsonl")}


async def test_helpers_and_their_helpers_go_with_their_session_and_forks_stay(tmp_path: Path) -> None:
    with ModelServer(cast(PARTS)) as server:
        async with opened(tmp_path, server) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            state = await run(world, session)
            other = await world.sessions.create(str(tmp_path / "workspace"))
            forks = [
                await world.sessions.fork(each) for each in (session.session_id, child(state, "a").session_id)
            ]
            assert len(kept(tmp_path)) == 4 + 3
            await world.sessions.open(child(state, "a").session_id)  # somebody looks at it
            await world.sessions.delete(session.session_id)
    assert kept(tmp_path) == {other.session_id, *(fork.session_id for fork in forks)}


async def test_those_that_work_are_ended_first(tmp_path: Path) -> None:
    parts = {"ROOT": [delegate(task("CHILD", "a"))], "CHILD": [Raw(begin="hang")]}
    with ModelServer(cast(parts)) as server:
        async with opened(tmp_path, server) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            await session.prompt((Text("ROOT"),))
            await become(lambda: len(server.posts) == 2)
            await world.sessions.delete(session.session_id)
            assert kept(tmp_path) == set()


async def test_while_another_process_has_a_helper_the_session_stays(tmp_path: Path) -> None:
    with ModelServer(cast(PARTS)) as server:
        async with opened(tmp_path, server) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            helper = child(await run(world, session), "a").session_id
            journal = await asyncio.to_thread(FileStore(tmp_path / "state").open, helper)
            with pytest.raises(JournalBusy):
                await world.sessions.delete(session.session_id)
            assert {helper, session.session_id} <= kept(tmp_path)
            journal.close()
            await world.sessions.delete(session.session_id)
    assert kept(tmp_path) == set()
