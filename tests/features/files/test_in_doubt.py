"""Edits that are in doubt: they are refused with what the model needs, and nothing is changed."""

from pathlib import Path
from typing import Any

import pytest

from support.toolbox import Toolbox

pytestmark = [pytest.mark.row(31), pytest.mark.row(32)]
STORE = """\
export class Store {
  add(item) {
    this.items.push(item);
    this.notify();
  }

  remove(id) {
    this.items.delete(id);
    this.notify();
  }
}
"""


async def refused(tools: Toolbox, file: Path, tool: str, /, **arguments: Any) -> str:
    """Call a tool that must not change this file, and return its answer."""
    before = file.read_bytes() if file.exists() else None
    if before is not None:
        await tools.call("read_file", path=file.name)
    outcome = await tools.call(tool, **arguments)
    assert (outcome.status, outcome.effects) == ("failed", "none")
    assert (file.read_bytes() if file.exists() else None) == before
    return outcome.text


def patch(*lines: str) -> str:
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))


async def test_places_that_share_characters_are_several_places(tools: Toolbox, root: Path) -> None:
    file = root / "a.md"
    file.write_text("---\na\n---\na\n---\nb\n")
    arguments = {"path": "a.md", "old_text": "---\na\n---\n", "new_text": "---\nc\n---\n"}
    text = await refused(tools, file, "edit_file", **arguments)
    assert "old_text occurs 2 times, lines 1, 3" in text


async def test_places_that_share_characters_are_one_where_the_change_is_the_same(
    tools: Toolbox, root: Path
) -> None:
    (root / "a.txt").write_text("a\n\n\n\nb\n")
    await tools.call("read_file", path="a.txt")
    outcome = await tools.call("edit_file", path="a.txt", old_text="\n\n\n", new_text="\n\n")
    assert outcome.status == "completed"
    assert (root / "a.txt").read_text() == "a\n\n\nb\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Here is the whole file:\n```python\nx = 1\n```\n", "an answer with code in it"),
        ("Here is the file.\n\n```python\nx = 1\n```\nIt works now.\n", "an answer with code in it"),
        ("+import os\n+\n+x = 1\n+y = 2\n", "the signs of a patch"),
    ],
)
async def test_answer_or_patch_is_not_written_as_code(
    tools: Toolbox, root: Path, text: str, said: str
) -> None:
    assert said in await refused(tools, root / "new.py", "write_file", path="new.py", content=text)
    (root / "a.py").write_text("y = 1\n")
    assert said in await refused(tools, root / "a.py", "write_file", path="a.py", content=text)
    outcome = await tools.call("write_file", path="new.md", content=text)
    assert outcome.status == "completed"


async def test_patch_adds_no_file_with_its_signs_twice(tools: Toolbox, root: Path) -> None:
    added = patch("*** Add File: new.py", "++import os", "++x = 1", "++y = 2")
    assert "the signs of a patch" in await refused(tools, root / "new.py", "apply_patch", patch=added)


async def test_code_with_marks_in_its_documentation_is_written(tools: Toolbox, root: Path) -> None:
    text = '"""Adds numbers.\n\n```python\nadd(1, 2)\n```\n"""\n\nx = 1\n'
    assert (await tools.call("write_file", path="a.py", content=text)).status == "completed"


@pytest.mark.parametrize(
    ("there", "asked", "named"),
    [
        ("v\u0430lue = 1\n", "value = 1", "U+0430 (CYRILLIC SMALL LETTER A) in line 1"),
        ("\u039fmega = 1\n", "Omega = 1", "U+039F (GREEK CAPITAL LETTER OMICRON) in line 1"),
        ("x = \uff21\uff11\n", "x = A1", "U+FF21 (FULLWIDTH LATIN CAPITAL LETTER A) in line 1"),
    ],
)
async def test_letters_of_another_alphabet_are_named(
    tools: Toolbox, root: Path, there: str, asked: str, named: str
) -> None:
    (root / "a.py").write_text(there)
    arguments = {"path": "a.py", "old_text": asked, "new_text": "y = 2"}
    assert named in await refused(tools, root / "a.py", "edit_file", **arguments)


