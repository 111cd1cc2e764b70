"""The Lua unit tests of the client, in a real Neovim: `lua/test_*.lua`."""

import subprocess
from pathlib import Path

import pytest

import agls_protocol

from .driver import CLIENT

pytestmark = [pytest.mark.editors, pytest.mark.timeout(120)]
HERE = Path(__file__).parent / "lua"
GOLDEN = Path(agls_protocol.__file__).with_name("golden")


@pytest.mark.parametrize("name", sorted(path.name for path in HERE.glob("test_*.lua")))
def test_lua(program: str, name: str, tmp_path: Path) -> None:
    path = f"package.path = '{HERE}/?.lua;' .. package.path"
    command = [program, "--clean", "--cmd", f"set runtimepath^={CLIENT}", "--cmd", f"lua {path}"]
    done = subprocess.run(
        [*command, "-l", str(HERE / name)],
        env={"AGLS_GOLDEN": str(GOLDEN), "HOME": str(tmp_path), "LANG": "C.UTF-8"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed, 0 failed" in done.stdout + done.stderr


def test_the_annotations_are_read(program: str) -> None:
    generated = CLIENT / "lua" / "agls" / "protocol_gen.lua"
    done = subprocess.run([program, "--clean", "-l", generated], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
