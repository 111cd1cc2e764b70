"""Config files, environments and workspaces to read them in."""

from pathlib import Path

import pytest

from agls.config import ConfigInputs, Setup, read


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of our own, so that the machine's files do not count."""
    folder = tmp_path / "home"
    for name in ("XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CONFIG_DIRS"):
        monkeypatch.setenv(name, str(folder / name))
    return folder


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / ".agls").mkdir(parents=True)
    return folder


def setup_of(
    workspace: Path, environment: dict[str, str], *, trusted: bool = False, told: ConfigInputs | None = None
) -> Setup:
    return read(told or ConfigInputs(), str(workspace), lambda folder: trusted, environment)


def write(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file
