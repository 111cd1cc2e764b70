"""The rules of the house that no linter knows (ARCHITECTURE.md, "Enforced by machine")."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

from agls.engine.vocabulary import StopReason

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server" / "agls"
ROOMS = sorted(p for p in (SERVER / "features").iterdir() if (p / "__init__.py").exists())
SOURCES = [
    path
    for folder in (SERVER, ROOT / "protocol", ROOT / "benchmarks")
    for path in folder.rglob("*.py")
    if "__pycache__" not in path.parts
]
LIMITS = {"engine/loop.py": 150, "engine/session.py": 150, "order.py": 150}
TASK_OWNERS = ("engine/", "doors/")


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def test_no_file_is_longer_than_it_may_be() -> None:
    too_long = [f"{path.relative_to(ROOT)}: {lines(path)}" for path in SOURCES if lines(path) > 400]
    for name, limit in LIMITS.items():
        if lines(SERVER / name) > limit:
            too_long.append(f"{name}: {lines(SERVER / name)} of {limit}")
    for room in ROOMS:
        if lines(room / "feature.py") > 60:
            too_long.append(f"{room.name}/feature.py: {lines(room / 'feature.py')} of 60")
    assert not too_long


def test_a_run_has_one_exit() -> None:
    made = {
        str(path.relative_to(SERVER)): count
        for path in SERVER.rglob("*.py")
        if (count := len(re.findall(r"\bRunResult\(", path.read_text())))
    }
    assert made == {"engine/loop.py": 1}


def test_every_stop_reason_is_named_by_a_scenario() -> None:
    scenarios = "".join(path.read_text() for path in (ROOT / "tests" / "engine").glob("*.py"))
    assert "list(StopReason)" in scenarios, "all of them, through the gate and through view.stop"
    assert len(StopReason) == 13


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_every_room_looks_alike(room: Path) -> None:
    assert (room / "README.md").exists(), "a README of about ten lines"
    assert (room / "feature.py").exists(), "the wiring"
    assert (ROOT / "tests" / "features" / room.name).is_dir(), "its tests"
    exported = [
        ast.literal_eval(node.value)
        for node in ast.parse((room / "__init__.py").read_text()).body
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__"
    ]
    assert exported == [["ROOM"]], "its declaration"


def test_builders_take_no_optional_collaborator() -> None:
    for room in ROOMS:
        tree = ast.parse((room / "feature.py").read_text())
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef) and node.name == "build":
                hints = [ast.unparse(a.annotation) for a in node.args.args if a.annotation]
                assert not [hint for hint in hints if "None" in hint], f"{room.name}: off means absent"


def test_only_the_engine_and_the_doors_own_tasks() -> None:
    owners = {
        str(path.relative_to(SERVER))
        for path in SERVER.rglob("*.py")
        if re.search(r"\.create_task\(|ensure_future\(", path.read_text())
    }
    assert not [owner for owner in owners if not owner.startswith(TASK_OWNERS)]


def test_no_waiver_for_size_or_complexity() -> None:
    waived = [
        f"{path.relative_to(ROOT)}: {match}"
        for path in SOURCES
        for match in re.findall(r"noqa: .*(?:C901|PLR09\d\d).*", path.read_text())
    ]
    assert not waived


def test_every_waiver_gives_its_reason() -> None:
    bare = [
        f"{path.relative_to(ROOT)}: {line.strip()}"
        for path in SOURCES
        for line in path.read_text().splitlines()
        if re.search(r"# noqa(?!: [A-Z0-9, ]+ - )|# type: ignore|# pyright: ignore", line)
    ]
    assert not bare


def test_no_committed_file_names_a_package_index() -> None:
    for path in (ROOT / "requirements").iterdir():
        assert "://" not in path.read_text(), path.name
        assert "--hash=sha256:" in path.read_text(), path.name


def test_everything_the_project_needs_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    pinned = (ROOT / "requirements" / "runtime.txt").read_text()
    for requirement in project["project"]["dependencies"]:
        name = re.split(r"[<>=\[]", requirement)[0]
        assert re.search(rf"^{name}==", pinned, re.MULTILINE), f"{name}: run scripts/lock"


def test_the_architecture_page_stays_readable() -> None:
    assert lines(ROOT / "ARCHITECTURE.md") <= 300
