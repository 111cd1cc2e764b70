"""The action `doctor`: it hands on what the checkup found."""

from contextlib import nullcontext
from typing import Any

from agls.engine.actions import ActionOutcome
from agls.features.doctor.feature import build
from agls.features.doctor.settings import Settings

ASKED: list[tuple[object, str, bool]] = []


async def examine(workspace: Any, model: str, offline: bool) -> ActionOutcome:
    ASKED.append((workspace, model, offline))
    return ActionOutcome("All is well.", {"ok": True})


class FakeState:
    def __init__(self) -> None:
        self.options = {"model": "of the session"}


class FakeContext:
    workspace, state, breakable = "the workspace", FakeState(), nullcontext


async def test_the_action_asks_for_an_examination_and_gives_its_outcome() -> None:
    context: Any = FakeContext()
    action, _ = build(Settings(), examine).actions
    assert (await action({}, context)).data == {"ok": True}
    await action({"model": "other", "offline": True}, context)
    assert ASKED == [("the workspace", "of the session", False), ("the workspace", "other", True)]
    assert (action.spec.name, action.spec.when) == ("doctor", "any")
