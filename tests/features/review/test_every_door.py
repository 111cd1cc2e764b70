"""One table of inputs through plain LSP, the agent protocol, the command line and the library."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from doors.headless.conftest import Agls, agls
from doors.lsp.conftest import Serve, serve
from support.lsp_editor import attach
from support.reviewers import (
    MADE,
    TEXT,
    AgentUser,
    LibraryUser,
    NotDone,
    PlainUser,
    Reviewer,
    Standing,
    TerminalUser,
)
from support.wire import Message, Wire, turns

__all__ = ["agls", "serve"]

DOORS = ("plain", "agent", "terminal", "library")
FIRST_UNDER_THIRD = [(1, False), (2, True), (3, True)]
SECOND_UNDONE = MADE.replace("fifteen\nmore\n", "line 15\n")
KEPT_SECOND = TEXT.replace("line 15\n", "fifteen\nmore\n")

# What the user does; the text then, and which changes wait and stand. A step that begins with ! is refused.
TABLE: dict[str, tuple[list[str], str, Standing]] = {
    "one and the one under it": (
        ["undo code.py:3", "undo code.py:1"],
        KEPT_SECOND,
        [(2, True)],
    ),
    "one under another": (["! undo code.py:1"], MADE, FIRST_UNDER_THIRD),
    "all of the file": (["undo code.py"], TEXT, []),
    "all": (["undo"], TEXT, []),
    "keep one, undo the rest": (["keep code.py:2", "undo"], KEPT_SECOND, []),
    "keep all of the file": (["keep code.py", "! undo code.py:2"], MADE, []),
    "keep all, then all again": (["keep", "! keep", "! undo"], MADE, []),
    "none such": (["! undo code.py:9", "! keep code.py:9"], MADE, FIRST_UNDER_THIRD),
    "typed before it": (
        ["type line 1|mine|line 1", "undo code.py:2"],
        SECOND_UNDONE.replace("line 1\n", "mine\nline 1\n", 1),
        [(1, False), (3, True)],
    ),
    "typed in it, others undone": (
        ["type more|and more", "! undo code.py:2", "undo code.py:3", "keep code.py:2"],
        MADE.replace("more\n", "and more\n").replace("FIVE", "five"),
        [(1, True)],
    ),
    "undone, redone, undone": (
        ["undo code.py:2", "redo code.py:2", "undo code.py:2"],
        SECOND_UNDONE,
        [(1, False), (3, True)],
    ),
    "all undone and redone": (["undo", "redo"], MADE, FIRST_UNDER_THIRD),
    "undone, restarted, redone": (
        ["undo code.py:2", "restart", "redo code.py:2"],
        MADE,
        FIRST_UNDER_THIRD,
    ),
    "restarted": (["keep code.py:2", "restart", "undo"], KEPT_SECOND, []),
}


@pytest.fixture(params=DOORS)
async def user(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Reviewer]:
    """Somebody at each of the doors."""
    match request.param:
        case "plain":
            yield PlainUser(request.getfixturevalue("serve"))
        case "agent":
            yield AgentUser(request.getfixturevalue("serve"))
        case "terminal":
            program = Agls(tmp_path)
            yield TerminalUser(program)
            program.end()
        case _:
            program = LibraryUser(tmp_path, monkeypatch)
            yield program
            await program.close()


EVERYWHERE = ("one and the one under it", "none such", "undone, restarted, redone")  # through each door
EACH = [
    pytest.param(door, name, marks=[pytest.mark.slow] * (door != "library" and name not in EVERYWHERE))
    for name in TABLE
    for door in DOORS
]


@pytest.mark.parametrize(("user", "name"), EACH, indirect=["user"])
async def test_changes_are_kept_undone_and_redone_through_every_door(user: Reviewer, name: str) -> None:
    steps, text, standing = TABLE[name]
    await user.work()
    for step in steps:
        await follow(user, step)
    assert user.text == text
    assert await user.waiting() == standing


async def follow(user: Reviewer, step: str) -> None:
    """Do one step of the table."""
    if step.startswith("! "):
        text = user.text
        with pytest.raises(NotDone):
            await follow(user, step.removeprefix("! "))
        assert user.text == text, "nothing was done"
        return
    verb, _, words = step.partition(" ")
    match verb:
        case "type":
            old, _, new = words.partition("|")
            await user.type(f"{old}\n", new.replace("|", "\n") + "\n")
        case "restart":
            await user.restart()
        case _:
            await {"keep": user.keep, "undo": user.undo, "redo": user.redo}[verb](words)


@pytest.mark.parametrize("user", DOORS[1:], indirect=True)
async def test_a_place_typed_in_after_the_undo_is_not_redone(user: Reviewer) -> None:
    await user.work()
    await user.undo("code.py:2")
    await user.type("line 15\n", "mine 15\n")
    with pytest.raises(NotDone, match="changed since"):
        await user.redo("code.py:2")
    assert user.text == SECOND_UNDONE.replace("line 15\n", "mine 15\n")


@pytest.mark.parametrize("user", DOORS[1:], indirect=True)
async def test_two_sessions_on_the_same_file_undo_only_their_own(user: Reviewer) -> None:
    await user.work()
    await user.work(again=True)
    assert user.text == MADE.replace("line 10\n", "ten\n")
    assert await user.waiting() == FIRST_UNDER_THIRD
    await user.undo("code.py")
    assert user.text == TEXT.replace("line 10\n", "ten\n")


NEW: list[Message] = [
    {"name": "write_file", "arguments": {"path": "new.txt", "content": "one\n"}},
    {"name": "write_file", "arguments": {"path": "sub/other.txt", "content": "two\n"}},
]


def test_a_file_that_the_agent_made_is_removed_by_an_undo_and_comes_back(agls: Agls) -> None:
    agls.script({"calls": NEW}, {"text": "Done."})
    assert agls.run("run", "make them", "--mode", "acceptEdits").code == 0
    new, other = agls.workspace / "new.txt", agls.workspace / "sub" / "other.txt"
    listed = agls.run("changes", "list").out
    assert "new.txt:1  line 1\n    +one\n" in listed
    assert "+two" in listed
    other.write_text("2\nmine\n")
    done = agls.run("changes", "undo", "--all")
    assert done.code == 0
    assert "Undone: `new.txt:1`" in done.out
    assert "Left as it is: `sub/other.txt:1`" in done.out
    assert not new.exists()
    assert other.read_text() == "2\nmine\n"
    new.mkdir()
    assert agls.run("changes", "redo", "new.txt:1").code == 2, "there is something else now"
    new.rmdir()
    assert "Made again" in agls.run("changes", "redo", "new.txt:1").out
    assert new.read_text() == "one\n"
    assert [
        change["change"] for change in agls.run("changes", "undo", "new.txt", "--json").whole["changes"]
    ] == ["deleted"]


def test_a_file_that_the_agent_made_and_that_is_open_stays_as_an_empty_document(serve: Serve) -> None:
    wire = serve(turns({"calls": NEW}, "Done."))
    editor = attach(wire)
    session = wire.session(options={"mode": "acceptEdits"})
    wire.run(session)
    path = wire.workspace / "new.txt"
    document = editor.open_file(path)
    asked = {"sessionId": session, "name": "changes.undo", "input": {"all": True}}
    done = wire.call("agent/action/invoke", asked)
    assert document.text == ""
    assert path.read_text() == "one\n", "nothing is saved"
    assert not (wire.workspace / "sub" / "other.txt").exists()
    assert "not saved" in done["output"][0]["text"]
    wire.until(lambda m: titles(wire) == ["A change of the agent was undone"] * 2)
    wire.call("agent/action/invoke", {**asked, "name": "changes.redo"})
    assert document.text == "one\n"
    assert (wire.workspace / "sub" / "other.txt").read_text() == "two\n"
    wire.until(lambda m: titles(wire)[2:] == ["A change of the agent was made again"] * 2)


def titles(wire: Wire) -> list[str]:
    """The items of files that changed outside of calls."""
    items = [e["data"]["item"] for e in wire.events if e["type"] == "itemCompleted"]
    return [item["title"] for item in items if item["kind"] == "fileEdit"]


def test_command_without_a_change_or_all_is_refused(agls: Agls) -> None:
    agls.script({"calls": NEW}, {"text": "Done."})
    assert agls.run("run", "make them", "--mode", "acceptEdits").code == 0
    for words in (["keep"], ["undo", "new.txt", "--all"]):
        done = agls.run("changes", *words)
        assert (done.code, done.out) == (2, "")
        assert "agls changes list shows" in done.err
    done = agls.run("changes", "undo", "nowhere.txt:1")
    assert "No change is called 'nowhere.txt:1'. There are: `new.txt:1`, `sub/other.txt:1`." in done.err
    done = agls.run("changes", "redo", "--all")
    assert "There is no change that this applies to." in done.err


def test_the_actions_say_in_their_schemas_what_they_take(serve: Serve) -> None:
    wire = serve()
    wire.initialize()
    actions = {action["name"]: action for action in wire.call("agent/action/list", {})["actions"]}
    assert {name for name in actions if name.startswith("changes.")} == {
        *("changes.list", "changes.keep", "changes.undo", "changes.redo", "changes.revert"),
    }
    assert [*actions["changes.undo"]["inputSchema"]["properties"]] == ["change", "all"]
    session = wire.session()
    for given in ({}, {"change": "a", "all": True}, {"change": 3}, {"hunk": "x"}):
        asked = {"sessionId": session, "name": "changes.undo", "input": given}
        assert "error" in wire.ask("agent/action/invoke", asked), given
