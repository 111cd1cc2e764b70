"""Patches in forms that models write though nobody asked for them: each is made as meant, or refused."""

from pathlib import Path

import pytest

from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from support.file_tools import file_tools
from support.toolbox import Toolbox

pytestmark = pytest.mark.row(31)
TEXT = """\
import os


class A:
    def save(self, path):
        return self.dump()


def main():
    x = 1
    print(x)
    return x
"""
AFTER = TEXT.replace("x = 1", "x = 2")
ROWS = ("@@", "-    x = 1", "+    x = 2")
HEAD = "*** Update File: a.py"
DIFF = "@@ -9,4 +9,4 @@\n def main():\n-    x = 1\n+    x = 2\n     print(x)\n     return x\n"
BLANKS = DIFF.replace("-9,4 +9,4 @@", "-7,6 +7,6 @@\n\n", 1)


def envelope(*lines: str) -> str:
    return "\n".join(("*** Begin Patch", *lines, "*** End Patch", ""))


@pytest.fixture
async def tools(tmp_path: Path) -> Toolbox:
    (tmp_path / "a.py").write_text(TEXT)
    (tmp_path / "b.txt").write_text("one\n")
    made = Toolbox(file_tools(), OpenWorkspace(str(tmp_path), (), NoEditor(), Processes({})))
    for name in ("a.py", "b.txt"):
        await made.call("read_file", path=name)
    return made


MAIL = (
    "From abc Mon Sep 17 00:00:00 2001\nFrom: A <a@b.example>\nSubject: [PATCH] x\n\n---\n a.py | 2 +-\n\n"
    f"diff --git a/a.py b/a.py\nindex 1..2 100644\n--- a/a.py\n+++ b/a.py\n{DIFF}-- \n2.40.1\n\n"
)
MEANT_ALIKE = {
    "a here-document": f"apply_patch <<'EOF'\n{envelope(HEAD, *ROWS)}EOF\n",
    "a diff in the envelope": envelope(HEAD, "--- a/a.py", "+++ b/a.py", *DIFF.splitlines()),
    "no first line": envelope(HEAD, *ROWS).partition("\n")[2],
    "prose around it": f"Here it is:\n\n```diff\n--- a/a.py\n+++ b/a.py\n{DIFF}```\n\nDone.\n",
    "a mail": MAIL,
    "two mails": MAIL.replace("x = 2", "x = 3") + MAIL.replace("x = 1", "x = 3"),
    "times behind blanks": "--- a.py 2024-01-01 00:00:00.0 +0000\n+++ a.py 2024-01-01 00:00:01.0 +0000\n"
    + DIFF,
    "wrong counts": f"--- a/a.py\n+++ b/a.py\n{DIFF.replace('-9,4 +9,4', '-90,7 +90,9')}",
    "dots for a place": f"--- a/a.py\n+++ b/a.py\n{DIFF.replace('-9,4 +9,4', '...')}",
    "blank lines without their blank": f"--- a/a.py\n+++ b/a.py\n{BLANKS}",
    "small letters": envelope(HEAD, *ROWS).replace("Begin Patch", "begin patch").replace("End P", "end p"),
    "another verb": envelope("***Modify File: a.py", *ROWS),
    "indented": "\n".join(f"  {line}" for line in envelope(HEAD, *ROWS).splitlines()),
    "an end of the file in small letters": envelope(
        HEAD, *ROWS, "     print(x)", "     return x", "*** End of file"
    ),
    "a copy's name": f"--- a.py.orig\n+++ a.py\n{DIFF}",
    "git's other prefixes": f"diff --git i/a.py w/a.py\n--- i/a.py\n+++ w/a.py\n{DIFF}",
}


@pytest.mark.parametrize("patch", MEANT_ALIKE.values(), ids=MEANT_ALIKE)
async def test_patch_in_an_odd_form_is_made(tools: Toolbox, tmp_path: Path, patch: str) -> None:
    outcome = await tools.call("apply_patch", patch=patch)
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "a.py").read_text() == AFTER


@pytest.mark.parametrize(
    ("rows", "added"),
    [
        (("@@", "    x = 1", "+    y = 2"), "    y = 2\n"),
        (("@@", "def main():", "    x = 1", "+    if x:", "+        y()"), "    if x:\n        y()\n"),
    ],
)
async def test_lines_that_stay_without_their_sign_shift_nothing(
    tools: Toolbox, tmp_path: Path, rows: tuple[str, ...], added: str
) -> None:
    outcome = await tools.call("apply_patch", patch=envelope(HEAD, *rows))
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "a.py").read_text() == TEXT.replace("    x = 1\n", f"    x = 1\n{added}")


