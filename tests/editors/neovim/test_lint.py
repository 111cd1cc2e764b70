"""The Lua of the client: luacheck has nothing to say, and StyLua would write it as it is."""

import subprocess
from pathlib import Path

import pytest

from .conftest import installed
from .driver import CLIENT

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]
HERE = Path(__file__).parent
FOLDERS = (CLIENT, HERE / "lua")


@pytest.mark.parametrize("folder", FOLDERS, ids=["client", "tests"])
def test_luacheck_finds_no_problem(folder: Path) -> None:
    done = subprocess.run(
        [installed("luacheck"), "--no-color", "."], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 warnings / 0 errors" in done.stdout


def test_stylua_changes_nothing() -> None:
    files = [file for folder in FOLDERS for file in sorted(folder.rglob("*.lua"))]
    assert len(files) > 30
    command = ["node", HERE / "format.mjs", installed("stylua"), *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "", f"for {HERE}/format.mjs --write:\n{done.stdout}"
