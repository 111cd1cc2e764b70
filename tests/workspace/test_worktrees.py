"""A worktree is never begun over work that is kept."""

import subprocess
from pathlib import Path

import pytest

from agls.engine.ports import WorkspaceError
from agls.workspace.git_commands import FolderGit
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from agls.workspace.worktrees import GitWorktrees
from support.fake_editor import FakeEditor


def git(folder: Path, *arguments: str) -> str:
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    return subprocess.run(
        ("git", "-C", folder, *who, *arguments), check=True, capture_output=True, text=True
    ).stdout.strip()


async def test_branch_that_is_kept_without_its_folder_is_not_begun_anew(
    tmp_path: Path, processes: Processes
) -> None:
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q")
    git(root, "commit", "-q", "--allow-empty", "-m", "one")
    git(root, "branch", "agls/poet")
    git(root, "commit", "-q", "--allow-empty", "-m", "two")
    kept = git(root, "rev-parse", "agls/poet")
    workspace = OpenWorkspace(str(root), (), FakeEditor(), processes)
    worktrees = GitWorktrees(FolderGit(workspace, trusted=True))
    with pytest.raises(WorkspaceError, match="already exists"):
        await worktrees.make("poet")
    assert git(root, "rev-parse", "agls/poet") == kept != git(root, "rev-parse", "HEAD")
