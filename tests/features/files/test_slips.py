"""Mistakes that models make in edits: none is applied wrongly, and each refusal says what is wrong."""

from pathlib import Path

import pytest

from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.file_tools import file_tools
from support.toolbox import Toolbox

pytestmark = [pytest.mark.row(32), pytest.mark.row(33)]
TEXT = """\
class A:
    def save(self, path):
        data = self.dump()
        return data


class B:
    def save(self, path):
        data = self.dump()
        return data


def main():
    x = 1
    print("it's", 'a <tag> & more')
    return x
"""
BODY = TEXT[TEXT.index("def main") :]


@pytest.fixture
async def tools(tmp_path: Path) -> Toolbox:
    (tmp_path / "a.py").write_text(TEXT)
    (tmp_path / "b.py").write_text("y = 1\nz = 2\n")
    (tmp_path / "a.md").write_text("# Title\n\nText.\n")
    made = Toolbox(file_tools(), OpenWorkspace(str(tmp_path), (), NoEditor(), Processes({})))
    for name in ("a.py", "b.py", "a.md"):
        await made.call("read_file", path=name)
    return made


def envelope(*lines: str) -> str:
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))


LAZY = [
    "# ... existing code ...",
    "    # ... rest of the function unchanged ...",
    "// rest of the file remains the same",
    "# (rest unchanged)",
    "/* ... remaining methods ... */",
    "<!-- … unchanged … -->",
    "# existing code here...",
    "... rest of code unchanged",
]
LAZY_IN_PLACE = [
    *("# [existing code remains]", "# existing implementation", "# (previous code)", "# <existing code>"),
    *(
        "# Keep the rest of the function as is",
        "# Code continues...",
        "# same as above",
        "/* existing styles */",
    ),
    *("<!-- rest of page -->", "# ...", "// same as before", "..."),
]


@pytest.mark.parametrize("line", LAZY)
async def test_new_text_that_leaves_code_out_is_refused(tools: Toolbox, tmp_path: Path, line: str) -> None:
    patch = envelope("*** Update File: a.py", " def main():", "-    x = 1", "+    x = 2", f"+{line}")
    for name, given in (
        ("edit_file", {"path": "a.py", "old_text": BODY, "new_text": f"def main():\n    x = 2\n{line}\n"}),
        ("write_file", {"path": "a.py", "content": f"import os\n\n{line}\n"}),
        ("apply_patch", {"patch": patch}),
        ("apply_patch", {"patch": envelope("*** Add File: a.py", "+import os", f"+{line}")}),
    ):
        outcome = await tools.call(name, **given)
        assert (outcome.status, "Give every line" in outcome.text) == ("failed", True), (name, outcome.text)
        assert line.strip() in outcome.text
    assert (tmp_path / "a.py").read_text() == TEXT


@pytest.mark.parametrize("line", LAZY_IN_PLACE)
async def test_short_line_in_the_place_of_lines_that_are_gone_is_refused(
    tools: Toolbox, tmp_path: Path, line: str
) -> None:
    new = f"def main():\n    {line}\n    return x\n"
    outcome = await tools.call("edit_file", path="a.py", old_text=BODY, new_text=new)
    assert (outcome.status, "Give every line" in outcome.text) == ("failed", True), outcome.text
    assert (tmp_path / "a.py").read_text() == TEXT


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (BODY, "class Stub:\n    def main(self) -> int:\n        ...\n"),
        (BODY, "def main(\n    a: int,\n    ...\n"),
        ("    x = 1\n", "    x = 1\n    # existing code\n    old()\n"),
        ("    x = 1\n", "    # Same as in main\n"),
    ],
)
async def test_line_that_leaves_nothing_out_is_written(
    tools: Toolbox, tmp_path: Path, old: str, new: str
) -> None:
    outcome = await tools.call("edit_file", path="a.py", old_text=old, new_text=new)
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "a.py").read_text() == TEXT.replace(old, new)


