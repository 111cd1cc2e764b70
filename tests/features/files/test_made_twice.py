"""An edit that was made is not made again, however little it adds; one that was taken back may be."""

from pathlib import Path

import pytest

from support.toolbox import Toolbox

pytestmark = [pytest.mark.row(32), pytest.mark.row(31)]
EDITS = [
    ("a = 1\nb = 2\n", "a = 1\n", "a = 1\nx()\n"),
    ("f(a)\n", "f(a", "f(a, b"),
    ("f(a)\n", "f(", "f(x, "),
    ("print x\n", "x", "(x)"),
    ("if (a) {\n  b();\n", "  b();\n", "  b();\n}\n"),
    ("a()\nb()\n", "a()", "a();"),
    ("x = get()\n", "get()", "await get()"),
    ("a()\nb()\n", "a()\n", "a()\n\n"),
    ("a()\n", "a()", "    a()"),
    ("v = 1\n", "v = 1", "v = 11"),
    (
        "class A:\n    def f(self):\n        a()\n",
        "def f(self):\n    a()\n",
        "def f(self):\n    a()\n    b()\n",
    ),
]
PATCHES = [
    ("a\nb\n", "@@ a\n+x()"),
    ("a\nb\n", "@@\n a\n+}"),
    ("a\nb\n", "@@\n+x()\n b"),
    ("a\nb\n", "@@\n-a\n+a\n+x()"),
    ("a\nb\n", "@@\n a\n+x()\n b"),
]


@pytest.mark.parametrize(("text", "old", "new"), EDITS)
async def test_edit_is_made_once(tools: Toolbox, root: Path, text: str, old: str, new: str) -> None:
    (root / "a").write_text(text)
    await tools.call("read_file", path="a")
    edit = {"path": "a", "old_text": old, "new_text": new}
    assert (await tools.call("edit_file", **edit)).status == "completed"
    made = (root / "a").read_text()
    again = await tools.call("edit_file", **edit)
    assert (again.status, "new_text is already there, on line" in again.text) == ("failed", True), again.text
    assert (root / "a").read_text() == made
    (root / "a").write_text(text)
    await tools.call("read_file", path="a")
    assert (await tools.call("edit_file", **edit)).status == "completed", "it was taken back"
    assert (root / "a").read_text() == made


@pytest.mark.parametrize(("text", "hunk"), PATCHES)
@pytest.mark.parametrize("is_read", [True, False], ids=["read", "not read"])
async def test_patch_is_made_once(tools: Toolbox, root: Path, text: str, hunk: str, *, is_read: bool) -> None:
    (root / "a").write_text(text)
    if is_read:
        await tools.call("read_file", path="a")
    patch = f"*** Begin Patch\n*** Update File: a\n{hunk}\n*** End Patch"
    assert (await tools.call("apply_patch", patch=patch)).status == "completed"
    made = (root / "a").read_text()
    again = await tools.call("apply_patch", patch=patch)
    assert (again.status, "already there" in again.text) == ("failed", True), again.text
    assert (root / "a").read_text() == made


@pytest.mark.parametrize(
    ("text", "old", "new", "said"),
    [
        ("import os\nimport re\n", "import os\n", "import os\nimport re\n", "on line 1"),
        ("f(a, b)\n", "f(a", "f(a, b", "on line 1"),
        ("foo_bar = 1\nfoo()\n", "foo", "foo_bar", "on line 1"),
    ],
)
async def test_edit_of_an_earlier_session_is_not_made_again(
    tools: Toolbox, root: Path, text: str, old: str, new: str, said: str
) -> None:
    (root / "a").write_text(text)
    await tools.call("read_file", path="a")
    edit = {"path": "a", "old_text": old, "new_text": new, "replace_all": text.count(old) > 1}
    outcome = await tools.call("edit_file", **edit)
    assert (outcome.status, f"already there, {said}" in outcome.text) == ("failed", True), outcome.text
    assert (root / "a").read_text() == text


@pytest.mark.parametrize(
    ("text", "old", "new"),
    [
        ("a();\n}\n", "a();\n", "a();\n}\n"),
        ("if a\n  b\nend\n", "  b\n", "  b\nend\n"),
        ("row()\n", "row()\n", "row()\nrow()\n"),
        ("x = 1\n", "x = 1", "x = 11"),
    ],
)
async def test_text_that_may_be_repeated_is_written(
    tools: Toolbox, root: Path, text: str, old: str, new: str
) -> None:
    (root / "a").write_text(text)
    await tools.call("read_file", path="a")
    outcome = await tools.call("edit_file", path="a", old_text=old, new_text=new)
    assert outcome.status == "completed", outcome.text
    assert (root / "a").read_text() == text.replace(old, new)
