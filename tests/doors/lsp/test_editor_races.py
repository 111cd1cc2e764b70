"""What crosses what between an editor and the server, message by message, without a process."""

import asyncio
import json
import random
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.workspace import PositionCodec

from agls.doors.lsp import pending_edits
from agls.doors.lsp.documents import Document, lines_of
from agls.doors.positions import TextPosition, offset_at
from agls.engine.ports import FileText, Stale, Workspace, WorkspaceError
from agls.workspace.buffer_sync import Buffer
from support.lsp_editor import Manners
from support.lsp_link import Link

pytestmark = pytest.mark.promise("P12")

TEXT = "one\ntwo\n"
PIECES = ["a", "é", "😋", "\ud83d", "e\u0301", "\r", "\n", "\r\n", "\x0b", "\x85", "\u2028", ""]


def linked(root: Path, text: str = TEXT) -> tuple[Link, str]:
    """A document between editor and server."""
    link, file = Link(root, "utf-16"), root / "a.txt"
    file.write_text(text)
    link.editor.open_file(file)
    link.reach_server()
    return link, file.as_uri()


async def sent(link: Link) -> None:
    """Wait until the server has sent its edit."""
    while not link.to_editor:
        await asyncio.sleep(0.001)


async def wrote(workspace: Workspace, seen: FileText, text: str) -> str:
    """Write the text; gives what of it was done."""
    try:
        await workspace.write("a.txt", text, expected=seen.version, label="Edit")
    except Stale as problem:
        return problem.effects
    return "applied"


@pytest.mark.parametrize(
    ("after", "at"),
    [
        ("one\nnew\ntwo\n", 0),  # a line between others, and typing above it
        ("one\none\ntwo\n", 0),
        ("one\ntwo\nnew\n", len(TEXT + "new\n")),  # a line behind all others, and typing behind it
        ("new\none\ntwo\n", 0),  # a line above all others, and typing above it
        ("one\ntwo\none\ntwo\n", 0),
        ("two\n", len("two\n")),
    ],
)
async def test_edit_returned_with_typed_text_is_not_reported_as_without_effect(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str, at: int
) -> None:
    monkeypatch.setattr(pending_edits, "STRAY_PATIENCE", 0.02)
    link, uri = linked(tmp_path)
    link.editor.manners = Manners(late=True, behind=lambda: link.editor.type(uri, at, "typed"))
    writing = asyncio.ensure_future(wrote(link.workspace, await link.workspace.read("a.txt"), after))
    await link.settle(writing)
    assert link.editor.documents[uri].text == after[:at] + "typed" + after[at:]
    assert writing.result() == "partial", "the model would be told that nothing was changed"


@pytest.mark.parametrize("at", [0, len(TEXT)])
@pytest.mark.parametrize("after", ["one\nnew\ntwo\n", "new\none\ntwo\n", "one\ntwo\nnew\n", "one\n"])
async def test_an_edit_that_lost_against_typing_did_nothing_or_perhaps_something(
    tmp_path: Path, after: str, at: int
) -> None:
    link, uri = linked(tmp_path)
    link.editor.once(lambda: link.editor.type(uri, at, "typed"))
    writing = asyncio.ensure_future(wrote(link.workspace, await link.workspace.read("a.txt"), after))
    await link.settle(writing)
    assert link.editor.documents[uri].text == TEXT[:at] + "typed" + TEXT[at:]
    assert writing.result() != "applied"


async def test_a_document_closed_and_opened_again_while_it_is_edited_can_be_edited_again(
    tmp_path: Path,
) -> None:
    link, uri = linked(tmp_path)
    seen = await link.workspace.read("a.txt")
    first = asyncio.ensure_future(wrote(link.workspace, seen, "one\n2\n"))
    await sent(link)
    link.editor.close(uri)
    link.editor.open_file(tmp_path / "a.txt")
    while link.to_server:
        link.reach_server()
    second = asyncio.ensure_future(wrote(link.workspace, await link.workspace.read("a.txt"), "1\ntwo\n"))
    for _ in range(100):  # it may send its edit now, or has to wait for the first
        await asyncio.sleep(0.001)
    await link.settle(asyncio.ensure_future(asyncio.wait({first, second})))
    assert [first.result(), second.result()] == ["applied", "none"]
    assert link.editor.documents[uri].text == "one\n2\n"


