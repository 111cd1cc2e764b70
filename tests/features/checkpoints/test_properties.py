"""Whatever the agent and the user did: what only the agent touched goes back, what the user did stays."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from .scene import Scene, opened

FILES = ("a.txt", "b/c.txt", "open.txt")  # the last one is open in the editor all the time
Who = Literal["agent", "user", "userRemoves"]
Deed = tuple[Who, int]
DEEDS = st.lists(
    st.tuples(st.sampled_from(("agent", "user", "agent", "userRemoves")), st.sampled_from((0, 0, 2, 2, 1))),
    min_size=3, max_size=8,
)  # fmt: skip
BODIES = st.sampled_from(("one\n", "eins\r\nzwei\r\n", "no end", "ünï 𝄞\n"))


@dataclass
class Tale:
    """What was done to the files: `history[file]` lists (prompts until then, who, content after)."""

    scene: Scene
    prompts: list[str] = field(default_factory=list[str])
    history: dict[str, list[tuple[int, str, bytes | None]]] = field(
        default_factory=lambda: {name: [] for name in FILES}
    )

    def now(self, name: str) -> bytes | None:
        """What a file holds for the user: its document, else the disk."""
        if buffer := self.scene.editor.buffer(self.scene.uri(name)):
            return buffer.text.encode()
        return self.scene.bytes(name)

    async def do(self, number: int, who: str, name: str, body: str) -> None:
        """One deed; every text is written only once."""
        text = f"{number} {body}"
        if who == "agent":
            self.prompts.append(await self.scene.write(name, text))
        elif self.scene.editor.buffer(self.scene.uri(name)):
            self.scene.editor.type(self.scene.uri(name), text)
        elif who == "user":
            (self.scene.root / name).parent.mkdir(exist_ok=True)
            (self.scene.root / name).write_bytes(text.encode())
        else:
            (self.scene.root / name).unlink(missing_ok=True)
        before = self.history[name][-1][2] if self.history[name] else None
        if self.now(name) != before or who == "agent":
            self.history[name].append((len(self.prompts), who, self.now(name)))

    def expected(self, name: str, prompt: int) -> bytes | None:
        """What the file must hold after going back to before this prompt (counted from 0)."""
        steps = self.history[name]
        ours = [at for at, (prompts, who, _) in enumerate(steps) if who == "agent" and prompts > prompt]
        if not ours or any(who != "agent" for _, who, _ in steps[ours[0] :]):
            return self.now(name)
        return steps[ours[0] - 1][2] if ours[0] else None


@pytest.mark.row(77)
@settings(max_examples=12, deadline=None)
@given(deeds=DEEDS, bodies=st.lists(BODIES, min_size=8, max_size=8), data=st.data())
def test_a_restore_takes_back_the_agents_work_and_nothing_else(
    deeds: list[Deed], bodies: list[str], data: st.DataObject
) -> None:
    """Whatever agent and user did."""
    points = st.integers(0, max(0, sum(who == "agent" for who, _ in deeds) - 1))
    asyncio.run(tell(deeds, bodies, (data.draw(points), data.draw(points))))


async def tell(deeds: Sequence[Deed], bodies: Sequence[str], points: Sequence[int]) -> None:
    with TemporaryDirectory() as folder:
        async with opened(Path(folder)) as scene:
            tale = Tale(scene)
            (scene.root / "open.txt").write_bytes(b"saved\n")
            scene.editor.open(scene.uri("open.txt"), "saved\n")
            tale.history["open.txt"].append((0, "user", b"saved\n"))
            for number, ((who, file), body) in enumerate(zip(deeds, bodies, strict=False)):
                await tale.do(number, who, FILES[file], body)
            for point in points:
                await go_back_and_forth(tale, point)


async def go_back_and_forth(tale: Tale, point: int) -> None:
    scene, before = tale.scene, {name: tale.now(name) for name in FILES}
    to_item = scene.before(tale.prompts[point]) if tale.prompts else ""
    wanted = {name: tale.expected(name, point) for name in FILES}
    planned = await scene.data("checkpoint.restore", toItemId=to_item, dryRun=True)
    assert {name: tale.now(name) for name in FILES} == before
    restored = await scene.data("checkpoint.restore", toItemId=to_item)
    assert {name: tale.now(name) for name in FILES} == wanted
    changed = {scene.uri(name) for name in FILES if before[name] != wanted[name]}
    assert {file["uri"] for file in restored["files"]} == changed
    assert (planned["files"], planned["conflicts"]) == (restored["files"], restored["conflicts"])
    await scene.reopen()
    undone = await scene.data("checkpoint.restore", checkpointId=restored["checkpointId"])
    assert {name: tale.now(name) for name in FILES} == before
    assert undone["conflicts"] == []
