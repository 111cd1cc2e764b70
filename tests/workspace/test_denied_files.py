"""The files that rules deny, as the sandbox closes them."""

from pathlib import Path
from shutil import which

import pytest

from agls.engine.ports import Command, WorkspaceError
from agls.features.permissions.rules import denied, denied_places
from agls.workspace.hidden_files import Hiding
from agls.workspace.processes import Processes
from agls.workspace.sandbox import denied as module
from agls.workspace.sandbox import landlock
from agls.workspace.sandbox.backend import Sandboxes
from agls.workspace.sandbox.denied import DeniedFiles, DenyRules
from agls.workspace.sandbox.entrances import by_landlock
from agls.workspace.sandbox.launcher import Backend, NamesBefore, SandboxedProcesses
from agls.workspace.sandbox.mounts import Bounds, views
from agls.workspace.sandbox.residue import Residue
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.promise("P2", "P5")


def rules_for(root: Path, *rules: str) -> DenyRules:
    roots = ((str(root), str(root)),)
    hidden, locked = Hiding(denied(rules), roots), Hiding(denied(rules, "edit"), roots)
    return DenyRules(hidden, locked, denied_places(rules))


@pytest.fixture
def tree(root: Path) -> Path:
    for name in ("secrets/key.txt", "secrets/deep/b.txt", "certs/a.pem", ".vscode/b.pem", "locked/a.txt"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("token")
    return root


def test_denied_folder_is_closed_as_a_whole_and_files_one_by_one(tree: Path, outside: Path) -> None:
    rules = rules_for(tree, "read(secrets/**)", "read(*.pem)", "edit(locked/**)", f"read({outside}/can*)")
    finder = DeniedFiles(rules)
    known = {
        str(tree / "secrets"): "closed",
        str(tree / "certs/a.pem"): "closed",
        str(tree / ".vscode/b.pem"): "closed",
        str(tree / "locked"): "readable",
        str(outside / "canary.txt"): "closed",
    }
    assert finder.below([str(tree)]) == known
    (tree / "certs/new.pem").write_text("token")
    assert finder.below([str(tree)]) == {**known, str(tree / "certs/new.pem"): "closed"}


def test_link_with_a_denied_name_closes_what_it_leads_to_in_the_workspace_only(
    tree: Path, outside: Path
) -> None:
    (tree / "plain.txt").write_text("token")
    (tree / "in.pem").symlink_to(tree / "plain.txt")
    (tree / "out.pem").symlink_to(outside / "canary.txt")
    found = DeniedFiles(rules_for(tree, "read(*.pem)")).below([str(tree)])
    assert str(tree / "plain.txt") in found
    assert str(outside / "canary.txt") not in found


def test_nothing_is_mounted_in_a_closed_folder(tree: Path) -> None:
    (tree / "secrets/locked").mkdir()
    found = DeniedFiles(rules_for(tree, "read(secrets/**)")).below([str(tree)])
    seen = views(Bounds((str(tree),)), {}, {**found, str(tree / "secrets/locked"): "readable"})
    assert [view for path, view in seen if path.startswith(str(tree / "secrets"))] == ["closed"]


def test_more_denied_files_than_can_be_closed_are_refused(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 1)
    with pytest.raises(WorkspaceError, match="Deny the folders"):
        DeniedFiles(rules_for(tree, "read(*.pem)")).below([str(tree)])


@needs_bubblewrap
async def test_denied_file_cannot_be_opened_and_the_result_says_why(
    tree: Path, processes: Processes, tmp_path: Path
) -> None:
    sandboxes = Sandboxes(str(tmp_path / "kept"))
    own = (await sandboxes.find(which("bwrap") or "")).backends[0]
    rules = sandboxes.denied(rules_for(tree, "read(*.pem)", "read(secrets/**)", "edit(locked/**)"))
    bounds = Bounds((str(tree),), environment=processes.environment, denied=rules)
    runner = SandboxedProcesses(processes, own, bounds, sandboxes.baseline(bounds.roots))
    workspace = OpenWorkspace(str(tree), (), FakeEditor(), processes).run_by(runner)
    script = "cat certs/a.pem; ls secrets; mv secrets s; mv certs c; cat c/a.pem; echo x > locked/new; false"
    finished = await workspace.run(Command(("bash", "-c", script)), lambda text: None)
    assert finished.output.count("Permission denied") == 3
    assert "busy" in finished.output
    assert not (tree / "locked/new").exists()
    assert "token" not in finished.output
    assert "[Files that a rule denies to read cannot be opened in the sandbox.]" in finished.remarks


@pytest.mark.skipif(landlock.version() < landlock.LEAST, reason="this kernel has no Landlock of version 3")
async def test_denied_file_cannot_be_opened_in_the_sandbox_of_the_kernel(
    tree: Path, processes: Processes, tmp_path: Path
) -> None:
    way = Backend("landlock", by_landlock, has_own_folders=False)
    rules = DeniedFiles(rules_for(tree, "read(*.pem)", "read(secrets/**)", "edit(locked/**)"))
    bounds = Bounds((str(tree),), environment=processes.environment, denied=rules)
    baseline = NamesBefore(bounds.roots, Residue(""))
    workspace = OpenWorkspace(str(tree), (), FakeEditor(), processes).run_by(
        SandboxedProcesses(processes, way, bounds, baseline)
    )
    (tree / "src").mkdir()
    script = (
        "cat certs/a.pem secrets/key.txt .vscode/b.pem; echo x > locked/a.txt; echo fine > src/a.txt; false"
    )
    finished = await workspace.run(Command(("bash", "-c", script)), lambda text: None)
    assert finished.output.count("Permission denied") == 4
    assert "token" not in finished.output
    assert (tree / "locked/a.txt").read_text() == "token"
    assert (tree / "src/a.txt").read_text() == "fine\n"
