"""Editors that know only LSP, set up as docs/any-editor.md says; a missing one fails."""

import re
import subprocess
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path

import pytest

from support.wire import Message, turns

from .terminal import Terminal

ROOT = Path(__file__).parents[3]
CODE = "".join(f"line_{number} = {number}\n" for number in range(1, 21))
EDIT: Message = {
    "text": "I edit.",
    "calls": [
        {
            "name": "edit_file",
            "arguments": {"path": "code.py", "old_text": "line_5 = 5\n", "new_text": "line_5 = 55\n"},
        }
    ],
}
READ: Message = {"text": "I read.", "calls": [{"name": "read_file", "arguments": {"path": "code.py"}}]}
HANGING: Message = {"turns": [{"text": "I begin", "hang": True}]}


@cache
def installed() -> Path:
    """The folder that scripts/editors/plain prints; `scripts/test --editors` has run it before."""
    done = subprocess.run(
        [ROOT / "scripts" / "editors" / "plain"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"the editors cannot be had: {done.stderr}"
    return Path(done.stdout.splitlines()[-1])


def recipe(heading: str) -> str:
    """What docs/any-editor.md has fenced first below this heading."""
    page = (ROOT / "docs" / "any-editor.md").read_text()
    part = page.partition(f"\n## {heading}")[2].partition("\n## ")[0]
    found = re.search(r"^```\w+\n(.*?)^```$", part, re.MULTILINE | re.DOTALL)
    assert found, f"there is nothing fenced below {heading}"
    return found[1]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that failed says what was on the screen."""
    report = yield
    known = "terminal" in getattr(item, "fixturenames", ()) and Terminal.latest
    if known and report.when == "call" and report.failed:
        report.sections.append(("what was on the screen", known.told()))
    return report


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal in a workspace with `code.py`; the model edits a line of it, and then hangs."""
    with Terminal(installed(), tmp_path, [turns(READ, EDIT, "All done."), HANGING]) as made:
        (made.workspace / "code.py").write_text(CODE)
        yield made
