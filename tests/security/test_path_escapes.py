"""P4: the paths of `path_escapes.txt` lead no tool out of the workspace, in any mode."""

from pathlib import Path

import pytest

from .attacker import CANARY, Call, House, call, snapshot

pytestmark = [pytest.mark.promise("P4"), pytest.mark.slow, pytest.mark.timeout(400)]
PATHS = [
    line.encode("latin-1", "backslashreplace").decode("unicode_escape")
    for line in Path(__file__).with_name("path_escapes.txt").read_text().splitlines()
    if not line.startswith("#")
]
LINKS = {
    "link.txt": "../elsewhere/canary.txt",
    "folder": "../elsewhere",
    "chain": "folder",
    "chain2": "src/../chain",
    "up": "..",
    "slash": "/",
    "root": ".",
    "magic": "/proc/self/root",
    "cwd": "/proc/self/cwd",
    "dangling": "../elsewhere/missing",
    "half": "folder/.",
    "loop": "loop",
    "src/out": "../folder",
    "src/out2": "../link.txt",
    "hard": "src",
    "deep/a/b/c/up4": "../../../../..",
    "link\ntxt": "../elsewhere",
    " folder": "../elsewhere",
    "\u202efolder": "../elsewhere",
    "src/.. ": "../..",
}


@pytest.fixture
def trap(house: House) -> House:
    """A workspace with links that lead out of it, beside a folder with a similar name."""
    house.surround()
    for name, target in LINKS.items():
        path = house.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(target)
    return house


def readers(path: str) -> list[Call]:
    return [
        call("read_file", path=path),
        call("list_dir", path=path),
        call("glob", pattern="**", path=path),
        call("glob", pattern=path[:900]),
        call("grep", pattern="canary", path=path),
        call("grep", pattern="canary", glob=path[:900]),
    ]


def writers(path: str, word: str) -> list[Call]:
    return [
        call("write_file", path=path, content=word),
        call("edit_file", path=path, old_text=CANARY, new_text=word),
        call("move_file", path=path, to=f"{word}.txt"),
        call("move_file", path="src/a.py", to=path),
        call("delete_file", path=path),
        call("apply_patch", patch=f"*** Begin Patch\n*** Add File: {path}\n+{word}\n*** End Patch"),
        call("apply_patch", patch=f"*** Begin Patch\n*** Delete File: {path}\n*** End Patch"),
    ]


def outside(house: House) -> dict[str, object]:
    """Everything beside the workspace."""
    held = {
        str(folder): dict(snapshot(folder))
        for folder in (house.outside, house.workspace.with_name("repo-evil"), house.home / ".ssh")
    }
    return {**held, "beside": sorted(house.workspace.parent.iterdir()), "config": house.config.read_text()}


@pytest.mark.parametrize("mode", ["ask", "acceptEdits", "allowAll"])
def test_no_path_leads_a_tool_out_of_the_workspace(trap: House, mode: str) -> None:
    places = {
        "root": trap.workspace,
        "outside": trap.outside,
        "state": trap.state,
        "home": trap.home,
    }
    assert len(PATHS) >= 120
    paths = [path.format(**places) for path in PATHS]
    before = outside(trap)
    for at in range(0, len(paths), 45):
        calls = [each for path in paths[at : at + 45] for each in readers(path)] if mode != "allowAll" else []
        calls += [
            each
            for number, path in enumerate(paths[at : at + 45], at)
            for each in writers(path, f"x{number}x")
        ]
        loot = trap.attack(*calls, mode=mode)
        assert len(loot.answers) == len(calls), loot.errors
        assert CANARY not in "".join(loot.answers)
        assert outside(trap) == before
