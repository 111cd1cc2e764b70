"""The reference pages: their examples can be used, and nothing of them is stale."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from agls.config.load import load
from agls.config.schema import Config
from agls.config.sources import Rank, from_toml

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "config.md").read_text("utf-8")
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
OTHERS = re.compile(
    r"^\[(?:\[prompts|project|language-server)", re.MULTILINE
)  # scripts, and files of other programs
EXAMPLES = [
    text
    for page in PAGES
    for text in re.findall(r"^```toml\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    if not OTHERS.search(text)
]


@pytest.mark.parametrize("text", EXAMPLES, ids=range(len(EXAMPLES)))
def test_configuration_that_a_page_shows_is_followed_whole(text: str) -> None:
    assert load([from_toml(Rank.USER, text, "config.toml")]).warnings == ()


def test_configuration_page_has_every_table() -> None:
    assert not [name for name in Config.model_fields if f"`{name}`" not in PAGE and f"[{name}" not in PAGE]


def test_reference_pages_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "scripts" / "reference.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_tool_that_no_room_declares_is_refused() -> None:
    spec = importlib.util.spec_from_file_location("reference", ROOT / "scripts" / "reference.py")
    assert spec and spec.loader
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)
    reference.check_declared(["read_file"])
    with pytest.raises(SystemExit, match=r"No room declares the tool sing: name it in `tools` of ROOM"):
        reference.check_declared(["read_file", "sing"])


def test_manual_page_is_installed_and_rendered_by_man_without_a_complaint() -> None:
    page = ROOT / "docs" / "agls.1"
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    shared = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["shared-data"]
    assert shared["docs/agls.1"] == "share/man/man1/agls.1"
    if not shutil.which("man"):
        pytest.skip("man is not installed")
    done = subprocess.run(
        ["man", "--warnings", "-l", page],
        env={**os.environ, "MANWIDTH": "80", "MANPAGER": "cat", "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert "agls run [OPTIONS] [PROMPT] [-]" in done.stdout
