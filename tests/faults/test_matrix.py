"""A session whose process dies before, or whose disk fails at, any call: see `story.py` and `matrix.py`.

From inside the process everywhere, by `strace` where it is installed and may trace (`layers.py`). By default
a few points, with --slow sixty; all of them by `scripts/test --kill-matrix`.
"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agls.stores.files import FileStore
from faults import story
from faults.layers import untraceable
from support import processes
from support.processes import changed_program

pytestmark = pytest.mark.promise("P6")

MATRIX = Path(__file__).with_name("matrix.py")


UNTRACEABLE = untraceable()
TRACED = pytest.mark.skipif(bool(UNTRACEABLE), reason=UNTRACEABLE)


def run(
    folder: Path, layer: str, what: str, points: int, seed: int, seconds: float = 250
) -> list[dict[str, Any]]:
    """The lines of a sample, the summary last."""
    sample = ["--layer", layer, "--points", str(points), "--seed", str(seed)]
    program = changed_program(f"import runpy; runpy.run_path({str(MATRIX)!r}, run_name='__main__')")
    done = processes.run([*program, str(folder), what, *sample], timeout=seconds)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, [line for line in lines if line.get("problems")] or done.stderr
    assert lines, done.stderr
    return lines


@pytest.mark.row(74)
@pytest.mark.timeout(280)
@pytest.mark.parametrize(
    ("layer", "what", "points"),
    [
        ("inside", "kill", 5),
        ("inside", "power", 5),
        ("inside", "ENOSPC", 2),
        ("inside", "EIO", 1),
        ("inside", "clock", 1),
        pytest.param("strace", "kill", 2, marks=TRACED),
        pytest.param("strace", "ENOSPC", 1, marks=TRACED),
    ],
)
def test_whatever_call_it_died_at_or_that_failed_nothing_is_lost_torn_or_repeated(
    layer: str, what: str, points: int, tmp_path: Path
) -> None:
    """Nothing that was acknowledged is lost, and the session goes on to its end."""
    *lines, summary = run(tmp_path, layer, what, points, seed=5)
    assert (len(lines), summary["failed"]) == (points, 0)
    assert summary["of"] > 100, "the story has that many calls"
    assert any(line["hit"] for line in lines)
    if what in {"kill", "power"}:
        assert {line["first"] for line in lines if line["hit"]} == {-9}


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    ("layer", "what", "points"),
    [
        ("inside", "kill", 60),
        ("inside", "power", 100),
        ("inside", "ENOSPC", 20),
        ("inside", "EIO", 20),
        ("inside", "EDQUOT", 5),
        ("inside", "clock", 5),
        pytest.param("strace", "kill", 60, marks=TRACED),
        pytest.param("strace", "ENOSPC", 20, marks=TRACED),
        pytest.param("strace", "EIO", 20, marks=TRACED),
    ],
)
def test_faults_at_many_points_leave_no_damage(layer: str, what: str, points: int, tmp_path: Path) -> None:
    assert run(tmp_path, layer, what, points, seed=60, seconds=850)[-1]["failed"] == 0


# --- whoever judges is judged ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> story.Place:
    """A story that was told to its end."""
    place = story.Place(tmp_path_factory.mktemp("story") / "place")
    place.make()
    story.tell(place)
    return place


def _journal(place: story.Place) -> Path:
    (path,) = place.state.glob("sessions/*.jsonl")
    return path


def _cut(place: story.Place) -> None:
    lines = _journal(place).read_bytes().splitlines(keepends=True)
    _journal(place).write_bytes(b"".join(lines[:-4]))


def _run_again(place: story.Place) -> None:
    with (place.workspace / "log").open("a") as log:
        log.write("two\n")


def _tear(place: story.Place) -> None:
    (place.workspace / "a.txt").write_text(story.FIRST[:-100])


def _leave(place: story.Place) -> None:
    (place.workspace / ".agls-write-1-x").touch()


def _leave_in_the_state(place: story.Place) -> None:
    (place.state / "new-1-x").touch()


@pytest.mark.parametrize(
    ("harm", "found"),
    [
        (_cut, "lost"),
        (_run_again, "commands ran"),
        (_tear, "is torn"),
        (_leave, "left over"),
        (_leave_in_the_state, "left over"),
    ],
)
def test_damage_to_a_finished_story_is_found(
    told: story.Place, tmp_path: Path, harm: Callable[[story.Place], None], found: str
) -> None:
    subprocess.run(["cp", "-r", str(told.folder), str(tmp_path / "copy")], check=True)
    copy = story.Place(tmp_path / "copy")
    assert list(story.problems(copy)) == []
    harm(copy)
    assert any(found in problem for problem in story.problems(copy)), list(story.problems(copy))


def test_the_story_has_its_twelve_steps(told: story.Place) -> None:
    store = FileStore(told.state)
    kinds = [type(entry.fact).__name__ for entry in store.peek(store.list()[0][0].session_id)]
    wanted = {"ToolStarted": 8, "Asked": 3, "Steered": 1, "Cut": 1, "RunEnded": 5}
    assert {kind: kinds.count(kind) for kind in wanted} == wanted