async def test_name_with_a_blank_at_its_end_makes_no_file(tools: Toolbox, root: Path) -> None:
    text = await refused(tools, root / "a.py ", "write_file", path="a.py ", content="x = 1\n")
    assert "`a.py ` begins or ends with a blank" in text


async def test_half_a_character_is_refused_with_its_line(tools: Toolbox, root: Path) -> None:
    (root / "a.txt").write_text("one\ntwo\n")
    edit = {"old_text": "two", "new_text": "\ud83d"}
    text = await refused(tools, root / "a.txt", "edit_file", path="a.txt", **edit)
    assert "in line 2 cannot be written" in text
    text = await refused(tools, root / "a.txt", "multi_edit", path="a.txt", edits=[edit])
    assert "in line 2 cannot be written" in text


async def test_empty_file_is_to_be_written(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("")
    text = await refused(tools, root / "a.py", "edit_file", path="a.py", old_text="x", new_text="y")
    assert "The file is empty. write_file fills it." in text


@pytest.mark.parametrize("lines", [["+++ b/a.py", "@@ -1 +1 @@"], ["@@ -1 +1 @@"]])
async def test_diff_without_the_name_of_its_file_is_asked_for_it(
    tools: Toolbox, root: Path, lines: list[str]
) -> None:
    (root / "a.py").write_text("x = 1\n")
    diff = "\n".join([*lines, "-x = 1", "+x = 2", ""])
    text = await refused(tools, root / "a.py", "apply_patch", patch=diff)
    assert "does not name its file: put `--- a/path` and `+++ b/path` above" in text


async def test_notebook_that_is_not_there_or_empty_is_to_be_made(tools: Toolbox, root: Path) -> None:
    insert = {"path": "n.ipynb", "cell": 0, "action": "insert", "source": "x = 1"}
    text = await refused(tools, root / "n.ipynb", "edit_notebook", **insert)
    assert "n.ipynb does not exist. write_file makes an empty notebook: " in text
    (root / "n.ipynb").write_text("")
    assert "write_file makes an empty notebook: " in await refused(
        tools, root / "n.ipynb", "edit_notebook", **insert
    )
    empty = text.partition("notebook: ")[2]
    assert (await tools.call("write_file", path="n.ipynb", content=empty)).status == "completed"
    assert (await tools.call("edit_notebook", **insert)).status == "completed"


async def test_few_lines_of_a_hunk_are_not_placed_against_the_name_that_it_gives(
    tools: Toolbox, root: Path
) -> None:
    (root / "a.js").write_text(STORE)
    rows = ["     this.items.push(item);", "+    this.save();"]
    wrong = patch("*** Update File: a.js", "@@ discard(id) {", *rows)
    text = await refused(tools, root / "a.js", "apply_patch", patch=wrong)
    assert "Hunk 1 is for `discard(id) {`, which the file does not have" in text
    assert "stand on line 3" in text


@pytest.mark.parametrize(
    "lines",
    [
        ["@@ near the end", "     this.items.push(item);", "+    this.save();"],
        ["@@ class Store", "     this.items.push(item);", "+    this.save();"],
        [
            "@@ discard(id) {",
            "   add(item) {",
            "     this.items.push(item);",
            "+    this.save();",
            "     this.notify();",
        ],
    ],
    ids=["words", "a part of a line", "lines that say enough"],
)
async def test_hunk_in_one_place_is_made_where_its_anchor_says_nothing_else(
    tools: Toolbox, root: Path, lines: list[str]
) -> None:
    (root / "a.js").write_text(STORE)
    await tools.call("read_file", path="a.js")
    outcome = await tools.call("apply_patch", patch=patch("*** Update File: a.js", *lines))
    assert outcome.status == "completed", outcome.text
    assert "push(item);\n    this.save();\n" in (root / "a.js").read_text()


async def test_replacing_a_name_everywhere_tells_of_longer_words(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("user = 1\nusername = user\nfor user_id in user: pass\n")
    await tools.call("read_file", path="a.py")
    everywhere = {"path": "a.py", "replace_all": True}
    outcome = await tools.call("edit_file", old_text="user", new_text="person", **everywhere)
    assert outcome.status == "completed"
    assert "2 of them are parts of longer words, such as `username` in line 2" in outcome.text
    outcome = await tools.call("edit_file", old_text="personname", new_text="nick", **everywhere)
    assert "longer word" not in outcome.text
