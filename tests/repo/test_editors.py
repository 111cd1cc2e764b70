"""Real editors are never passed over: CI runs their tests, and one that cannot be had fails."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# What the installers use before they see what is missing.
BASIC = ("bash", "cat", "cut", "dirname", "flock", "grep", "head")
PROGRAMS = (*BASIC, "id", "mkdir", "mktemp", "rm", "sed", "touch", "uname")


def test_ci_runs_the_clients_in_real_editors() -> None:
    assert "scripts/test --editors" in (ROOT / ".ci" / "run").read_text()


def test_no_test_of_a_client_is_skipped() -> None:
    tests = list((ROOT / "tests" / "editors").rglob("test_*.py"))
    assert tests
    for test in tests:
        text = test.read_text()
        assert "mark.editors" in text, f"{test} would run without an editor"
        assert not re.search(r"\b(skip|skipif|importorskip|xfail)\(", text), test


@pytest.mark.parametrize(
    ("editor", "missing"),
    [
        ("neovim", "there is no apt-get"),
        ("plain", "there is no apt-get"),
        ("chromium", "there is no apt-get"),
        ("code-server", "there is no npm"),
        ("luacheck", "there is no apt-get"),
        ("stylua", "there is no npm"),
    ],
)
def test_an_editor_that_cannot_be_had_fails_and_says_why(editor: str, missing: str, tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in PROGRAMS:
        (programs / name).symlink_to(str(shutil.which(name)))
    done = subprocess.run(
        [str(shutil.which("bash")), ROOT / "scripts" / "editors" / editor],
        env={"PATH": str(programs), "AGLS_EDITORS": str(tmp_path / "editors"), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode != 0
    assert missing in done.stderr
    assert done.stdout == "", "no path of an editor that is not there"
