"""Several edits of a file at once: all of them, or none."""

from pathlib import Path
from typing import Any

import pytest

from support.toolbox import Toolbox

pytestmark = pytest.mark.row(32)
TEXT = "one()\ntwo()\nthree()\n"


def edit(old: str, new: str, **more: Any) -> dict[str, Any]:
    return {"old_text": old, "new_text": new, **more}


@pytest.fixture
async def file(tools: Toolbox, root: Path) -> Path:
    (root / "a.py").write_text(TEXT)
    await tools.call("read_file", path="a.py")
    return root / "a.py"


@pytest.mark.parametrize(
    ("edits", "after"),
    [
        ([edit("three", "3"), edit("one", "1")], "1()\ntwo()\n3()\n"),
        ([edit("one()", "two()"), edit("two()", "2()", replace_all=True)], "2()\n2()\nthree()\n"),
        ([edit("one()\n", ""), edit("two()\n", "")], "three()\n"),
    ],
)
async def test_each_edit_is_made_in_what_the_one_before_left(
    tools: Toolbox, file: Path, edits: list[dict[str, Any]], after: str
) -> None:
    outcome = await tools.call("multi_edit", path="a.py", edits=edits)
    assert outcome.status == "completed", outcome.text
    assert file.read_text() == after
    again = await tools.call("multi_edit", path="a.py", edits=edits)
    assert (again.status, file.read_text()) == ("failed", after)


@pytest.mark.parametrize(
    ("edits", "said"),
    [
        ([edit("one", "1"), edit("four", "4")], "edit 2 of 2, and so none of them was made"),
        ([edit("one", "1"), edit("one", "2")], "edit 2 of 2"),
        ([edit("one", "1"), edit("one", "1")], "the same as edit 1, which takes its old_text away"),
        ([edit("()", "[]")], "occurs 3 times"),
        ([edit("one()\ntwo()\n", "# ... existing code ...\n")], "Give every line"),
        ([edit("", "x")], "write_file makes a file"),
        ([], "edits"),
    ],
)
async def test_one_that_cannot_be_made_leaves_the_file_as_it_is(
    tools: Toolbox, file: Path, edits: list[dict[str, Any]], said: str
) -> None:
    outcome = await tools.call("multi_edit", path="a.py", edits=edits)
    assert (outcome.status, said in outcome.text) == ("failed", True), outcome.text
    assert file.read_text() == TEXT


async def test_lines_shown_of_a_failed_one_are_not_taken_for_the_file(tools: Toolbox, file: Path) -> None:
    outcome = await tools.call("multi_edit", path="a.py", edits=[edit("one", "1"), edit("!!!!", "x")])
    assert "as the edits before it would leave them, not as they are in the file" in outcome.text
    assert "1\t1()" in outcome.text
    first = await tools.call("multi_edit", path="a.py", edits=[edit("!!!!", "x"), edit("one", "1")])
    assert "as the edits before" not in first.text
    assert file.read_text() == TEXT


async def test_file_must_have_been_read_and_be_the_same(tools: Toolbox, file: Path, root: Path) -> None:
    (root / "b.py").write_text(TEXT)
    unread = await tools.call("multi_edit", path="b.py", edits=[edit("one", "1")])
    assert "was not read in this session" in unread.text
    file.write_text(f"zero()\n{TEXT}")
    changed = await tools.call("multi_edit", path="a.py", edits=[edit("one", "1")])
    assert "has changed since it was read" in changed.text
    shown = await tools.preview("multi_edit", path="a.py", edits=[edit("one", "1")])
    assert shown.problem
