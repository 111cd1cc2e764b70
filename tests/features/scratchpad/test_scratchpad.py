"""The session's folder for what is not kept: open to its tools, not in the workspace, gone with it."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from agls.engine.run_action import invoke
from agls.engine.session import Session
from agls.engine.state import State
from agls.stores.scratch import Scratch
from agls.terminal_codes import without_marks
from agls.workspace.paths import Ground, Own
from agls.world import World
from support.family import opened, results, run, task
from support.model_server import Answer, ModelServer, Reply, Request

ALL = 'permissions = { mode = "allowAll" }'
EDITS = 'permissions = { mode = "acceptEdits" }'
Calls = list[tuple[str, dict[str, object]]]


def told(request: Request) -> str:
    """The last path that the model was told, "" for none."""
    said = json.dumps(request.body["messages"])
    return ["", *re.findall(r"Scratch folder \(for temporary files, not kept\): ([^\\\"]+)", said)][-1]


def calling(*made: Callable[[str], tuple[str, dict[str, object]]]) -> Callable[[Request], Answer]:
    """One call after the other, each made from the path, then the end; again for each prompt."""

    def answer(request: Request) -> Answer:
        done = 0
        for message in request.body["messages"]:
            done = 0 if message["role"] == "user" else done + (message["role"] == "tool")
        return Reply(calls=[made[done](told(request))]) if done < len(made) else Reply("Done.")

    return answer


def write(name: str) -> Callable[[str], tuple[str, dict[str, object]]]:
    return lambda folder: ("write_file", {"path": f"{folder}/{name}", "content": "1\n"})


def shell(command: str) -> Callable[[str], tuple[str, dict[str, object]]]:
    return lambda folder: ("shell", {"command": command.format(folder)})


async def begun(world: World, tmp_path: Path) -> tuple[Session, State, Path]:
    session = await world.sessions.create(str(tmp_path / "workspace"))
    state = await run(world, session, "Try something")
    return session, state, tmp_path / "state/scratch" / session.session_id


@pytest.mark.row(81)
async def test_scratch_folder_is_private_to_its_session_and_removed_with_it(tmp_path: Path) -> None:
    """Told to the model, open to its tools, private, there again after a restart, removed with it."""
    steps = calling(write("deep/a.txt"), shell("cat {0}/deep/a.txt; mkdir -m 500 {0}/shut; echo 2 > {0}/b"))
    with ModelServer(steps) as server:
        async with opened(tmp_path, server, ALL) as world:
            session, state, folder = await begun(world, tmp_path)
            wrote, ran = results(state)
            assert (wrote.status, ran.status) == ("completed", "completed")
            assert without_marks(ran.text).startswith("1\n")
            assert (folder / "deep/a.txt").read_text() == "1\n"
            assert folder.stat().st_mode & 0o777 == 0o700
            assert list((tmp_path / "workspace").iterdir()) == [], "none of it is in the workspace"
        async with opened(tmp_path, server, ALL) as world:
            session = await world.sessions.open(session.session_id)
            assert (folder / "b").read_text() == "2\n"
            await run(world, session, "Again")
            assert {told(post) for post in server.posts} == {str(folder)}
            await world.sessions.delete(session.session_id)
    assert not folder.exists()
    assert folder.parent.is_dir()


@pytest.mark.row(81)
async def test_a_session_that_only_reads_leaves_none(tmp_path: Path) -> None:
    """It is made when it may be needed."""
    with ModelServer(calling(lambda folder: ("list_dir", {"path": "."}))) as server:
        async with opened(tmp_path, server) as world:
            session, state, folder = await begun(world, tmp_path)
            assert results(state)[0].status == "completed"
            assert not folder.parent.exists()
            await world.sessions.delete(session.session_id)


@pytest.mark.row(81)
async def test_scratch_folder_opens_no_other_folder_of_agls(tmp_path: Path) -> None:
    """Other sessions' folders, what links lead to, and the state folder stay what they are."""
    outside = tmp_path / "secret.txt"
    outside.write_text("mine")
    steps = calling(
        write("a.txt"),
        write("../ses_other/a.txt"),
        write("../../keys.json"),
        lambda folder: ("read_file", {"path": f"{folder}/out.txt"}),
    )
    with ModelServer(steps) as server:
        async with opened(tmp_path, server, EDITS) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            folder = tmp_path / "state/scratch" / session.session_id
            folder.mkdir(parents=True)
            (folder / "out.txt").symlink_to(outside)
            state = await run(world, session)
    own, *others = results(state)
    assert own.status == "completed"
    assert [other.status for other in others] == ["rejected"] * 3
    assert not (tmp_path / "state/scratch/ses_other").exists()
    assert not (tmp_path / "state/keys.json").exists()


@pytest.mark.row(81)
async def test_a_fork_and_a_helper_have_their_own(tmp_path: Path) -> None:
    """They are told another path, and what is removed with one is there in the other."""

    def answer(request: Request) -> Answer:
        if "HELPER" in str(request.body["messages"][1]):
            return calling(write("helper.txt"))(request)
        return calling(write("a.txt"), lambda folder: ("delegate", {"tasks": [task("HELPER")]}))(request)

    with ModelServer(answer) as server:
        async with opened(tmp_path, server, ALL) as world:
            session, _, folder = await begun(world, tmp_path)
            fork = await world.sessions.fork(session.session_id)
            await run(world, fork, "Again")
            paths = {told(post) for post in server.posts}
            scratch = tmp_path / "state/scratch"
            assert (folder / "a.txt").exists() and (scratch / fork.session_id / "a.txt").exists()
            assert paths == {str(path) for path in scratch.iterdir()}
            assert len(paths) == 4, "the session, its fork, and a helper of each"
            await world.sessions.delete(session.session_id)
            assert (scratch / fork.session_id / "a.txt").exists()


@pytest.mark.row(81)
async def test_a_rewind_takes_back_what_was_written_in_it(tmp_path: Path) -> None:
    """Like every other edit of ours."""
    with ModelServer(calling(write("a.txt"))) as server:
        async with opened(tmp_path, server, ALL) as world:
            session, _, folder = await begun(world, tmp_path)
            assert (folder / "a.txt").exists()
            await invoke(session, "checkpoint.restore", {"toItemId": ""})
            assert not (folder / "a.txt").exists()


@pytest.mark.row(81)
@pytest.mark.parametrize("more", ["[scratchpad]\nenabled = false", "[lean]\nbelow = 200000"])
async def test_prompt_names_no_scratch_folder_when_it_is_off_or_the_context_small(
    tmp_path: Path, more: str
) -> None:
    """Switched off, and for a model with a small context."""
    with ModelServer(calling()) as server:
        async with opened(tmp_path, server, f"{more}\n[models.m]\ncontext_window = 100000\n") as world:
            await begun(world, tmp_path)
        assert [told(post) for post in server.posts] == [""]


@pytest.mark.row(81)
def test_a_folder_that_became_a_link_opens_nothing_and_is_removed_alone(tmp_path: Path) -> None:
    """A command may have put a link in its place."""
    scratch = Scratch(tmp_path / "state")
    folder = scratch.path("ses_1")
    folder.parent.mkdir(parents=True)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs/a").write_text("1")
    folder.symlink_to(tmp_path / "theirs")
    ground = Ground(str(tmp_path / "work"), own=Own([str(tmp_path / "state")], str(folder)))
    assert not ground.place(str(folder / "a")).inside
    assert not ground.place("/etc/hostname").inside
    scratch.remove("ses_1")
    assert not folder.is_symlink()
    assert (tmp_path / "theirs/a").read_text() == "1"
    scratch.remove("ses_1")
