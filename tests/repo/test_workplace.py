"""What a contributor's tools are told about the repository is true."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
COMMANDS = re.compile(r"(?:scripts/[\w-]+|\.venv/bin/[\w-]+|tests/[\w/]+\.py|protocol/generate\.py)")


def named_in(name: str) -> set[str]:
    """The files of the repository that a file names as commands."""
    return set(COMMANDS.findall((ROOT / name).read_text()))


@pytest.mark.parametrize(
    "name", [".pre-commit-config.yaml", ".vscode/tasks.json", ".vscode/launch.json", "docs/debugging.md"]
)
def test_commands_named_in_tool_descriptions_exist(name: str) -> None:
    assert named_in(name)
    assert [command for command in named_in(name) if not (ROOT / command).exists()] == []


def test_settings_of_the_editor_are_json() -> None:
    files = sorted((ROOT / ".vscode").iterdir())
    assert [file.name for file in files] == ["extensions.json", "launch.json", "settings.json", "tasks.json"]
    for file in files:
        assert json.loads(file.read_text())


def test_launch_recipes_name_tasks_that_exist() -> None:
    launch, tasks = (
        json.loads((ROOT / ".vscode" / f"{name}.json").read_text()) for name in ("launch", "tasks")
    )
    labels = {task["label"] for task in tasks["tasks"]}
    assert {one["preLaunchTask"] for one in launch["configurations"] if "preLaunchTask" in one} <= labels


@pytest.mark.parametrize(("kind", "code"), [("python", 0), ("dev", 1)])
def test_setup_without_npm_is_enough_for_the_fast_tests(tmp_path: Path, kind: str, code: int) -> None:
    """In a tree whose Python packages are installed, only what needs the VS Code extension wants npm."""
    for name in ("requirements", "pyproject.toml", "scripts/setup", "clients/vscode/package-lock.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if (ROOT / name).is_dir() else shutil.copy)(ROOT / name, tmp_path / name)
    programs = tmp_path / ".venv" / "bin"
    programs.mkdir(parents=True)
    (programs / "python").symlink_to(sys.executable)
    for name in ("bash", "cat", "cut", "dirname", "sha256sum"):
        (programs / name).symlink_to(str(shutil.which(name)))
    lists = [f"requirements/{name}.txt" for name in ("dev", "chat", "build")]
    pinned = [tmp_path / name for name in (*lists, "pyproject.toml")]
    sums = hashlib.sha256(b"".join(file.read_bytes() for file in pinned)).hexdigest()
    (tmp_path / ".venv" / ".agls-dev").write_text(f"{sums}\n")
    setup = [str(shutil.which("bash")), str(tmp_path / "scripts" / "setup"), kind]
    environment = {"PATH": str(programs), "PYTHON": sys.executable}
    done = subprocess.run(setup, env=environment, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == code, done.stderr
    assert ("there is no npm" in done.stderr) == (kind == "dev")
    assert "scripts/setup python" in (ROOT / "scripts" / "test").read_text()


def test_fast_tests_are_those_of_the_engine_the_rooms_the_views_and_the_doors(
    pytestconfig: pytest.Config, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pytestconfig.option, "fast", True)
    ignored = pytestconfig.hook.pytest_ignore_collect
    files = (ROOT / "tests").rglob("test_*.py")
    taken = [file for file in files if not ignored(collection_path=file, path=None, config=pytestconfig)]
    folders = {file.relative_to(ROOT / "tests").parts[0] for file in taken}
    assert {"engine", "features", "views", "doors", "stores", "protocol", "repo"} <= folders
    assert not folders & {"editors", "faults", "security", "benchmarks"}
