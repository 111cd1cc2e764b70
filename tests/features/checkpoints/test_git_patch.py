"""The changes of a run go to a program as a patch: real git applies it, forth and back."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from agls.features.checkpoints.git_patch import FileInPatch, git_patch
from doors.headless.conftest import Agls, agls

__all__ = ["agls"]
pytestmark = [pytest.mark.timeout(150)]

BYTES = bytes(range(256)) * 3
STORY = "".join(f"line {count}\n" for count in range(40))
CASES: dict[str, tuple[bytes | None, bytes | None, int, int]] = {
    "made.txt": (None, b"one\n", 0o644, 0o644),
    "empty.txt": (None, b"", 0o644, 0o644),
    "gone.txt": (b"a\nb\n", None, 0o644, 0o644),
    "no longer empty.txt": (b"", b"x", 0o644, 0o644),
    "emptied.txt": (b"", None, 0o644, 0o644),
    "no end.txt": (b"a\nb", b"a\nc", 0o644, 0o644),
    "windows.txt": (b"a\r\nb\r\n", b"a\r\nc\r\n", 0o644, 0o644),
    "sub folder/tool.sh": (b"a\n", b"b\n", 0o644, 0o755),
    "only mode.sh": (b"a\n", b"a\n", 0o755, 0o644),
    'odd "name" \\ \u00e4.txt': (b"a\n", b"b\n", 0o644, 0o644),
    "picture.bin": (BYTES, BYTES[::-1], 0o644, 0o644),
    "made.bin": (None, BYTES + b"\xff", 0o644, 0o755),
    "gone.bin": (b"\x00\x01", None, 0o644, 0o644),
    "latin.txt": ("\u00e4\n".encode("latin-1"), "\u00f6\n".encode("latin-1"), 0o644, 0o644),
    "long.txt": (STORY.encode() * 400, b"x\n" + STORY.encode() * 400, 0o644, 0o644),
}


def _git(folder: Path, *arguments: str, patch: str = "") -> None:
    done = subprocess.run(
        ["git", *arguments], cwd=folder, input=patch.encode(), capture_output=True, check=False
    )
    assert done.returncode == 0, done.stderr.decode()


def _lay_out(folder: Path, files: dict[str, tuple[bytes | None, int]]) -> None:
    for name, (data, mode) in files.items():
        if data is not None:
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(mode)


def _found(folder: Path) -> dict[str, tuple[bytes, bool]]:
    files = (path for path in folder.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {
        str(path.relative_to(folder)): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in files
    }


def test_git_applies_the_patch_of_every_kind_of_change_forth_and_back(tmp_path: Path) -> None:
    before, after = tmp_path / "before", tmp_path / "after"
    for folder, side in ((before, 0), (after, 1)):
        folder.mkdir()
        _git(folder, "init", "-q")
        _lay_out(folder, {name: (case[:2][side], case[2:][side]) for name, case in CASES.items()})
    wanted, first = _found(after), _found(before)
    patch = git_patch(
        [FileInPatch(old, new, name, name, *modes) for name, (old, new, *modes) in CASES.items()]
    )
    _git(before, "apply", "-", patch=patch)
    assert _found(before) == wanted
    _git(before, "apply", "-R", "-", patch=patch)
    assert _found(before) == first


def test_file_with_another_name_is_a_rename_when_it_kept_half_of_its_lines(tmp_path: Path) -> None:
    changed = STORY.replace("line 3\n", "LINE 3\n").encode()
    files = [
        FileInPatch(STORY.encode(), None, "a b.txt", "a b.txt"),
        FileInPatch(None, changed, "c/d.txt", "c/d.txt", new_mode=0o755),
        FileInPatch(None, b"other\n", "e.txt", "e.txt"),
    ]
    patch = git_patch(files)
    assert "similarity index 97%\nrename from a b.txt\nrename to c/d.txt\n--- a/a b.txt\t\n" in patch
    assert patch.count("diff --git") == 2
    _git(tmp_path, "init", "-q")
    (tmp_path / "a b.txt").write_text(STORY)
    _git(tmp_path, "apply", "-", patch=patch)
    assert _found(tmp_path) == {"c/d.txt": (changed, True), "e.txt": (b"other\n", False)}


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"calls": [{"name": name, "arguments": arguments}]}


def test_piped_changes_are_a_patch_that_takes_a_run_back(agls: Agls) -> None:
    _git(agls.workspace, "init", "-q")
    inner = agls.workspace / "inner"
    inner.mkdir()
    (inner / "old.txt").write_text(STORY)
    first = _found(agls.workspace)
    moved = "*** Update File: old.txt\n*** Move to: new.txt\n@@\n-line 3\n+LINE 3\n"
    agls.script(
        _call("read_file", path="old.txt"),
        _call("apply_patch", patch=f"*** Begin Patch\n{moved}*** End Patch\n"),
        _call("write_file", path="b.txt", content="one\n"),
        {"text": "Done."},
    )
    done = agls.run("run", "go", "--mode", "acceptEdits", "-C", str(inner))
    assert done.code == 0, done.err
    shown = agls.run("changes", "-C", str(inner))
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.startswith("diff --git a/inner/")
    assert "rename from inner/old.txt\nrename to inner/new.txt\n" in shown.out
    _git(agls.workspace, "apply", "-R", "-", patch=shown.out)
    assert _found(agls.workspace) == first
    agls.run("undo", "--files", "-C", str(inner))


def test_run_without_changes_pipes_nothing_and_says_so_beside_it(agls: Agls) -> None:
    agls.script({"text": "Done."})
    agls.run("run", "go")
    shown = agls.run("changes")
    assert (shown.out, shown.err) == ("", "No file was changed.\n")
