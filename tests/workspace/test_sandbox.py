"""The sandbox by its parts: the filter of calls, names that programs obey, what is left after a crash."""

import errno
import json
import os
import socket
import struct
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from shutil import which

import pytest

from agls.engine.ports import Command, WorkspaceError
from agls.workspace.processes import Processes
from agls.workspace.sandbox import backend, mounts, names, seccomp
from agls.workspace.sandbox.backend import Sandboxes
from agls.workspace.sandbox.launcher import SandboxedProcesses
from agls.workspace.sandbox.mounts import Bounds, views
from agls.workspace.sandbox.names import ProtectedNames
from agls.workspace.sandbox.residue import Residue, new_names
from agls.workspace.workspace import OpenWorkspace
from support.fake_editor import FakeEditor
from support.sandboxes import needs_bubblewrap

pytestmark = pytest.mark.promise("P5")
ALLOW = 0x7FFF0000
X86, ARM = 0xC000003E, 0xC00000B7


def verdict(program: bytes, number: int, *words: int, machine: int = X86) -> int:
    """What the kernel would do: 0 for a call that is let through, else the number of the error."""
    data = struct.pack("iIQ6Q", number, machine, 0, *words, *(0,) * (6 - len(words)))
    lines, held, at = list(struct.iter_unpack("HBBI", program)), 0, 0
    while True:
        code, then, otherwise, value = lines[at]
        at += 1
        if code == 0x20:
            held = struct.unpack_from("I", data, value)[0]
        elif code == 0x15:
            at += then if held == value else otherwise
        elif code == 0x45:
            at += then if held & value else otherwise
        else:
            return 0 if value == ALLOW else value & 0xFFFF


FILTER = seccomp.program((seccomp.AF_UNIX, seccomp.AF_INET), "x86_64")


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ((0,), 0),  # read
        ((101, 0), errno.EPERM),  # ptrace
        ((250,), errno.EPERM),  # keyctl
        ((425,), errno.EPERM),  # io_uring_setup
        ((435,), errno.ENOSYS),  # clone3
        ((56, 17), 0),  # clone, as fork
        ((56, 17 | 0x10000000), errno.EPERM),  # clone, with users of its own
        ((56, 17 | 0x40000000), errno.EPERM),  # clone, with a network of its own
        ((16, 1, 0x5401), 0),  # ioctl
        ((16, 1, 0x5412), errno.EPERM),  # ioctl, typing into a terminal
        ((16, 1, 0xFFFFFFFF00005412), errno.EPERM),  # the same: the kernel looks at 32 bits
        ((41, socket.AF_UNIX), 0),
        ((41, socket.AF_INET), 0),
        ((41, 17), errno.EAFNOSUPPORT),  # raw
        ((41, 38), errno.EAFNOSUPPORT),  # ciphers of the kernel
        ((53, socket.AF_UNIX), 0),  # socketpair
        ((0x40000000 + 101,), errno.ENOSYS),  # the other table
    ],
)
def test_filter_closes_what_breaks_out(call: tuple[int, ...], expected: int) -> None:
    assert verdict(FILTER, *call) == expected


def test_filter_refuses_calls_of_another_processor() -> None:
    assert verdict(FILTER, 0, machine=ARM) == errno.ENOSYS
    arm = seccomp.program((seccomp.AF_UNIX,), "aarch64")
    assert verdict(arm, 117, machine=ARM) == errno.EPERM
    assert verdict(arm, 198, socket.AF_INET, machine=ARM) == errno.EAFNOSUPPORT