@pytest.mark.parametrize(
    ("patch", "said"),
    [
        (envelope("*** Rename File: a.py"), "not `*** Rename File: a.py`"),
        (envelope(HEAD, *ROWS).replace("\n", "\\n"), "with \\n where line ends are meant"),
        (
            "a.py\n<<<<<<< SEARCH\nx = 1\n=======\nx = 2\n>>>>>>> REPLACE\n",
            "to edit_file, as old_text and new_text",
        ),
        (
            "diff --cc a.py\n--- a/a.py\n+++ b/a.py\n@@@ -9,2 -9,2 +9,2 @@@\n  def main():\n- -    x = 1\n",
            "the combined diff of a merge",
        ),
        ("2c2\n< a\n---\n> b\n", "diff -u makes it"),
        ("*** a.py\n--- a.py\n***************\n*** 1 ****\n! a\n--- 1 ----\n! b\n", "diff -u makes it"),
        ("--- a/b.txt\n+++ /dev/null\n", "the lines that the patch deletes are missing"),
        ("--- /dev/null\n+++ b/a.py\n@@ -0,0 +1 @@\n+x = 1\n", "a.py exists already"),
        ("--- a/n.py\n+++ b/n.py\n@@ -0,0 +1 @@\n+x = 1\n", "To make it, write `*** Add File`"),
        (envelope("*** Add File: x.bin", "+text"), "is no text file, so it is not overwritten"),
        (envelope("*** Delete File: x.bin", "*** Add File: x.bin", "+text"), "is no text file"),
        (envelope(HEAD, "*** Move to: b.txt"), "exists already. Choose another name"),
        (envelope("*** Update File: sub/a.py", *ROWS), "Did you mean a.py?"),
        (
            "--- a/b.txt\n+++ a/b.txt\n@@ -1 +1 @@\n-one\n+two\n",
            "a/b.txt does not exist. Did you mean b.txt?",
        ),
    ],
)
async def test_patch_that_is_not_certain_is_refused_with_what_to_do(
    tools: Toolbox, tmp_path: Path, patch: str, said: str
) -> None:
    (tmp_path / "x.bin").write_bytes(b"\0\1")
    outcome = await tools.call("apply_patch", patch=patch)
    assert (outcome.status, said in outcome.text) == ("failed", True), outcome.text
    files = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    assert files == {"a.py": TEXT.encode(), "b.txt": b"one\n", "x.bin": b"\0\1"}


async def test_patch_of_a_read_only_file_is_not_answered_with_another_try(
    tools: Toolbox, tmp_path: Path
) -> None:
    (tmp_path / "a.py").chmod(0o444)
    outcome = await tools.call("apply_patch", patch=envelope(HEAD, *ROWS))
    assert "is read-only" in outcome.text and "Read the file again" not in outcome.text


async def test_move_may_stand_behind_the_lines_and_names_of_folders_may_look_like_prefixes(
    tools: Toolbox, tmp_path: Path
) -> None:
    assert (
        await tools.call("apply_patch", patch=envelope(HEAD, *ROWS, "*** Move to: a/c.py"))
    ).status == "completed"
    same = DIFF.replace("x = 2", "x = 3").replace("x = 1", "x = 2")
    outcome = await tools.call("apply_patch", patch=f"--- a/c.py\n+++ a/c.py\n{same}")
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "a/c.py").read_text() == TEXT.replace("x = 1", "x = 3")


@pytest.mark.parametrize(
    "patch",
    [
        envelope("*** Add File: n.py", "--- /dev/null", "+++ b/n.py", "@@ -0,0 +1 @@", "+import os"),
        envelope("*** Add File: n.py", "@@", "+import os"),
        "diff --git a/n.py b/n.py\nnew file mode 100644\n--- /dev/null\n+++ b/n.py\n@@ -0,0 +1 @@\n"
        "+import os\n",
    ],
)
async def test_new_file_in_an_odd_form_is_made(tools: Toolbox, tmp_path: Path, patch: str) -> None:
    outcome = await tools.call("apply_patch", patch=patch)
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "n.py").read_text() == "import os\n"


async def test_new_file_that_is_to_be_executable_is_not_and_the_report_says_so(
    tools: Toolbox, tmp_path: Path
) -> None:
    head = "diff --git a/run.sh b/run.sh\nnew file mode 100755\n--- /dev/null\n+++ b/run.sh\n"
    outcome = await tools.call("apply_patch", patch=f"{head}@@ -0,0 +1 @@\n+#!/bin/sh\n")
    assert outcome.text == "Created run.sh. It is not executable: a command (chmod +x) makes it so."
    assert (tmp_path / "run.sh").stat().st_mode & 0o111 == 0


