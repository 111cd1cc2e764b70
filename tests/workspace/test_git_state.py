"""What git says of a folder, and how often it is asked."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agls.engine.ports import Command, Finished
from agls.workspace.git_state import FRESH, GitState, GitStates


class FakeGit:
    """A folder in which git prints the same each time; counts how often it is started."""

    def __init__(self) -> None:
        self.started = 0

    async def run(self, command: Command, output: Callable[[str], None]) -> Finished:
        """Start git."""
        del command, output
        self.started += 1
        return Finished(0, "", timed_out=False, output=" M a.py\n", total=8, seconds=0.0)

    def lists(self, path: str) -> bool:
        """Show every file."""
        return bool(path)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    return tmp_path


async def test_git_is_started_again_only_when_its_answer_is_old_or_head_changed(root: Path) -> None:
    folder, time = FakeGit(), [100.0]
    states = GitStates(lambda: time[0])
    first = await states.look(str(root), folder)
    once = folder.started
    assert isinstance(first, GitState) and (first.head, first.changed) == ("branch main", (" M a.py",))

    time[0] += FRESH - 1
    assert await states.look(str(root), folder) == first
    assert folder.started == once

    time[0] += 2
    await states.look(str(root), folder)
    assert folder.started == 2 * once

    (root / ".git" / "HEAD").unlink()
    (root / ".git" / "HEAD").write_text("ref: refs/heads/fix-it\n")
    assert (await states.look(str(root), folder)).head == "branch fix-it"
    assert folder.started == 3 * once