@pytest.fixture
def tree(root: Path) -> Path:
    for name in ("src", ".git/hooks", "lib/.git", "node_modules/x/.git", "node_modules/x/.github/workflows"):
        (root / name).mkdir(parents=True)
    for name in (".vscode/tasks.json", "src/app.py", "node_modules/x/.npmrc", "bare/HEAD"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x")
    (root / "bare/objects").mkdir()
    (root / "bare/refs").mkdir()
    return root


def found(root: Path, finder: ProtectedNames) -> list[str]:
    return sorted(path[len(str(root)) + 1 :] for path in finder.below([str(root)]))


def test_protected_names_are_found_at_any_depth_and_in_packages_only_those_of_git(tree: Path) -> None:
    finder = ProtectedNames()
    known = [".git", ".vscode", "bare", "lib/.git", "node_modules/x/.git"]
    assert found(tree, finder) == known
    (tree / "src/deep").mkdir()
    (tree / "src/deep/.MCP.json").write_text("{}")
    (tree / "src/.git").symlink_to(tree / "bare")
    assert found(tree, finder) == sorted([*known, "src/.git", "src/deep/.MCP.json"])


def test_folder_that_became_a_link_is_not_walked_into(tree: Path, outside: Path) -> None:
    finder = ProtectedNames()
    (outside / ".git").mkdir()
    (tree / "src/sub").mkdir()
    found(tree, finder)
    (tree / "src/sub").rmdir()
    (tree / "src/sub").symlink_to(outside)
    assert [name for name in found(tree, finder) if name.startswith("src")] == []


def test_too_many_folders_are_refused(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(names, "MOST_FOLDERS", 3)
    with pytest.raises(WorkspaceError, match="more than 3 folders"):
        ProtectedNames().below([str(tree)])


def test_no_mount_follows_a_link_out_of_the_workspace(tree: Path, outside: Path) -> None:
    (tree / ".idea").symlink_to(outside)
    (tree / "src/.git").symlink_to(tree / "bare")
    bounds = Bounds((str(tree),))
    seen = dict(views(bounds, ProtectedNames().below(bounds.roots)))
    assert seen[str(tree / "bare")] == "readable"
    assert str(outside) not in seen
    assert str(tree / ".idea") not in seen


def test_many_repositories_are_refused_rather_than_left_open(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mounts, "MOST_REPOSITORIES", 2)
    with pytest.raises(WorkspaceError, match="repositories"):
        views(Bounds((str(tree),)), ProtectedNames().below([str(tree)]))


@pytest.mark.parametrize("folder", ["/", "/home", "/home/me"])
def test_workspace_that_is_the_home_or_above_it_is_refused(folder: str) -> None:
    with pytest.raises(WorkspaceError, match="no folder of a project"):
        mounts.check_width(Bounds((folder,), environment={"HOME": "/home/me"}))


def test_agls_itself_is_seen_where_it_lies_among_temporary_files(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "installed").mkdir()
    monkeypatch.setattr(mounts, "TEMPORARY", (f"{tmp_path}/",))
    monkeypatch.setattr(mounts.sys, "prefix", str(tmp_path / "installed"))
    assert (str(tmp_path / "installed"), "readable") in views(Bounds((str(tree),)), {})


def test_names_after_a_crash_are_taken_back_by_the_next_process(tree: Path, tmp_path: Path) -> None:
    finder, roots = ProtectedNames(), (str(tree),)
    place = tmp_path / "kept"
    residue = Residue(str(place))
    residue.begin(roots, finder.below(roots))
    assert Residue(str(place)).clean() == [], "a process that lives keeps its file locked"
    (tree / ".envrc").write_text("evil")
    record = next(place.glob("*.json"))
    left = record.read_text()
    residue.end()
    assert not list(place.glob("*.json"))
    (place / "dead.json").write_text(left)  # as a process leaves it that was killed
    (words,) = Residue(str(place)).clean()
    assert words.startswith(f"{tree / '.envrc'} was moved to {place}")
    assert not (tree / ".envrc").exists()
    assert [file.read_text() for file in (place / "taken").iterdir()] == ["evil"]
    (place / "torn.json").write_text(json.dumps({"roots": []})[:5])
    assert Residue(str(place)).clean() == []


def test_what_came_long_after_a_crash_stays_and_is_named(tree: Path, tmp_path: Path) -> None:
    place = tmp_path / "kept"
    residue, roots = Residue(str(place)), (str(tree),)
    residue.begin(roots, ProtectedNames().below(roots))
    left = next(place.glob("*.json")).read_text()
    residue.end()
    (place / "dead.json").write_text(left)
    os.utime(place / "dead.json", (0, 0))  # its process died long ago
    (tree / ".idea").mkdir()
    assert Residue(str(place)).clean() == [f"{tree / '.idea'} came later and stays where it is"]
    assert (tree / ".idea").is_dir()


def test_new_file_with_the_number_of_an_old_one_is_new(tree: Path) -> None:
    roots = (str(tree),)
    before = ProtectedNames().below(roots)
    (name, old), *_ = before.items()
    new = {f"{tree}/planted/.envrc": replace(old, changed=old.changed + 1)}
    assert new_names(before, {name: old, **new}, roots) == ([*new], [])


def test_workspace_that_becomes_a_bare_repository_is_none_afterwards(tree: Path) -> None:
    finder, roots = ProtectedNames(), (str(tree),)
    before = finder.below(roots)
    for name in ("HEAD", "config"):
        (tree / name).write_text("evil")
    for name in ("objects", "refs"):
        (tree / name).mkdir()
    new, _ = new_names(before, finder.below(roots), roots)
    assert new == [str(tree / "HEAD")]


def test_too_many_folders_afterwards_take_back_what_was_found(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    finder, roots = ProtectedNames(), (str(tree),)
    before = finder.below(roots)
    (tree / ".envrc").write_text("evil")
    for number in range(9):
        (tree / f"many{number}").mkdir()
    monkeypatch.setattr(names, "MOST_FOLDERS", 5)
    with pytest.raises(names.TooManyFolders) as stopped:
        finder.below(roots)
    assert str(tree / ".envrc") in new_names(before, stopped.value.found, roots)[0]


def test_what_is_taken_back_follows_no_link_and_stays_when_there_is_no_place(
    tree: Path, outside: Path
) -> None:
    (tree / "way").symlink_to(outside)
    (tree / "src/.envrc").write_text("evil")
    paths = [str(tree / "way/canary.txt"), str(tree / "src/.envrc")]
    taken = Residue("").take(paths, (str(tree),))
    assert list(taken) == [str(tree / "src/.envrc")]
    assert (outside / "canary.txt").exists()
    assert Path(taken[str(tree / "src/.envrc")]).read_text() == "evil"


def test_what_came_with_a_moved_folder_has_changed_and_is_not_new(tree: Path) -> None:
    finder, roots = ProtectedNames(), (str(tree),)
    before = finder.below(roots)
    (tree / "lib").rename(tree / "moved")
    (tree / "lib").mkdir()
    (tree / "lib/.git").mkdir()
    new, changed = new_names(before, finder.below(roots), roots)
    assert (new, changed) == ([str(tree / "lib/.git")], [str(tree / "moved/.git")])


async def test_missing_program_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert (await Sandboxes("").find("")).missing.startswith(backend.NOT_INSTALLED)
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho no namespaces for you >&2; exit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    assert "no namespaces for you" in (await Sandboxes("").find(str(tmp_path / "bwrap"))).missing
    monkeypatch.setattr(backend.seccomp, "is_known", lambda: False)
    assert (await Sandboxes("").find("")).missing == backend.OTHER_MACHINE


# --- with bubblewrap --------------------------------------------------------------------------------


@pytest.fixture
async def confined(tree: Path, processes: Processes, tmp_path: Path) -> AsyncIterator[OpenWorkspace]:
    sandboxes = Sandboxes(str(tmp_path / "kept"))
    own = (await sandboxes.find(which("bwrap") or "")).backends[0]
    bounds = Bounds((str(tree),), environment=processes.environment)
    runner = SandboxedProcesses(processes, own, bounds, sandboxes.baseline(bounds.roots))
    yield OpenWorkspace(str(tree), (), FakeEditor(), processes).run_by(runner)


@needs_bubblewrap
async def test_exit_code_output_input_and_folder_are_those_of_the_command(confined: OpenWorkspace) -> None:
    script = "cat; pwd; echo $TMPDIR $AGLS_IN_SANDBOX; echo x > new.txt; exit 7"
    command = Command(("bash", "-c", script), cwd="src", stdin="given\n")
    finished = await confined.run(command, lambda text: None)
    assert finished.exit_code == 7
    assert finished.output == f"given\n{confined.root}/src\n/tmp bubblewrap\n"
    assert Path(confined.root, "src/new.txt").read_text() == "x\n"
    assert finished.left_over == 0


@needs_bubblewrap
async def test_command_over_its_time_ends_with_all_that_it_started(confined: OpenWorkspace) -> None:
    script = "setsid sleep 4711.5 & trap '' TERM; sleep 4711.5"
    finished = await confined.run(Command(("bash", "-c", script), timeout=1.0), lambda text: None)
    assert finished.timed_out
    running = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [words for words in running if b"4711.5" in words]


@needs_bubblewrap
async def test_what_was_allowed_outside_meanwhile_is_not_taken_back(
    confined: OpenWorkspace, tree: Path
) -> None:
    baseline = confined._processes._baseline  # pyright: ignore
    begun: list[str] = []

    def allow(text: str) -> None:
        begun.append(text)
        (tree / "wanted").mkdir()
        (tree / "wanted/.git").mkdir()
        baseline.accept()

    finished = await confined.run(Command(("bash", "-c", "echo go; sleep 1; mkdir -p own/.git")), allow)
    assert begun
    assert (tree / "wanted/.git").is_dir()
    assert not (tree / "own/.git").exists()
    assert any("own/.git" in remark for remark in finished.remarks)
