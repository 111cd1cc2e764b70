"""An edit of a file that changed since it was read is made beside the change, or not at all."""

from pathlib import Path

import pytest

from agls.features.files.texts import Texts
from support.toolbox import Toolbox

pytestmark = pytest.mark.promise("P12")

TEXT = b"one = 1\r\ntwo = 2\r\nthree = 3\r\n"
STALE = "a.py has changed since it was read. Read it again, then change it."


async def edit(tools: Toolbox, old: str, new: str, **more: bool) -> str:
    outcome = await tools.call("edit_file", path="a.py", old_text=old, new_text=new, **more)
    return outcome.text


@pytest.mark.parametrize(
    ("now", "where"),
    [
        (b"zero\r\n" + TEXT, ", in line 1."),
        (TEXT + b"\xc3\xa9 four\nfive", ", between lines 4 and 5."),
        (TEXT.replace(b"one = 1\r\n", b""), ", before line 1."),
        (TEXT.replace(b"three = 3\r\n", b"three = 3\n"), "."),
    ],
    ids=["above", "below", "a line less", "another line end"],
)
async def test_edit_beside_a_change_keeps_all_other_bytes_and_reports_its_place(
    tools: Toolbox, root: Path, now: bytes, where: str
) -> None:
    (root / "a.py").write_bytes(TEXT)
    await tools.call("read_file", path="a.py")
    (root / "a.py").write_bytes(now)
    told = await edit(tools, "two = 2\n", "two = 22\n")
    assert (root / "a.py").read_bytes() == now.replace(b"two = 2", b"two = 22")
    assert f"a.py had changed since you read it{where} That was kept" in told


@pytest.mark.parametrize(
    ("now", "problem"),
    [
        (TEXT + b"two = 2\r\n", "occurs 2 times"),
        (TEXT.replace(b"two = 2\r\n", b""), "was not found"),
        (TEXT.replace(b"two = 2", b"two = 2 + 2"), STALE),
        (TEXT.replace(b"two = 2", b"if two = 2"), STALE),
        (TEXT.replace(b"two = 2", b"two =   2").replace(b"one", b"uno"), "was not found"),
    ],
    ids=["twice", "deleted", "typed behind", "typed before", "blanks"],
)
async def test_an_edit_whose_own_lines_changed_or_are_ambiguous_is_not_made(
    tools: Toolbox, root: Path, now: bytes, problem: str
) -> None:
    (root / "a.py").write_bytes(TEXT)
    await tools.call("read_file", path="a.py")
    (root / "a.py").write_bytes(now)
    assert problem in await edit(tools, "two = 2", "x")
    assert (root / "a.py").read_bytes() == now


async def test_an_old_text_that_was_ambiguous_when_it_was_read_is_not_made_where_one_is_left(
    tools: Toolbox, root: Path
) -> None:
    (root / "a.py").write_text("x\ny\nx\n")
    await tools.call("read_file", path="a.py")
    (root / "a.py").write_text("y\nx\n")
    assert await edit(tools, "x", "z") == STALE
    assert await edit(tools, "x", "z", replace_all=True) == STALE


async def test_old_text_in_other_white_space_is_not_made_beside_a_change(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_text("if x:\n    one\n")
    await tools.call("read_file", path="a.py")
    (root / "a.py").write_text("if x:\n    one\n# typed\n")
    assert await edit(tools, "if x:\n  one", "two") == STALE


async def test_beside_a_change_one_edit_may_follow_another_but_the_whole_file_may_not_be_written(
    tools: Toolbox, root: Path
) -> None:
    (root / "a.py").write_bytes(TEXT)
    await tools.call("read_file", path="a.py")
    (root / "a.py").write_bytes(b"# typed\n" + TEXT)
    await edit(tools, "two = 2", "two = 22")
    assert "had changed" in await edit(tools, "two = 22", "two = 23")
    assert (await tools.call("write_file", path="a.py", content="x")).text == STALE
    assert await edit(tools, "typed", "gone") == STALE, "the model never saw it"
    assert (root / "a.py").read_bytes() == b"# typed\n" + TEXT.replace(b"two = 2", b"two = 23")
    await tools.call("read_file", path="a.py")
    assert (await tools.call("write_file", path="a.py", content="x")).status == "completed"


async def test_edit_without_a_change_is_reported_as_such(tools: Toolbox, root: Path) -> None:
    (root / "a.py").write_bytes(TEXT)
    await tools.call("read_file", path="a.py")
    (root / "a.py").write_bytes(b"# typed\n" + TEXT)
    assert "are the same" in await edit(tools, "two = 2", "two = 2")


async def test_the_preview_of_an_edit_is_the_same_wherever_its_lines_are(tools: Toolbox, root: Path) -> None:
    far = "".join(f"{number}\n" for number in range(20))
    arguments = {"path": "a.py", "old_text": "old", "new_text": "new"}
    (root / "a.py").write_text(f"{far}old\n{far}")
    first = await tools.preview("edit_file", **arguments)
    (root / "a.py").write_text(f"typed\n{far}old\n{far}")
    moved = await tools.preview("edit_file", **arguments)
    (root / "a.py").write_text(f"{far}typed\nold\n{far}")
    beside = await tools.preview("edit_file", **arguments)
    assert first.subject != moved.subject
    assert first.essence == moved.essence != beside.essence


def test_texts_keeps_the_latest_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agls.features.files.texts.MOST", 10)
    texts = Texts()
    texts.keep("a", "1", "aaaa")
    texts.keep("b", "1", "bbbb")
    texts.keep("a", "1", "aaaa")
    texts.keep("c", "1", "cccc")
    assert [texts.find(uri, "1") for uri in "abc"] == ["aaaa", None, "cccc"]
