"""Finding programs: never in the workspace."""

from pathlib import Path

from agls.engine.ports import Command, Workspace
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor


async def test_a_program_is_found_outside_the_workspace_only(root: Path, tmp_path: Path) -> None:
    outside = tmp_path / "bin"
    outside.mkdir()
    inside = root / "bin"
    inside.mkdir()
    for folder, name in ((inside, "tool"), (inside, "only"), (outside, "tool")):
        (folder / name).write_text("#!/bin/sh\necho " + folder.parent.name)
        (folder / name).chmod(0o755)
    (outside / "text").write_text("not executable")
    (outside / "back").symlink_to(inside / "tool")
    (inside / "forth").symlink_to(outside / "tool")
    path = f"{inside}:{outside}:/usr/bin:/bin"
    workspace = OpenWorkspace(str(root), (), FakeEditor(), Processes({"PATH": path}))
    assert workspace.which("tool") == str(outside / "tool")
    for name in (
        "only",
        "text",
        "back",
        "forth",
        "missing",
        "bin/tool",
        str(inside / "tool"),
        "",
        ".",
        "n" * 300,
    ):
        assert workspace.which(name) == ""
    assert workspace.which(str(outside / "tool")) == str(outside / "tool")
    assert (await workspace.run(Command(("tool",)), lambda text: None)).output == f"{tmp_path.name}\n"


async def test_workspace_without_an_environment_still_finds_programs(workspace: Workspace) -> None:
    assert workspace.which("sh")