async def test_edit_of_a_closed_document_is_withdrawn(tmp_path: Path) -> None:
    """An editor that looks ahead in what it was sent leaves it; the others answer, and are believed."""
    link, uri = linked(tmp_path)
    writing = asyncio.ensure_future(wrote(link.workspace, await link.workspace.read("a.txt"), "one\n2\n"))
    await sent(link)
    link.editor.close(uri)
    link.reach_server()
    edit, regret = map(json.loads, link.to_editor)
    assert (regret["method"], regret["params"]) == ("$/cancelRequest", {"id": edit["id"]})
    await link.settle(writing)
    assert writing.result() == "none"
    assert (tmp_path / "a.txt").read_text() == TEXT


async def test_an_edit_that_hit_a_document_opened_again_with_another_text_is_not_called_applied(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its versions begin anew in some editors, and then the version of the edit fits by chance."""
    monkeypatch.setattr(pending_edits, "STRAY_PATIENCE", 0.02)
    link, uri = linked(tmp_path)
    writing = asyncio.ensure_future(wrote(link.workspace, await link.workspace.read("a.txt"), "one\n2\n"))
    await sent(link)
    link.editor.close(uri)
    (tmp_path / "a.txt").write_text("checked out\nanother\n")
    link.editor.open_file(tmp_path / "a.txt")
    await link.settle(writing)
    assert writing.result() == "partial"
    seen = await link.workspace.read("a.txt")
    assert seen.text == link.editor.documents[uri].text == "checked out\n2ther\n"
    again = asyncio.ensure_future(wrote(link.workspace, seen, "right\n"))
    await link.settle(again)
    assert (again.result(), link.editor.documents[uri].text) == ("applied", "right\n")


async def test_of_two_documents_of_one_file_the_one_with_changes_is_meant(tmp_path: Path) -> None:
    link, uri = linked(tmp_path)
    alias = tmp_path / "link.txt"
    alias.symlink_to(tmp_path / "a.txt")
    link.editor.open_file(alias)
    link.editor.type(alias.as_uri(), 0, "typed\n")
    while link.to_server:
        link.reach_server()
    seen = await link.workspace.read("a.txt")
    assert seen.text == "typed\n" + TEXT
    writing = asyncio.ensure_future(wrote(link.workspace, seen, "typed\none\n"))
    await link.settle(writing)
    texts = {name: document.text for name, document in link.editor.documents.items()}
    assert (writing.result(), texts) == ("applied", {uri: TEXT, alias.as_uri(): "typed\none\n"})

    link.editor.type(uri, 0, "typed there, too\n")
    while link.to_server:
        link.reach_server()
    for path in ("a.txt", "link.txt"):
        with pytest.raises(WorkspaceError, match="save or to close one of them"):
            await link.workspace.read(path)
    link.editor.close(uri)
    link.reach_server()
    assert (await link.workspace.read("a.txt")).text == "typed\none\n"


async def test_documents_whose_names_are_no_utf8_are_not_taken_for_each_other(tmp_path: Path) -> None:
    link = Link(tmp_path, "utf-16")
    for byte in ("%FE", "%FF"):
        link.editor.open(f"{tmp_path.as_uri()}/{byte}.txt", f"text of {byte}\n", unsaved=True)
        link.reach_server()
    link.notify(
        "textDocument/didChange",
        textDocument={"uri": f"{tmp_path.as_uri()}/%fe.txt", "version": 2},
        contentChanges=[{"text": "typed\n"}],
    )
    texts = [(await link.workspace.read(f"{tmp_path.as_uri()}/{byte}.txt")).text for byte in ("%FE", "%FF")]
    assert texts == ["typed\n", "text of %FF\n"]
    link.editor.close(f"{tmp_path.as_uri()}/%FE.txt")
    link.reach_server()
    assert (await link.workspace.read(f"{tmp_path.as_uri()}/%FF.txt")).text == "text of %FF\n"


def test_a_document_follows_every_change_as_plain_text_would() -> None:
    chance = random.Random(3)

    def some(most: int) -> str:
        return "".join(chance.choices(PIECES, k=chance.randrange(most)))

    for _ in range(3_000):
        encoding = chance.choice(["utf-8", "utf-16", "utf-32"])
        text = some(12)
        document = Document("file:///a", text, position_codec=PositionCodec(encoding=encoding))
        for _ in range(3):
            places = [TextPosition(chance.randrange(5), chance.randrange(6)) for _ in "ab"]
            places.sort(key=lambda place: offset_at(text, place, encoding))
            start, end = (offset_at(text, place, encoding) for place in places)
            span = types.Range(*(types.Position(*place) for place in places))
            document.apply_change(types.TextDocumentContentChangePartial(range=span, text=(new := some(6))))
            text = text[:start] + new + text[end:]
            assert document.source == text
            assert "".join(lines_of(text)) == text


def test_ten_thousand_changes_of_a_long_document_cost_no_more_than_the_document() -> None:
    """An editor that replaces all tells it so: without lines it would stop us for half an hour."""
    lines = 100_000
    document = Document("file:///a", "x = 1\n" * lines, position_codec=PositionCodec(encoding="utf-16"))
    for line in range(lines - 10_000, lines):
        span = types.Range(types.Position(line, 0), types.Position(line, 1))
        document.apply_change(types.TextDocumentContentChangePartial(range=span, text="é"))
    assert document.source == "x = 1\n" * (lines - 10_000) + "é = 1\n" * 10_000


def test_a_very_long_line_is_edited_at_its_end() -> None:
    line = "é" + "😋" * 1_000_000
    document = Document("file:///a", line, position_codec=PositionCodec(encoding="utf-16"))
    end = types.Position(0, 2_000_001)
    document.apply_change(types.TextDocumentContentChangePartial(range=types.Range(end, end), text="!"))
    assert document.source == line + "!"


def test_the_document_of_an_edit_is_known_by_its_text() -> None:
    edit = pending_edits.PendingEdit(Buffer("file:///a", 1, TEXT), TEXT + "new\n")
    assert edit.spared, "nothing came yet"
    edit.look(Buffer("file:///a", 2, TEXT + "ne"))
    assert not edit.spared, "half of it came"


async def test_document_with_an_invalid_change_is_not_used_until_reopened(
    tmp_path: Path,
) -> None:
    """Its text is not known any more: an edit of what it was would hit what the user wrote since."""
    link, uri = linked(tmp_path)
    seen = await link.workspace.read("a.txt")
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 2**32, "character": 0}}  # no number of LSP
    changes = [{"range": span, "text": "all new\n"}]
    link.notify("textDocument/didChange", textDocument={"uri": uri, "version": 2}, contentChanges=changes)
    with pytest.raises(WorkspaceError, match="close it and to open it again"):
        await link.workspace.read("a.txt")
    with pytest.raises(WorkspaceError, match="close it and to open it again"):
        await link.workspace.write("a.txt", "one\n", expected=seen.version, label="Edit")
    assert [json.loads(each)["method"] for each in link.to_editor] == ["window/logMessage"]
    assert (tmp_path / "a.txt").read_text() == TEXT
    link.editor.close(uri)
    link.editor.open_file(tmp_path / "a.txt")
    while link.to_server:
        link.reach_server()
    assert (await link.workspace.read("a.txt")).text == TEXT


async def test_a_version_that_came_without_a_change_counts(tmp_path: Path) -> None:
    link, uri = linked(tmp_path)
    link.editor.documents[uri].version = 5
    link.notify("textDocument/didChange", textDocument={"uri": uri, "version": 5}, contentChanges=[])
    writing = asyncio.ensure_future(wrote(link.workspace, await link.workspace.read("a.txt"), "one\n"))
    await link.settle(writing)
    assert writing.result() == "applied"
    assert link.editor.documents[uri].text == "one\n"