@pytest.mark.parametrize(("mode", "command"), [("100755", "chmod +x"), ("100644", "chmod -x")])
async def test_lines_of_a_diff_that_changes_the_mode_too_are_made_and_the_mode_stays(
    tools: Toolbox, tmp_path: Path, mode: str, command: str
) -> None:
    head = (
        f"diff --git a/b.txt b/c.txt\nold mode 100600\nnew mode {mode}\nrename from b.txt\nrename to c.txt\n"
    )
    outcome = await tools.call(
        "apply_patch", patch=f"{head}--- a/b.txt\n+++ b/c.txt\n@@ -1 +1 @@\n-one\n+two\n"
    )
    said = f"Its mode is as it was: a command ({command}) changes it."
    assert outcome.text == f"Moved b.txt to c.txt. Edited b.txt, line 1. {said}"
    assert (tmp_path / "c.txt").read_text() == "two\n"
    assert (tmp_path / "c.txt").stat().st_mode & 0o111 == 0


async def test_link_or_submodule_of_a_diff_becomes_no_file(tools: Toolbox, tmp_path: Path) -> None:
    for mode, told in (("120000", "ln -s"), ("160000", "submodules")):
        head = f"diff --git a/n b/n\nnew file mode {mode}\n--- /dev/null\n+++ b/n\n"
        outcome = await tools.call("apply_patch", patch=f"{head}@@ -0,0 +1 @@\n+b.txt\n")
        assert (outcome.status, told in outcome.text) == ("failed", True), outcome.text
        assert not (tmp_path / "n").exists()


async def test_mark_of_a_missing_line_end_is_no_line_of_the_file(tools: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "b.txt").write_text("one")
    lines = ("-one", "\\ No newline at end of file", "+two", "\\ No newline at end of file")
    outcome = await tools.call("apply_patch", patch=envelope("*** Update File: b.txt", "@@", *lines))
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "b.txt").read_text() == "two"


async def test_diff_without_any_marks_of_places_is_made(tools: Toolbox, tmp_path: Path) -> None:
    patch = "--- a/b.txt\n+++ b/b.txt\n-one\n+two\n--- /dev/null\n+++ b/n.txt\n+new\n"
    outcome = await tools.call("apply_patch", patch=patch)
    assert outcome.status == "completed", outcome.text
    assert [(tmp_path / name).read_text() for name in ("b.txt", "n.txt")] == ["two\n", "new\n"]


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("delete_file", {"path": "link"}),
        ("delete_file", {"path": "sub/link"}),
        ("move_file", {"path": "link", "to": "new.txt"}),
        ("apply_patch", {"patch": envelope("*** Delete File: link")}),
    ],
)
async def test_link_is_not_deleted_or_moved_as_what_it_leads_to(
    tools: Toolbox, tmp_path: Path, tool: str, arguments: dict[str, str]
) -> None:
    (tmp_path / "sub").mkdir()
    for link in (tmp_path / "link", tmp_path / "sub/link"):
        link.symlink_to(tmp_path / "b.txt")
    outcome = await tools.call(tool, **arguments)
    assert (outcome.status, outcome.effects) == ("failed", "none")
    assert "link is a link to b.txt; nothing was changed." in outcome.text
    assert (tmp_path / "b.txt").read_text() == "one\n"
    assert (tmp_path / "link").is_symlink()


async def test_file_in_a_linked_folder_is_deleted(tools: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/c.txt").touch()
    (tmp_path / "linked").symlink_to("sub")
    outcome = await tools.call("delete_file", path="linked/c.txt")
    assert outcome.status == "completed", outcome.text
    assert not (tmp_path / "sub/c.txt").exists()


async def test_files_that_git_names_without_lines_come_and_go(tools: Toolbox, tmp_path: Path) -> None:
    new = "diff --git a/e.py b/e.py\nnew file mode 100644\nindex 0000000..e69de29\n"
    old = "diff --git a/b.txt b/b.txt\ndeleted file mode 100644\nindex 1..0\n"
    outcome = await tools.call("apply_patch", patch=new + old)
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "e.py").read_text() == ""
    assert not (tmp_path / "b.txt").exists()


async def test_copy_in_a_diff_moves_nothing(tools: Toolbox, tmp_path: Path) -> None:
    patch = "diff --git a/b.txt b/c.txt\nsimilarity index 100%\ncopy from b.txt\ncopy to c.txt\n"
    outcome = await tools.call("apply_patch", patch=patch)
    assert (outcome.status, "does not copy files" in outcome.text) == ("failed", True)
    assert (tmp_path / "b.txt").exists()


