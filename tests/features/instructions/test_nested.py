"""The walk of the workspace: the first run waits for it, later ones do not."""

from collections.abc import AsyncGenerator, Coroutine
from typing import Any, cast

import pytest

from agls.engine.ports import Workspace, WorkspaceError
from agls.features.instructions.nested import FRESH, Walks


class FakeWorkspace:
    root = "/project"

    def __init__(self) -> None:
        self.answers: list[list[str] | WorkspaceError] = []

    async def walk(self, under: str = "", glob: str = "") -> AsyncGenerator[list[str]]:
        answer = self.answers.pop(0)
        if isinstance(answer, WorkspaceError):
            raise answer
        yield answer


async def test_a_later_run_gets_what_is_known_and_the_next_one_what_was_found_meanwhile() -> None:
    fake, walks = FakeWorkspace(), Walks()
    workspace = cast(Workspace, fake)
    aside: list[Coroutine[Any, Any, None]] = []
    fake.answers = [["a/AGENTS.md"]]
    assert await walks.known(workspace, 100.0, aside.append) == ["a/AGENTS.md"]
    assert await walks.known(workspace, 100.0 + FRESH - 1, aside.append) == ["a/AGENTS.md"]
    assert not aside, "what is fresh is not looked for again"

    fake.answers = [["a/AGENTS.md", "b/CLAUDE.md"]]
    assert await walks.known(workspace, 100.0 + FRESH, aside.append) == ["a/AGENTS.md"]
    await aside.pop()
    assert await walks.known(workspace, 101.0 + FRESH, aside.append) == ["a/AGENTS.md", "b/CLAUDE.md"]
    assert not aside


async def test_a_folder_that_cannot_be_walked_any_more_is_told_to_the_next_run() -> None:
    fake, walks = FakeWorkspace(), Walks()
    workspace = cast(Workspace, fake)
    aside: list[Coroutine[Any, Any, None]] = []
    fake.answers = [["a/AGENTS.md"], WorkspaceError("gone"), WorkspaceError("gone")]
    await walks.known(workspace, 0.0, aside.append)
    assert await walks.known(workspace, FRESH, aside.append) == ["a/AGENTS.md"]
    await aside.pop()
    with pytest.raises(WorkspaceError, match="gone"):
        await walks.known(workspace, FRESH, aside.append)
