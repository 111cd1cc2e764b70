"""P8: no name, no text and no pattern of a folder, a model or a command stops the server."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from support.patience import PATIENCE, wait_until, within
from support.wire import Wire, script, turns

from .attacker import Call, House, call

pytestmark = pytest.mark.promise("P8")

Plant = Callable[[Path], None]
AT_ONCE = 0.8  # seconds, on a busy machine; what these patterns take otherwise is minutes
STARS = "*a*a*a*a*a*a*a*b"


def names(workspace: Path, count: int) -> None:
    for number in range(count):
        (workspace / f"{'a' * 245}{number:05}").touch()


def one_line_that_backtracks(workspace: Path) -> None:
    (workspace / ".gitignore").write_text(f"{STARS}\n")
    names(workspace, 1)


def many_lines_over_many_names(workspace: Path) -> None:
    (workspace / ".gitignore").write_text("\n".join(f"{STARS}{number}" for number in range(2_000)))
    names(workspace, 200)


def folders_that_may_be_any(workspace: Path) -> None:
    (workspace / ".gitignore").write_text(
        "\n".join(["**/a/" * 30 + "b", "a/**/" * 300 + "b", "[" * 900, "\\"])
    )
    deep = workspace
    for _ in range(60):
        deep = deep / "a"
        deep.mkdir()
        names(deep, 3)


def an_endless_ignore_file(workspace: Path) -> None:
    (workspace / ".gitignore").symlink_to("/dev/zero")
    (workspace / ".ignore").write_bytes(b"*a" * 3_000_000)
    names(workspace, 100)


def texts_that_backtrack(workspace: Path) -> None:
    (workspace / "trap.txt").write_text(("a" * 60 + "!\n") * 1_000)
    (workspace / "white.txt").write_text(" \t" * 500_000)
    (workspace / "carriage.txt").write_text("\r" * 200_000 + "x")
    (workspace / "strings.txt").write_text("\x90" * 200_000)


LOOKING = (
    call("glob", pattern="**"),
    call("glob", pattern=f"**/{STARS}"),
    call("grep", pattern="(a+)+$", output="files"),
    call("grep", pattern="nowhere", glob="**/a/**/a/**/a/**/b"),
    call("list_dir"),
    call("read_file", path="white.txt"),
    call("read_file", path="carriage.txt"),
    call("read_file", path="strings.txt"),
    call("edit_file", path="trap.txt", old_text="a" * 50 + "?\n" * 50, new_text="b"),
    call("shell", command="cat carriage.txt strings.txt; tr '\\0' '\\220' < /dev/zero | head -c 200000"),
)
FOLDERS = (
    one_line_that_backtracks,
    many_lines_over_many_names,
    folders_that_may_be_any,
    an_endless_ignore_file,
    texts_that_backtrack,
)


def served(folder: Path, calls: tuple[Call, ...]) -> Wire:
    """A server whose model makes these calls, all at once, in a workspace where rules have stars too."""
    made = [{"name": name, "arguments": arguments} for name, arguments in calls]
    config = script(folder, turns({"text": "I look.", "calls": made}, "Done."))
    config.write_text(
        f'permissions.deny = ["read({STARS})", "read(**/{STARS}/**/x)", "read(**a**a**a**b)"]\n'
        f"search.timeout_s = 3\n{config.read_text()}"
    )
    return Wire(folder, config)


def slowest_answer(wire: Wire, session: str) -> float:
    """How long the server takes to say how it is, while a run goes on: the longest of many times."""
    ended = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    longest = 0.0
    until = time.monotonic() + PATIENCE
    while not any(message.get("id") == ended and "method" not in message for message in wire.messages):
        begun = time.monotonic()
        assert begun < until, "the run did not end"
        wire.call("agent/status")
        longest = max(longest, time.monotonic() - begun)
        time.sleep(0.02)
    assert wire.answer_of(ended)["result"]["stopReason"] == "endTurn"
    return longest


@pytest.mark.parametrize("plant", FOLDERS)
def test_the_server_answers_at_once_while_a_hostile_folder_is_looked_at(tmp_path: Path, plant: Plant) -> None:
    tries = 0
    longest = AT_ONCE
    while longest >= AT_ONCE:
        tries += 1
        assert tries < 6, f"never within {AT_ONCE} s, lastly {longest}"
        folder = tmp_path / str(tries)
        (folder / "workspace").mkdir(parents=True)
        plant(folder / "workspace")
        with served(folder, LOOKING) as wire:
            wire.initialize()
            longest = slowest_answer(wire, wire.session(options={"mode": "allowAll"}))


@pytest.mark.parametrize("plant", FOLDERS)
def test_a_search_in_a_hostile_folder_is_cancelled_at_once(tmp_path: Path, plant: Plant) -> None:
    (tmp_path / "workspace").mkdir()
    plant(tmp_path / "workspace")
    for number, watch in enumerate(within(1.0)):
        folder = tmp_path / f"try{number}"
        folder.mkdir()
        (folder / "workspace").symlink_to(tmp_path / "workspace")
        with served(folder, (call("grep", pattern="(a+)+$"), call("glob", pattern=f"**/{STARS}"))) as wire:
            wire.initialize()
            session = wire.session(options={"mode": "allowAll"})
            ended = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
            wait_until(lambda wire=wire: "glob" in str(wire.events))
            with watch:
                wire.call("agent/cancel", {"sessionId": session})
                result = wire.answer_of(ended)["result"]
            assert result["stopReason"] in {"cancelled", "endTurn"}


def test_a_run_that_searches_a_hostile_folder_ends_in_time(house: House) -> None:
    many_lines_over_many_names(house.workspace)
    texts_that_backtrack(house.workspace)
    for watch in within(8.0):
        with watch:
            searching = [call("grep", pattern="(a+)+$"), call("glob", pattern="**")]
            loot = house.attack(*searching, mode="allowAll", arguments=("--max-seconds", "1"))
        assert loot.of_type("runEnded")[0]["stopReason"] == "timeout"