async def test_file_moved_to_a_folder_keeps_its_name(tools: Toolbox, tmp_path: Path) -> None:
    patch = envelope(HEAD, "*** Move to: lib/", *ROWS)
    assert (await tools.call("apply_patch", patch=patch)).status == "completed"
    assert (tmp_path / "lib/a.py").read_text() == AFTER
    assert (await tools.call("move_file", path="b.txt", to="lib/")).status == "completed"
    assert (tmp_path / "lib/b.txt").read_text() == "one\n"


@pytest.mark.parametrize(
    ("path", "content", "said"),
    [
        ("~kim/notes.md", "x", "~ is not expanded"),
        ("docs/", "x", "names a folder"),
        ("n.py", "```python\nx = 1\n```\n", "has marks around it"),
    ],
)
async def test_new_file_that_nobody_means_is_refused(
    tools: Toolbox, tmp_path: Path, path: str, content: str, said: str
) -> None:
    outcome = await tools.call("write_file", path=path, content=content)
    assert (outcome.status, said in outcome.text) == ("failed", True), outcome.text
    added = envelope(f"*** Add File: {path}", *(f"+{line}" for line in content.splitlines()))
    assert said in (await tools.call("apply_patch", patch=added)).text
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.py", "b.txt"]


async def test_path_with_other_separators_is_answered_with_the_right_one(
    tools: Toolbox, tmp_path: Path
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/c.py").write_text("c = 1\n")
    outcome = await tools.call("read_file", path="sub\\c.py")
    assert "Did you mean sub/c.py?" in outcome.text


async def test_name_that_git_writes_as_bytes_in_octal_is_found(tools: Toolbox, tmp_path: Path) -> None:
    (tmp_path / "ü b.py").write_text(TEXT)
    name = "\\303\\274 b.py"
    patch = f'diff --git "a/{name}" "b/{name}"\n--- "a/{name}"\n+++ "b/{name}"\n{DIFF}'
    outcome = await tools.call("apply_patch", patch=patch)
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "ü b.py").read_text() == AFTER


async def test_patch_with_several_faults_names_all_of_them_and_makes_nothing(
    tools: Toolbox, tmp_path: Path
) -> None:
    rows = ("*** Add File: new.py", "+x", HEAD, "@@", "-no such line", "+y", "*** Delete File: gone.py")
    outcome = await tools.call("apply_patch", patch=envelope(*rows))
    assert outcome.status == "failed"
    assert "a.py: Hunk 1 was not found" in outcome.text and "gone.py does not exist." in outcome.text
    assert sorted(each.name for each in tmp_path.iterdir()) == ["a.py", "b.txt"]


async def test_empty_text_to_replace_is_answered_with_the_tool_that_makes_files(tools: Toolbox) -> None:
    outcome = await tools.call("edit_file", path="new.py", old_text="", new_text="x = 1\n")
    assert outcome.status == "failed" and "write_file makes a file or fills an empty one" in outcome.text


TWICE = "def a():\n    x = 1\n    return x\n\n\ndef b():\n    x = 1\n    return x\n"


@pytest.mark.parametrize(
    ("place", "made"),
    [
        ("-6,2 +6,2 @@ def b():", TWICE[::-1].replace("1 = x", "2 = x", 1)[::-1]),  # a line too high
        ("-2,2 +2,2 @@ def b():", TWICE.replace("x = 1", "x = 2", 1)),  # the line fits exactly
        ("-3,2 +3,2 @@ def b():", ""),  # line and section say different things
        ("-4,2 +4,2 @@ def c():", ""),
        ("-6,2 +6,2 @@", ""),
    ],
)
async def test_section_and_line_of_a_diff_decide_together(
    tools: Toolbox, tmp_path: Path, place: str, made: str
) -> None:
    (tmp_path / "t.py").write_text(TWICE)
    patch = f"--- a/t.py\n+++ b/t.py\n@@ {place}\n-    x = 1\n+    x = 2\n     return x\n"
    outcome = await tools.call("apply_patch", patch=patch)
    assert outcome.status == ("completed" if made else "failed")
    assert (tmp_path / "t.py").read_text() == (made or TWICE)
    assert made or "fits in 2 places, lines 2, 7" in outcome.text


@pytest.mark.parametrize(
    "mark", ["*** Begin Patch", "*** End Patch", "*** Update File: a.py", "  *** End Patch"]
)
async def test_diff_of_a_file_that_shows_patches_is_made(tools: Toolbox, tmp_path: Path, mark: str) -> None:
    (tmp_path / "p.md").write_text(f"before\n{mark}\nafter\n")
    rows = f" before\n {mark}\n-after\n+{mark}\n"
    outcome = await tools.call("apply_patch", patch=f"--- a/p.md\n+++ b/p.md\n@@ -1,3 +1,3 @@\n{rows}")
    assert outcome.status == "completed", outcome.text
    assert (tmp_path / "p.md").read_text() == f"before\n{mark}\n{mark}\n"
