"""A folder with a workspace in it, and something outside that nobody may touch."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from agls.workspace import processes as commands
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.patience import PATIENCE

CANARY = "a secret outside the workspace\n"


@pytest.fixture(autouse=True)
def ends_are_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """No keeper is left alone on a busy machine: a later test would find its process and its socket."""
    monkeypatch.setattr(commands, "PATIENCE", PATIENCE)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "repo"
    folder.mkdir()
    return folder


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "canary.txt").write_text(CANARY)
    return folder


@pytest.fixture
def editor() -> FakeEditor:
    return FakeEditor()


@pytest.fixture
async def processes() -> AsyncIterator[Processes]:
    supervisor = Processes()
    yield supervisor
    await supervisor.aclose()


@pytest.fixture
def workspace(root: Path, editor: FakeEditor, processes: Processes) -> OpenWorkspace:
    return OpenWorkspace(str(root), (), editor, processes)
