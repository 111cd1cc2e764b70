"""Neovim, the oldest that the client supports and the newest there is; a missing one fails."""

import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from .driver import Editor

ROOT = Path(__file__).parents[3]
VERSIONS = ("0.10", "newest")


@cache
def installed(*script: str) -> str:
    """The path that an installer of scripts/editors prints; `scripts/test --editors` has run it before."""
    name, *arguments = script
    command = [ROOT / "scripts" / "editors" / name, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(script)} cannot be had: {done.stderr}"
    return done.stdout.splitlines()[-1]


@pytest.fixture(params=VERSIONS)
def program(request: pytest.FixtureRequest) -> str:
    """The path of nvim."""
    return installed("neovim", request.param)


@pytest.fixture
def editor(program: str, tmp_path: Path) -> Iterator[Editor]:
    """A Neovim with an empty profile, in a workspace of its own; the client is on its runtime path."""
    with Editor(program, tmp_path) as driven:
        yield driven
        if driven.rpc:  # a user would be told, and may have to press Enter
            assert "deprecated" not in driven.call("nvim_exec2", "messages", {"output": True})["output"]
