"""What is noted around a call, whatever becomes of the call."""

import asyncio
import os
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from agls.engine.facts import Noted, ToolStarted
from agls.engine.feature import Feature
from agls.engine.ports import Effect, Preview, Target, ToolContext, ToolSpec
from agls.engine.vocabulary import ToolCall, ToolOutcome, ToolResult
from agls.features.checkpoints.withheld import withheld

from .scene import Scene, opened, turn


class FakeTool:
    """A tool from elsewhere: it does what a test says, and reports nothing."""

    def __init__(self, work: Callable[[], Awaitable[None]], *targets: Target, effect: Effect) -> None:
        self.spec = ToolSpec("foreign", "", {"type": "object"}, frozenset({effect}))
        self._work, self._targets = work, targets

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        return Preview("foreign", {}, self._targets)

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        await self._work()
        return ToolOutcome("done", effects="unknown")


def notes(scene: Scene) -> list[tuple[str, Any]]:
    return [(note.kind, note.data) for note in scene.session.state.notes.get("checkpoints", ())]


async def test_the_content_is_kept_and_noted_before_the_call_has_an_effect(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    await scene.write("a.txt", "new\n")
    facts = [entry.fact for entry in scene.session.log.journal.entries()]
    seen = next(n for n, fact in enumerate(facts) if isinstance(fact, Noted) and fact.kind == "seen")
    started = [n for n, fact in enumerate(facts) if isinstance(fact, ToolStarted)]
    assert started[0] < seen < started[1]
    (_, before), (_, after) = [note for note in notes(scene) if note[0] in {"seen", "made"}]
    assert await scene.blobs.read(before["files"][0]["hash"]) == b"old\n"
    assert await scene.blobs.read(after["files"][0]["hash"]) == b"new\n"
    assert (after["by"], after["runId"]) == ("call_2", scene.session.state.run_id)


async def test_reading_notes_a_file_once_and_keeps_nothing(scene: Scene, tmp_path: Path) -> None:
    (scene.root / "a.txt").write_text("old\n")
    await scene.read("a.txt")
    await scene.read("a.txt")
    await scene.read("absent.txt")
    assert notes(scene) == [("touched", {"path": str((scene.root / "a.txt").resolve())})]
    assert not (tmp_path / "state/blobs").exists()


async def test_a_call_that_changes_nothing_leaves_no_step(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    await scene.write("a.txt", "old\n")
    await scene.prompt(turn(scene.call("edit_file", path="a.txt", old_text="absent", new_text="x")))
    assert [kind for kind, _ in notes(scene)] == ["touched", "seen"]


async def test_a_tool_that_reports_nothing_is_watched_by_its_targets(scene: Scene) -> None:
    async def work() -> None:
        (scene.root / "made.txt").write_text("made\n")

    tool = FakeTool(work, Target(Effect.WRITES, "made.txt"), effect=Effect.WRITES)
    scene.more = (Feature(name="foreign", tools=(tool,)),)
    await scene.prompt(turn(scene.call("foreign")))
    await scene.act("checkpoint.restore", toItemId="")
    assert scene.bytes("made.txt") is None


async def test_a_tool_that_names_no_target_counts_as_a_command(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")

    async def work() -> None:
        (scene.root / "a.txt").write_text("new\n")

    scene.more = (Feature(name="foreign", tools=(FakeTool(work, effect=Effect.WRITES),)),)
    await scene.read("a.txt")
    await scene.prompt(turn(scene.call("foreign")))
    data = await scene.data("checkpoint.restore", toItemId="")
    assert (data["commandsRan"], scene.bytes("a.txt")) == (True, b"old\n")


async def test_changes_of_a_cancelled_command_are_known(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")
    await scene.read("a.txt")
    running = asyncio.ensure_future(scene.run("echo new > a.txt; echo ready; exec sleep 60"))
    while scene.bytes("a.txt") != b"new\n":
        await asyncio.sleep(0.01)
    scene.session.cancel()
    await running
    await scene.act("checkpoint.restore", toItemId="")
    assert scene.bytes("a.txt") == b"old\n"


async def test_a_path_that_cannot_be_one_is_left_to_the_tool(scene: Scene) -> None:
    await scene.prompt(turn(scene.call("write_file", path="a\0b", content="x")))
    await scene.prompt(turn(scene.call("write_file", path="/etc/elsewhere", content="x")))
    assert notes(scene) == []


async def test_a_file_changed_by_somebody_else_in_the_same_moment_is_left_alone(scene: Scene) -> None:
    (scene.root / "a.txt").write_text("old\n")

    async def change_first() -> None:
        (scene.root / "a.txt").write_text("user\n")

    tool = FakeTool(change_first, effect=Effect.READS)

    async def around(invocation: Any, view: Any, inner: Any) -> ToolOutcome:
        outcome = await inner(invocation)
        if invocation.call.name == "write_file":
            await tool(invocation.call, invocation.context)
        return outcome

    scene.more = (Feature(name="racing", around_tool=around),)
    await scene.write("a.txt", "agent\n")
    data = await scene.data("checkpoint.restore", toItemId="")
    assert (len(data["conflicts"]), scene.bytes("a.txt")) == (1, b"user\n")


async def test_a_crash_in_the_middle_of_a_call_overwrites_nothing_later(tmp_path: Path) -> None:
    async with opened(tmp_path) as scene:
        (scene.root / "a.txt").write_text("old\n")
        await scene.write("a.txt", "new\n")
        entries = [entry.fact for entry in scene.session.log.journal.entries()]
        cut = next(n for n, fact in enumerate(entries) if isinstance(fact, Noted) and fact.kind == "made")
        journal = tmp_path / f"state/sessions/{scene.session.session_id}.jsonl"
        await scene.sessions.close(scene.session.session_id)
        lines = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(lines[: cut + 1]))  # the header stands before the entries
        scene.session = await scene.sessions.open(scene.session.session_id)
        await scene.read("a.txt")
        data = await scene.data("checkpoint.restore", toItemId="")
        assert (data["files"], scene.bytes("a.txt")) == ([], b"new\n")


@pytest.mark.parametrize(
    "path",
    [".env", "x/.env.local", ".ssh/config", "keys/server.PEM", "id_ed25519", ".git/config", "a/.hg/hgrc"],
)
def test_secrets_and_histories_are_withheld(path: str) -> None:
    assert withheld(path)


@pytest.mark.parametrize("path", ["a.py", "environment.py", "secrets.py", "git/config", "key.txt"])
def test_ordinary_files_are_not_withheld(path: str) -> None:
    assert not withheld(path)


async def test_old_contents_are_collected_while_the_run_works(scene: Scene) -> None:
    """A run of the command line ends its session at once: what began then was always given up."""
    name = await scene.blobs.keep(b"of a session that was deleted")
    file = scene.state_folder / "blobs" / name[:2] / name[2:]
    long_ago = time.time() - 40 * 86_400
    os.utime(file, (long_ago, long_ago))
    await scene.run(f"while test -e {file}; do sleep 0.02; done")  # its run does not end before that
    assert not file.exists()
    result = next(message for message in scene.transcript if isinstance(message, ToolResult))
    assert result.status == "completed"