async def test_comment_may_give_way_to_another(tools: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text("# old\ny = 1\n")
    await tools.call("read_file", path="b.py")
    edit = {"path": "b.py", "old_text": "# old\n", "new_text": "# the rest of the code\n"}
    assert (await tools.call("edit_file", **edit)).status == "completed"


@pytest.mark.parametrize(
    "line",
    [
        "# Wait for the others...",
        "# Process remaining items...",
        "x = 2  # unchanged",
        "# The rest is up to the caller.",
        'print("\\n    indented")',
        "pattern = r'a\\n  b'",
        "def stub(self) -> int: ...",
    ],
)
async def test_text_that_only_looks_like_a_mistake_is_written(
    tools: Toolbox, tmp_path: Path, line: str
) -> None:
    edit = {"path": "a.py", "old_text": "    x = 1\n", "new_text": f"    x = 2\n    {line}\n"}
    outcome = await tools.call("edit_file", **edit)
    assert outcome.status == "completed", outcome.text
    assert f"    {line}\n" in (tmp_path / "a.py").read_text()


async def test_prose_and_what_the_file_has_already_may_say_so(tools: Toolbox, tmp_path: Path) -> None:
    quoted = "Text.\n\n    # ... existing code ...\n"
    edit = {"path": "a.md", "old_text": "Text.\n", "new_text": quoted}
    assert (await tools.call("edit_file", **edit)).status == "completed"
    (tmp_path / "b.py").write_text("# ... existing code ...\ny = 1\n")
    await tools.call("read_file", path="b.py")
    kept = {"old_text": "# ... existing code ...\ny = 1", "new_text": "# ... existing code ...\ny = 2"}
    assert (await tools.call("edit_file", path="b.py", **kept)).status == "completed"


@pytest.mark.parametrize(
    "new", ["import os\\nimport sys", "    x = 1\\n    y = 2", "    x = 1\\n    y = 2\\n", "    x = 2\\n"]
)
async def test_line_end_written_as_an_escape_is_refused(tools: Toolbox, tmp_path: Path, new: str) -> None:
    outcome = await tools.call("edit_file", path="a.py", old_text="    x = 1", new_text=new)
    assert outcome.status == "failed"
    assert "Send real line ends" in outcome.text
    assert (tmp_path / "a.py").read_text() == TEXT


async def test_character_that_would_make_the_file_binary_is_refused(tools: Toolbox, tmp_path: Path) -> None:
    for name, given in (
        ("edit_file", {"path": "a.py", "old_text": "x = 1", "new_text": "x = '\0'"}),
        ("write_file", {"path": "a.py", "content": "x = '\0'\n"}),
        ("write_file", {"path": "n.txt", "content": "\0"}),
        ("apply_patch", {"patch": envelope("*** Update File: a.py", "-    x = 1", "+    x = '\0'")}),
        ("multi_edit", {"path": "a.py", "edits": [{"old_text": "x = 1", "new_text": "x = '\0'"}]}),
    ):
        outcome = await tools.call(name, **given)
        assert (outcome.status, "such as \\0" in outcome.text) == ("failed", True), (name, outcome.text)
    assert (tmp_path / "a.py").read_text() == TEXT
    assert not (tmp_path / "n.txt").exists()


async def test_line_numbers_in_a_new_text_are_refused(tools: Toolbox, tmp_path: Path) -> None:
    edit = {"path": "a.py", "old_text": "    x = 1\n", "new_text": "14\t    x = 2\n15\t    y = 3\n"}
    outcome = await tools.call("edit_file", **edit)
    assert "line numbers in front" in outcome.text
    for listing in (
        "1\t    x = 2\n2\t    y = 3\n",
        " 14 |     x = 2\n 15 |     y = 3\n",
        "7→    x = 2\n8→\n",
    ):
        outcome = await tools.call("edit_file", **{**edit, "new_text": listing})
        assert "line numbers in front" in outcome.text, listing
    outcome = await tools.call(
        "apply_patch", patch=envelope("*** Update File: a.py", "-    x = 1", "+14\t    x = 2")
    )
    assert "line numbers in front" in outcome.text
    pasted = "".join(f"{number}\t{line}\n" for number, line in enumerate(TEXT.splitlines(), 1))
    outcome = await tools.call("write_file", path="a.py", content=pasted)
    assert "line numbers in front" in outcome.text
    assert (tmp_path / "a.py").read_text() == TEXT


async def test_signs_of_a_patch_in_a_new_text_are_refused(tools: Toolbox, tmp_path: Path) -> None:
    signed = "+    x = 1\n+    y = 2\n"
    outcome = await tools.call("edit_file", path="a.py", old_text="    x = 1\n", new_text=signed)
    assert (outcome.status, "signs of a patch" in outcome.text) == ("failed", True)
    joined = "    x = (1\n+ 2\n+ 3)\n"
    assert (
        await tools.call("edit_file", path="a.py", old_text="    x = 1\n", new_text=joined)
    ).status == "completed"


@pytest.mark.parametrize(("old", "new"), [("port = 80", "port = 81"), ("80", "90"), ("3.1", "3.2")])
async def test_part_of_a_number_is_not_changed(tools: Toolbox, tmp_path: Path, old: str, new: str) -> None:
    (tmp_path / "b.py").write_text("port = 800\nv = 3.14\n")
    await tools.call("read_file", path="b.py")
    outcome = await tools.call("edit_file", path="b.py", old_text=old, new_text=new)
    assert (outcome.status, "within the number" in outcome.text) == ("failed", True), outcome.text
    whole = await tools.call("edit_file", path="b.py", old_text="port = 800", new_text="port = 80")
    assert whole.status == "completed"


SAVE = ("         data = self.dump()", "-        return data", "+        return data or {}")


async def test_anchor_that_stands_twice_decides_nothing_alone(tools: Toolbox, tmp_path: Path) -> None:
    head = "*** Update File: a.py"
    alone = await tools.call("apply_patch", patch=envelope(head, "@@ def save(self, path):", *SAVE))
    assert "fits behind several lines `def save(self, path):`, lines 2, 8" in alone.text
    unknown = await tools.call("apply_patch", patch=envelope(head, "@@ class C:", *SAVE))
    assert "No line of the file is `class C:`" in unknown.text
    assert (tmp_path / "a.py").read_text() == TEXT
    patch = envelope(head, "@@ class B:", "@@ def save(self, path):", *SAVE)
    assert (await tools.call("apply_patch", patch=patch)).status == "completed"
    first, _, second = TEXT.partition("class B:")
    wanted = second.replace("return data\n", "return data or {}\n", 1)
    assert (tmp_path / "a.py").read_text() == f"{first}class B:{wanted}"


async def test_diff_that_deletes_other_lines_than_there_are_deletes_nothing(
    tools: Toolbox, tmp_path: Path
) -> None:
    diff = "--- a/b.py\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-y = 1\n-{} = 2\n"
    outcome = await tools.call("apply_patch", patch=diff.format("other"))
    assert "has other lines than those that the patch deletes" in outcome.text
    assert (tmp_path / "b.py").exists()
    assert (await tools.call("apply_patch", patch=diff.format("z"))).status == "completed"
    assert not (tmp_path / "b.py").exists()


@pytest.mark.parametrize("path", ['"a.py"', "'a.py'", "`a.py`", "./a.py"])
async def test_quotes_around_a_path_in_a_patch_are_no_part_of_it(
    tools: Toolbox, tmp_path: Path, path: str
) -> None:
    patch = envelope(f"*** Update File: {path}", "@@", "-    x = 1", "+    x = 2").replace("\n", "\r\n")
    assert (await tools.call("apply_patch", patch=patch)).status == "completed"
    assert (tmp_path / "a.py").read_text() == TEXT.replace("x = 1", "x = 2")


@pytest.mark.parametrize(
    ("old", "said"),
    [
        ("    x = 1  \n    print(", "Only white space at the ends of lines differs"),
        ('"    x = 1"', "has quotes around it"),
        ("14\t    x = 1", "has line numbers in front"),
        ("'a &lt;tag&gt; &amp; more'", "has HTML entities"),
        ("print(“it’s”, 'a <tag> & more')", "only look alike"),
        ("print(\\\"it's\\\", 'a <tag> & more')", "escaped once too often"),
        ("def main():\n    ...\n    return x", "leaves lines out"),
        ("DEF MAIN():", "\tdef main():"),
        ("L14:     x = 1", "has line numbers in front"),
        ("[14]     x = 1", "has line numbers in front"),
        ("x = 1\\r\\n    print(", "a line end is meant"),
        ("def main():\n  x = 1\n      print(", "Only the indentation differs"),
    ],
)
async def test_old_text_in_another_form_is_refused_with_the_reason(
    tools: Toolbox, tmp_path: Path, old: str, said: str
) -> None:
    outcome = await tools.call("edit_file", path="a.py", old_text=old, new_text="x")
    assert outcome.status == "failed"
    assert said in outcome.text
    assert "The nearest lines are:" in outcome.text
    assert (tmp_path / "a.py").read_text() == TEXT


async def test_old_text_of_another_file_is_refused_with_its_name(tools: Toolbox) -> None:
    outcome = await tools.call("edit_file", path="b.py", old_text="        data = self.dump()", new_text="x")
    assert "b.py: old_text was not found" in outcome.text
    assert "old_text stands in a.py, which you read" in outcome.text


async def test_file_with_the_text_in_several_places_is_the_one_that_is_meant(tools: Toolbox) -> None:
    outcome = await tools.call("edit_file", path="a.py", old_text="        data = self.dump()", new_text="x")
    assert "occurs 2 times" in outcome.text
    assert "which you read" not in outcome.text


async def test_patches_in_a_row_are_one(tools: Toolbox, tmp_path: Path) -> None:
    first = envelope("*** Update File: a.py", "-    x = 1", "+    x = 2")
    second = envelope("*** Update File: b.py", "-y = 1", "+y = 2")
    assert (await tools.call("apply_patch", patch=first + "\n" + second)).status == "completed"
    assert "x = 2" in (tmp_path / "a.py").read_text()
    assert (tmp_path / "b.py").read_text() == "y = 2\nz = 2\n"
    cut = second.replace("*** End Patch\n", "").replace("y = 2", "y = 3").replace("y = 1", "y = 2")
    outcome = await tools.call("apply_patch", patch=first.replace("2", "3").replace("1", "2") + cut)
    assert "no line `*** End Patch`" in outcome.text
    assert "x = 2" in (tmp_path / "a.py").read_text(), "all or nothing"


async def test_line_of_a_file_that_looks_like_the_end_of_a_patch_ends_nothing(
    tools: Toolbox, tmp_path: Path
) -> None:
    (tmp_path / "a.md").write_text("Write:\n*** Begin Patch\n*** End Patch\nlast\n")
    await tools.call("read_file", path="a.md")
    rows = (" *** Begin Patch", " *** End Patch", "-last", "+end")
    assert (
        await tools.call("apply_patch", patch=envelope("*** Update File: a.md", *rows))
    ).status == "completed"
    assert (tmp_path / "a.md").read_text() == "Write:\n*** Begin Patch\n*** End Patch\nend\n"


@pytest.mark.parametrize(
    "new",
    ["if a &lt; b &amp;&amp; c:\n    y()\n", "if a &lt; b && c:\n    y()\n"],
    ids=["in every line", "in a line that stays"],
)
async def test_entities_in_the_place_of_the_characters_of_the_file_are_refused(
    tools: Toolbox, tmp_path: Path, new: str
) -> None:
    old = "if a < b && c:\n    x()\n"
    (tmp_path / "b.py").write_text(old)
    await tools.call("read_file", path="b.py")
    outcome = await tools.call("edit_file", path="b.py", old_text=old, new_text=new)
    assert (outcome.status, "has HTML entities" in outcome.text) == ("failed", True)
    assert (tmp_path / "b.py").read_text() == old


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("n.js", "if (a &amp;&amp; b) {}\n", "has HTML entities"),
        ("n.ts", "const m: Map&lt;string, number&gt; = y;\n", "has HTML entities"),
        ("n.go", "x = 1\nfor i := 0; i &lt; n; i++ {}\n", "has HTML entities"),
        ("n.py", "```python\nx = 2\n```", "marks around it"),
        ("n.py", "1\tx = 1\n2\ty = 2\n3\tz = 3\n", "line numbers in front"),
        ("n.py", "import os\\nimport sys\\n", "Send real line ends"),
        ("n.jsx", "<p>a &lt; b</p>;\n", ""),
        ("n.jsx", "<p>\n  a &lt; b &amp; c\n</p>;\n", ""),
        ("n.java", "/** A {@code List&lt;T&gt;}. */\n", ""),
        ("n.go", 's := "a =&gt; b"\n', ""),
        ("n.md", "```sh\nls\n```\n", ""),
    ],
)
async def test_slip_of_the_form_is_refused_in_a_new_file_as_in_an_edit(
    tools: Toolbox, tmp_path: Path, name: str, text: str, said: str
) -> None:
    made = await tools.call("write_file", path=name, content=text)
    assert (made.status, said in made.text) == ("failed" if said else "completed", True), made.text
    (tmp_path / name).write_text("x = 0\n")
    await tools.call("read_file", path=name)
    outcome = await tools.call("edit_file", path=name, old_text="x = 0\n", new_text=text)
    assert (outcome.status, said in outcome.text) == ("failed" if said else "completed", True), outcome.text


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("a.py", "print(", "print('&amp;&amp;', "),
        ("a.py", "'a <tag> & more'", "'a &lt;tag&gt; &amp; more'"),
        ("a.html", "<p>a < b</p>\n<p>x</p>\n", "<p>a &lt; b</p>\n<p>y</p>\n"),
    ],
    ids=["in quotes", "nothing else changes", "in a page"],
)
async def test_entities_that_are_meant_are_written(
    tools: Toolbox, tmp_path: Path, name: str, old: str, new: str
) -> None:
    (tmp_path / "a.html").write_text("<p>a < b</p>\n<p>x</p>\n")
    await tools.call("read_file", path="a.html")
    outcome = await tools.call("edit_file", path=name, old_text=old, new_text=new)
    assert outcome.status == "completed", outcome.text
    assert new in (tmp_path / name).read_text()


async def test_old_text_with_the_characters_of_entities_is_answered_with_the_line_of_the_file(
    tools: Toolbox, tmp_path: Path
) -> None:
    (tmp_path / "a.html").write_text("<p>one</p>\n<a href='x'>A &amp; B</a>\n")
    await tools.call("read_file", path="a.html")
    outcome = await tools.call("edit_file", path="a.html", old_text="A & B", new_text="x")
    assert "The file has HTML entities" in outcome.text and "2\t<a href='x'>A &amp; B</a>" in outcome.text
