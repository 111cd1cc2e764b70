"""Patterns as models write them, and what a search that finds nothing says of them."""

import os
from pathlib import Path

import pytest

from agls.features.search.feature import build
from agls.features.search.settings import Settings
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.toolbox import Toolbox

pytestmark = pytest.mark.row(31)
FILES = ("src/app.py", "src/[id]/page.tsx", "node_modules/x/i.js", "two words/a.md")


@pytest.fixture
def tools(tmp_path: Path) -> Toolbox:
    for name in FILES:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("total(items)\n")
    (tmp_path / ".gitignore").write_text("node_modules\n")
    return Toolbox(build(Settings()), OpenWorkspace(str(tmp_path), (), NoEditor(), Processes(os.environ)))


@pytest.mark.parametrize("pattern", ["{root}/src/*.py", "/src/*.py", "./src/*.py", "src/*.py"])
async def test_pattern_of_names_may_begin_with_the_folder(
    tools: Toolbox, tmp_path: Path, pattern: str
) -> None:
    pattern = pattern.replace("{root}", str(tmp_path))
    assert (await tools.call("glob", pattern=pattern)).text == "src/app.py"
    found = await tools.call("grep", pattern="total", glob=pattern, output="files")
    assert found.text == "src/app.py"


async def test_pattern_that_ends_with_a_slash_is_all_in_that_folder(tools: Toolbox) -> None:
    assert (await tools.call("glob", pattern="src/")).text == "src/[id]/page.tsx\nsrc/app.py"


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("*.py,*.tsx", "Several patterns are one in braces"),
        ("*.py *.tsx", "Several patterns are one in braces"),
        ("two words", "two words is a folder: two words/** finds what is in it"),
        ("TWO words/*", "did you mean two words/a.md?"),
        ("!*.md", "belongs into exclude"),
        ("../*.py", "only what is below path"),
        ("src/[id]/*", "src/[[]id]/* finds names that have it"),
        ("src", "src is a folder: src/** finds what is in it"),
        ("node_modules/**", "If node_modules is ignored, set path to it"),
        ("*.nosuch", "*.nosuch."),
        ("APP.py", "did you mean src/app.py?"),
        ("{*.md,*.rs", "A brace is left open"),
        ("~/*.py", "~ means nothing in a pattern"),
        ("/etc/*.conf", "A pattern reaches only what is below path."),
    ],
)
async def test_pattern_of_names_that_finds_nothing_says_why(tools: Toolbox, pattern: str, said: str) -> None:
    answer = (await tools.call("glob", pattern=pattern)).text
    assert answer.startswith(f"No file is called {pattern}.")
    assert said in answer
    answer = (await tools.call("grep", pattern="total", glob=pattern)).text
    assert answer.startswith("No file was searched: none fits the glob")
    assert said in answer


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("sum\\|total", "Alternatives are a|b here"),
        ("\\<total\\>", "end of a word \\b"),
        ("[[:alpha:]]{9}", "classes of characters"),
        ("total(items)", "set literal"),
        ("$total", "set literal"),
        ("\\r$", "An end of a line is \\n here in every file"),
        ("TOTAL", "No match in 4 files. With ignore_case there are some."),
        ("nothing", "No match in 4 files."),
    ],
)
async def test_expression_that_finds_nothing_says_why(tools: Toolbox, pattern: str, said: str) -> None:
    assert said in (await tools.call("grep", pattern=pattern)).text


@pytest.mark.parametrize("path", ["src/ap.py", "app.py", "src/app.py:4", '"src/app.py"'])
async def test_path_that_is_not_there_is_answered_with_near_names(tools: Toolbox, path: str) -> None:
    for name in ("grep", "glob"):
        outcome = await tools.call(name, pattern="total", path=path)
        assert (outcome.status, "Did you mean src/app.py?" in outcome.text) == ("failed", True), outcome.text
