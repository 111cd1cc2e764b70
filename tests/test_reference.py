"""The reference pages: their examples can be used, and nothing of them is stale."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from agls.config.load import load
from agls.config.schema import Config
from agls.config.sources import Rank, from_toml

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "config.md").read_text("utf-8")
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)


@pytest.mark.parametrize("text", EXAMPLES, ids=range(len(EXAMPLES)))
def test_example_of_the_configuration_page_is_followed_whole(text: str) -> None:
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


def test_manual_page_is_understood_by_man() -> None:
    page = (ROOT / "docs" / "agls.1").read_text("utf-8")
    assert page.startswith(".TH AGLS 1")
    assert not [
        line
        for line in page.splitlines()
        if line.startswith(".") and not re.match(r"\.[A-Za-z]{1,2}( |$)", line)
    ]
