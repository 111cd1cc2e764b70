"""The file tools in a real workspace."""

from pathlib import Path

import pytest

from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.file_tools import file_tools
from support.toolbox import Toolbox


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def editor() -> FakeEditor:
    return FakeEditor()


@pytest.fixture
def tools(root: Path, editor: FakeEditor) -> Toolbox:
    return Toolbox(file_tools(), OpenWorkspace(str(root), (), editor, Processes()))
