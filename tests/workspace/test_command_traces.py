"""Names that programs run or obey are compared around commands, cheaply."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from agls.workspace import command_traces
from agls.workspace.command_traces import CommandTraces, TraceScanner

pytestmark = pytest.mark.promise("P9")

LEFT = [
    ".git/hooks/pre-commit",
    ".git/config",
    ".git/info/attributes",
    ".git/commondir",
    "sub/deep/down/below/.git/config",
    "sub/.git/HEAD",
    ".venv/bin/python",
    ".venv/pyvenv.cfg",
    "venv/bin/pytest",
    "node_modules/.bin/eslint",
    "packages/a/node_modules/.bin/tsc",
    "gradlew",
    "gradle/wrapper/gradle-wrapper.properties",
    ".mvn/wrapper/x.jar",
    ".vscode/tasks.json",
    ".mcp.json",
    ".claude/commands/x.md",
    "sub/AGENTS.md",
    ".github/workflows/ci.yml",
    ".github/agents/x.md",
    ".envrc",
    "lib/evil.pth",
    ".yarn/releases/yarn.cjs",
    "bare/HEAD bare/objects/x bare/refs/x",
]
ORDINARY = [
    "src/a.py",
    "build/out.o",
    "node_modules/x/index.js",
    ".venv/lib/python3/site-packages/x.py",
    "a/b/c",
]


@pytest.fixture(autouse=True)
def forgetful() -> Iterator[None]:
    """Nothing is remembered of another test's folder."""
    command_traces.scanner_of.cache_clear()
    yield


def put(root: Path, names: str, text: str = "x\n") -> None:
    for name in names.split():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def changed_by(root: Path, names: str, text: str = "x\n") -> list[str]:
    traces = CommandTraces([str(root)])
    traces.begin()
    put(root, names, text)
    return [os.path.relpath(path, root) for path in traces.end(lasting=False)]


@pytest.mark.parametrize("names", LEFT)
def test_new_name_that_programs_run_or_obey_is_found(root: Path, names: str) -> None:
    found = changed_by(root, names)
    assert found
    assert all(name.startswith(names.split(maxsplit=1)[0].split("/", maxsplit=1)[0]) for name in found)


@pytest.mark.parametrize("names", LEFT[:-1])
def test_changed_and_removed_content_is_found(root: Path, names: str) -> None:
    put(root, names)
    if "/HEAD" not in names:  # the branch that is checked out runs nothing
        assert changed_by(root, names, "other\n")
    traces = CommandTraces([str(root)])
    traces.begin()
    (root / names).unlink()
    if "/HEAD" not in names:
        assert traces.end(lasting=False)


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_file_leaves_no_trace(root: Path, name: str) -> None:
    assert changed_by(root, name) == []
    assert changed_by(root, name, "other\n") == []


def test_folder_that_is_moved_into_place_is_found(root: Path) -> None:
    put(root, "made/workflows/ci.yml made/bin/python")
    traces = CommandTraces([str(root)])
    traces.begin()
    (root / "made").rename(root / ".github")
    assert traces.end(lasting=False) == [f"{root}/.github/workflows/ci.yml"]


def test_link_is_a_name_like_another(root: Path, outside: Path) -> None:
    put(root, ".vscode/tasks.json")
    traces = CommandTraces([str(root)])
    traces.begin()
    (root / ".vscode/tasks.json").unlink()
    (root / ".vscode/tasks.json").symlink_to(outside)
    assert traces.end(lasting=False)


def test_command_in_the_background_is_compared_later(root: Path) -> None:
    traces = CommandTraces([str(root)])
    traces.begin()
    assert traces.end(lasting=True) == []
    put(root, ".envrc")
    assert traces.look() == [f"{root}/.envrc"]
    assert traces.look() == []


def test_change_while_no_command_runs_is_none_of_a_command(root: Path) -> None:
    traces = CommandTraces([str(root)])
    traces.begin()
    traces.end(lasting=False)
    put(root, ".envrc")
    assert not traces.look()
    traces.begin()
    assert not traces.end(lasting=False)


def test_unchanged_folders_are_not_read_again(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_traces, "SETTLED", 0)
    for number in range(300):
        put(root, f"pkg{number % 20}/d{number}/a.py")
    scanner = TraceScanner([str(root)])
    scanner.look()
    assert scanner.read == 321
    put(root, "pkg1/d1/new/b.py")
    scanner.look()
    assert scanner.read == 323, "the folder that got a new one, and that one"
    scanner.look()
    assert scanner.read == 323


def test_looking_is_bounded(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command_traces, "MOST_FOLDERS", 50)
    for number in range(100):
        put(root, f"d{number}/a.py")
    scanner = TraceScanner([str(root)])
    scanner.look()
    assert scanner.read == 50
