"""The rules of the house that no linter knows (ARCHITECTURE.md, "Enforced by machine")."""

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agls.engine.vocabulary import StopReason
from support.statements import packings, statements

ROOT = Path(__file__).parents[2]
SERVER = ROOT / "server" / "agls"
ROOMS = sorted(p for p in (SERVER / "features").iterdir() if (p / "__init__.py").exists())
SOURCES = [
    path
    for folder in (SERVER, ROOT / "protocol", ROOT / "benchmarks")
    for path in folder.rglob("*.py")
    if "__pycache__" not in path.parts
]
MOST = 210  # statements of a file; imports and docstrings are none
LIMITS = {"engine/loop.py": 100, "engine/session.py": 110, "order.py": 40}
WIRING = 45  # statements of a room's `feature.py`
PACKED = 2  # values of one assignment
TASK_OWNERS = ("engine/", "doors/", "mcp_servers/sdk.py")


def lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def ratchet(name: str) -> dict[str, Any]:
    """What is still there of what is not allowed any more."""
    return tomllib.loads((ROOT / "tests" / "repo" / "ratchets.toml").read_text())[name]


def counted(count: Callable[[Path], int]) -> dict[str, int]:
    """The files in which there is something to count, and how much."""
    found = {str(path.relative_to(ROOT)): count(path) for path in SOURCES}
    return {name: number for name, number in found.items() if number}


class Read(NamedTuple):
    """What is looked at in a file."""

    statements: int
    packings: int  # assignments of too many values at once
    classes: list[str]


@cache  # reading takes longest
def read(path: Path) -> Read:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    packed = sum(len(targets) > PACKED for _, targets in packings(tree))
    return Read(statements(tree), packed, [node.name for node in tree.body if isinstance(node, ast.ClassDef)])


def lengths() -> dict[str, int]:
    """The statements of each file."""
    return counted(lambda path: read(path).statements)


def test_no_file_has_more_statements_than_it_may_have() -> None:
    limits = {f"server/agls/{name}": limit for name, limit in LIMITS.items()} | ratchet("statements")
    limits |= {str((room / "feature.py").relative_to(ROOT)): WIRING for room in ROOMS}
    found = {name: (number, limits.get(name, MOST)) for name, number in lengths().items()}
    long = {name: (number, limit) for name, (number, limit) in found.items() if number > limit}
    assert long == {}, "statements and limit of each: move one of its ideas to a file of its own"


def test_files_that_may_be_longer_for_now_are_longer() -> None:
    assert [name for name in ratchet("statements") if lengths().get(name, 0) <= MOST] == [], (
        "delete their lines"
    )


def test_an_assignment_packs_at_most_two_values() -> None:
    """Several to a line hide how much a function does; two that belong together may stand on one."""
    assert counted(lambda path: read(path).packings) == {}, "one assignment per line"


def test_the_formatter_formats_everything() -> None:
    pattern = re.compile(r"# fmt: (?:skip|off)")
    found = counted(lambda path: len(pattern.findall(path.read_text(encoding="utf-8"))))
    assert found == {}, "let ruff format it"


def test_a_class_name_means_one_thing_in_the_server() -> None:
    """Only `Settings` is the same for every room: its section of the configuration."""
    modules: dict[str, set[Path]] = defaultdict(set)
    for path in SERVER.rglob("*.py"):
        for name in read(path).classes:
            modules[name].add(path.relative_to(SERVER))
    ambiguous = {name: where for name, where in modules.items() if len(where) > 1 and name != "Settings"}
    assert ambiguous == {}, "another class has this name already"


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
    declared = [
        node.value.func.id
        for node in ast.parse((room / "__init__.py").read_text()).body
        if isinstance(node, ast.Assign)
        and getattr(node.targets[0], "id", "") == "ROOM"
        and isinstance(node.value, ast.Call)
        and isinstance(node.value.func, ast.Name)
    ]
    assert declared == ["Room"], "its declaration"


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
    assert not bare, "write `# noqa: RULE - reason`; the type checker has no waivers: narrow or cast"


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
    chat = (ROOT / "requirements" / "chat.txt").read_text()
    for requirement in project["dependency-groups"]["chat"]:
        assert f"{requirement} " in chat, f"{requirement}: run scripts/lock"
        assert requirement in project["dependency-groups"]["dev"], "the tests type in the same one"


def test_the_architecture_page_stays_readable() -> None:
    assert lines(ROOT / "ARCHITECTURE.md") <= 300
