"""Long outputs: head and tail for the model, the whole in the session's folder."""

import json
import re
from pathlib import Path

import pytest

from agls.engine.session import Session
from agls.engine.state import State
from agls.features.outputs.settings import Settings
from agls.terminal_codes import without_marks
from agls.world import World
from support.family import opened, results, run
from support.model_server import Answer, ModelServer, Reply, Request

ALL = 'permissions = { mode = "allowAll" }'
WHOLE = "[compaction]\nenabled = false\n"  # three results fill the smallest window
COUNT = "".join(f"{number}\n" for number in range(1, 20_001))  # 108,894 bytes
COUNTING = ("shell", {"command": "seq 1 20000"})
READ_ON = re.compile(r"(?:All|What was kept) of it is in (\S+): read that file from line (\d+) on")
Calls = list[tuple[str, dict[str, object]]]


def with_window(tokens: int, more: str = "") -> str:
    """A configuration whose model can see so many tokens."""
    return f"{ALL}\n{more}[models.m]\ncontext_window = {tokens}"


def calling(*calls: tuple[str, dict[str, object]], then: str = "") -> ModelServer:
    """One call after the other; `then` is the tool that reads on where the output before it says."""

    def answer(request: Request) -> Answer:
        told = [message for message in request.body["messages"] if message["role"] == "tool"]
        if len(told) < len(calls):
            return Reply(calls=[calls[len(told)]])
        if then and len(told) == len(calls):
            found = READ_ON.search(str(told[-1]["content"]))
            path, line = found.groups() if found else ("nothing", "1")
            return Reply(calls=[(then, {"path": path, "offset": int(line), "limit": 3})])
        return Reply("Done.")

    return ModelServer(answer)


async def begun(world: World, tmp_path: Path) -> tuple[Session, State]:
    session = await world.sessions.create(str(tmp_path / "workspace"))
    return session, await run(world, session)


@pytest.mark.row(42)
async def test_long_output_is_kept_whole_and_the_model_can_read_the_rest(tmp_path: Path) -> None:
    """Head and tail for the model; the file is the session's alone, and goes with it."""
    with calling(COUNTING, then="read_file") as server:
        async with opened(
            tmp_path, server, 'permissions = { mode = "ask", allow = ["shell(seq 1 20000)"] }'
        ) as w:
            session, state = await begun(w, tmp_path)
            ran, read = results(state)
            found = READ_ON.search(ran.text)
            assert found, ran.text[-500:]
            file, line = Path(found[1]), int(found[2])
            assert without_marks(ran.text).startswith("1\n2\n3\n") and "\n20000\n</untrusted " in ran.text
            assert len(ran.text) < 33_500
            assert f"\n{line - 2}\n" in ran.text, "the page begins where the head ends"
            assert read.status == "completed"
            assert read.text.startswith(f"{line}\t{line - 1}\n"), "the first line is a mark"
            assert without_marks(file.read_text()).startswith(COUNT)
            assert file.is_relative_to(tmp_path / "state/scratch" / session.session_id)
            assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
            fork = await w.sessions.fork(session.session_id, ran.call_id)
            await w.sessions.delete(session.session_id)
            assert not file.exists()
            state = await run(w, fork, "Read on.")
            ran, read = results(state)
            assert read.status == "completed", "a fork reads its own without a question"
            found = READ_ON.search(ran.text)
            assert found and without_marks(Path(found[1]).read_text()).startswith(COUNT)
            assert Path(found[1]).is_relative_to(tmp_path / "state/scratch" / fork.session_id)


@pytest.mark.row(42)
@pytest.mark.parametrize(
    ("window", "most"),
    [(4_000, 4_000), (20_000, 8_000), (50_000, 20_000), (1_000_000, 32_768)],
)
async def test_the_limit_follows_the_models_window(tmp_path: Path, window: int, most: int) -> None:
    """Between the least that every model gets and the tool's own limit, for each tool that prints much."""
    (tmp_path / "workspace").mkdir()
    (tmp_path / "workspace/a.txt").write_text("a line of text with some words\n" * 5_000)
    reading = ("read_file", {"path": "a.txt"})
    finding = ("grep", {"pattern": "words", "limit": 500, "context": 20})
    with calling(COUNTING, reading, finding) as server:
        async with opened(tmp_path, server, with_window(window, WHOLE) + "\n") as world:
            _, state = await begun(world, tmp_path)
    ran, read, found = (len(result.text) for result in results(state))
    remark = 400
    assert most * 0.9 < ran < most + remark
    assert read < (max(most, 4_000) if window < 1_000_000 else 60_000) + remark
    assert found < (most if window < 1_000_000 else 40_000) + remark


@pytest.mark.row(42)
async def test_kept_output_has_no_keys(tmp_path: Path) -> None:
    """It is cleaned before it is written."""
    key = "sk-0123456789abcdefghij"
    more = f'{ALL}\n[models.m]\napi_key = "{key}"'
    steps = calling(("shell", {"command": f"seq 1 9000; echo {key[:9]}''{key[9:]}; seq 1 9000"}))
    with steps as server:
        async with opened(tmp_path, server, more) as world:
            session, _ = await begun(world, tmp_path)
            (file,) = (tmp_path / "state/scratch" / session.session_id / "outputs").iterdir()
            assert key not in file.read_text()
            assert "[secret]" in file.read_text()


@pytest.mark.row(42)
async def test_the_oldest_are_removed_to_make_room(tmp_path: Path) -> None:
    """And of one that is too long by itself head and tail are kept."""
    more = f"{ALL}\n[outputs]\nkeep_bytes = 150000\nkeep_bytes_in_all = 200000"
    calls = [
        ("shell", {"command": f"echo {n}; seq 1 {count}"}) for n, count in enumerate((20_000, 20_001, 90_000))
    ]
    with calling(*calls) as server:
        async with opened(tmp_path, server, more) as world:
            session, state = await begun(world, tmp_path)
            files = list((tmp_path / "state/scratch" / session.session_id / "outputs").iterdir())
            (last,) = files
            assert "bytes are left out here]" in last.read_text()
            assert last.stat().st_size < 151_000
            assert all(READ_ON.search(result.text) for result in results(state))
            assert ["All of it" in result.text for result in results(state)] == [True, True, False]


@pytest.mark.row(42)
async def test_without_a_folder_head_and_tail_are_all_there_is(tmp_path: Path) -> None:
    """No scratch folder, or a link in its place that a command made: nothing is written elsewhere."""
    outside = tmp_path / "outside"
    outside.mkdir()
    with calling(COUNTING) as server:
        async with opened(tmp_path, server, f"{ALL}\n[scratchpad]\nenabled = false") as world:
            session, state = await begun(world, tmp_path)
            assert "They are not kept: ask for less." in results(state)[0].text
            assert not (tmp_path / "state/scratch").exists()
        async with opened(tmp_path, server, ALL) as world:
            session = await world.sessions.create(str(tmp_path / "workspace"))
            folder = tmp_path / "state/scratch" / session.session_id
            folder.mkdir(parents=True)
            (folder / "outputs").symlink_to(outside)
            state = await run(world, session)
            assert "They are not kept: ask for less." in results(state)[0].text
            assert list(outside.iterdir()) == []


def test_a_window_that_is_not_known_leaves_the_tools_own_limits() -> None:
    """And no window lowers them below the least."""
    assert Settings().limits(None).of(50_000) == 50_000
    assert Settings().limits(None).of(None) == 60_000
    assert Settings().limits(100).of(50_000) == 4_000
    assert json.loads(Settings().model_dump_json())["window_share"] == 0.1
