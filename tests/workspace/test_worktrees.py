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


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with a commit that ignores some files."""
    root = tmp_path / "repo"
    root.mkdir()
    git(root, "init", "-q")
    (root / ".gitignore").write_text("out/\n*.pyc\n.env\nnode_modules\n")
    git(root, "add", ".gitignore")
    git(root, "commit", "-q", "-m", "one")
    return root


@pytest.fixture
def worktrees(root: Path, processes: Processes) -> GitWorktrees:
    workspace = OpenWorkspace(str(root), (), FakeEditor(), processes)
    return GitWorktrees(FolderGit(workspace, trusted=True), workspace.root)


async def test_files_that_git_ignores_are_kept_and_named(worktrees: GitWorktrees) -> None:
    made = await worktrees.make("poet")
    for name in ("out/report.html", ".env", "src/__pycache__/a.pyc", "node_modules/a/index.js"):
        file = Path(made.path, name)
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("x")
    told = await made.leave() or ""
    assert told == "[Git ignores these, which it made: .env, out/]\n"
    assert Path(made.path, "out/report.html").read_text() == "x"


async def test_caches_that_tools_make_again_keep_no_worktree(worktrees: GitWorktrees, root: Path) -> None:
    made = await worktrees.make("poet")
    cache = Path(made.path, "__pycache__")
    cache.mkdir()
    (cache / "a.pyc").write_text("x")
    assert await made.leave() is None
    assert not Path(made.path).exists()
    assert git(root, "branch", "--list", "agls/*") == ""


async def test_worktree_whose_leaving_was_cut_off_is_taken_again_by_the_same_process(
    worktrees: GitWorktrees,
) -> None:
    made = await worktrees.make("poet")
    Path(made.path, "a.txt").write_text("Half.\n")
    again = await worktrees.make("poet")
    assert "+Half." in (await again.leave() or "")


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
    worktrees = GitWorktrees(FolderGit(workspace, trusted=True), workspace.root)
    with pytest.raises(WorkspaceError, match="already exists"):
        await worktrees.make("poet")
    assert git(root, "rev-parse", "agls/poet") == kept != git(root, "rev-parse", "HEAD")
