"""The transcript as a file, and what stands in messages: for people, and harmless (protocol#plain-mode)."""

from pathlib import Path
from typing import Any

import pytest

from agls.doors.lsp.plain.progress import brief
from agls.doors.lsp.plain.transcript import TranscriptPage, write_page
from agls.engine.vocabulary import JsonObject
from agls.views.render.markdown import heading, markdown
from support.wire import Message, turns

from .conftest import Serve
from .plain_client import PlainClient

EVIL = "\x1b]0;owned\x07\x1b[2J\u202egnp.exe"


def completed(**item: Any) -> JsonObject:
    return {"type": "itemCompleted", "data": {"item": {"itemId": "i", "status": "completed", **item}}}


def page(*events: JsonObject) -> str:
    return markdown(events)


def test_each_kind_of_item_is_rendered() -> None:
    user = completed(
        kind="userMessage",
        content=[
            {"type": "text", "text": "do it"},
            {"type": "resource", "uri": "file:///a#L1", "text": "```\ncode"},
            {"type": "resourceLink", "uri": "file:///b"},
            {"type": "image", "data": "", "mimeType": "image/png"},
        ],
    )
    told = page(user)
    assert told.startswith("## You\n\n`i`\n\ndo it\n\n`file:///a#L1`\n\n````\n```\ncode\n````\n")
    assert told.endswith("`file:///b`\n\n(image)\n\n")
    assert page(completed(kind="thought", text="hm\nyes")) == "> *agls thought:*\n>\n> hm\n> yes\n\n"
    assert page(completed(kind="thought", text="")) == ""
    assert page(completed(kind="compaction", text="short")) == "*compaction*\n\nshort\n\n"
    assert page(completed(kind="message", text="")) == ""
    assert page(completed(kind="message", text="half", discarded=True)) == ""
    assert "*(cancelled)*" in page(completed(kind="message", text="half", status="cancelled"))
    assert page({"type": "itemDelta", "data": {}}) == ""
    assert page(completed(kind="of the future")) == ""


def test_command_is_shown_with_output_and_exit_code() -> None:
    terminal = {"command": "echo `x`", "cwd": "/w", "exitCode": 3}
    call = {"kind": "toolCall", "name": "shell", "title": "shell `x`", "terminal": terminal}
    told = page(completed(**call, output="x" * 20_000))
    assert told.startswith("### `` shell `x` ``: completed\n\n```sh\n$ echo `x`\n```\n\nexit code 3\n\n")
    assert "[… 12000 characters left out …]" in told


def test_an_answer_with_an_open_block_of_code_does_not_swallow_the_rest() -> None:
    assert page(completed(kind="message", text="see\n````py\nx\n```")).endswith("\n````\n\n")
    assert page(completed(kind="message", text="see\n```py\nx\n```")) == "## agls\n\nsee\n```py\nx\n```\n\n"


@pytest.mark.parametrize(
    "event",
    [
        completed(kind="message", text=EVIL),
        completed(kind="toolCall", name="x", title=EVIL, output=EVIL),
        completed(kind="toolCall", name="x", changes=[{"patch": EVIL}]),
        {"type": "requestOpened", "data": {"title": EVIL, "shown": {"text": EVIL, "whole": True}}},
        {"type": "requestOpened", "data": {"title": "x", "shown": {"text": f"```\n{EVIL}", "whole": True}}},
        {"type": "runEnded", "data": {"stopReason": "error", "error": {"message": EVIL}}},
    ],
)
def test_nothing_in_it_has_power_over_a_terminal(event: JsonObject) -> None:
    told = page(event)
    assert "owned" in told
    assert not set("\x1b\x07\u202e") & set(told)
    assert not set("\x1b\x07\u202e") & set(heading("ses", {"title": EVIL, "cwd": EVIL}))


def test_a_transcript_that_cannot_be_kept_says_so_once(tmp_path: Path) -> None:
    transcript, file = TranscriptPage(), tmp_path / "made" / "s.md"
    assert transcript.take([completed(kind="message", text="a")]) == ""
    write_page(file, "# s\n")
    transcript.follow(file, [completed(kind="message", text="b")])
    assert transcript.kept
    file.unlink()
    assert not transcript.kept
    assert "agls.transcript" in transcript.take([completed(kind="message", text="c")])
    assert transcript.take([completed(kind="message", text="d")]) == ""


def test_a_link_in_its_place_is_not_written_through(tmp_path: Path) -> None:
    other, file = tmp_path / "other", tmp_path / "s.md"
    other.write_text("mine")
    file.symlink_to(other)
    write_page(file, "# s\n")
    assert not file.is_symlink()
    file.unlink()
    file.symlink_to(other)
    transcript = TranscriptPage()
    transcript.follow(file, [])
    assert transcript.take([completed(kind="message", text="x")])
    assert other.read_text() == "mine"


def test_page_that_cannot_be_written_is_an_error_and_the_run_continues(serve: Serve) -> None:
    client = PlainClient(serve("hi"), "neovim", "text\n")
    session = client.command("agls.run", {"input": "go"})["sessionId"]
    client.message("agls: done")
    (client.wire.workspace.parent / "state" / "sessions" / f"{session}.md").mkdir()
    error = client.wire.ask("workspace/executeCommand", {"command": "agls.transcript", "arguments": []})[
        "error"
    ]
    assert "cannot be written" in error["message"]
    client.wire.answers["window/showMessageRequest"] = lambda params: None
    assert client.command("agls.run", {"input": "go", "transcript": True})["outcome"] == "started"
    client.message("The transcript cannot be shown")


def test_session_commands_take_bare_strings(serve: Serve) -> None:
    client = PlainClient(serve(turns("one"), turns("two")), "helix", "text\n")
    refused: Message = {"command": "agls.resume", "arguments": []}
    assert "agls.run makes one" in client.wire.ask("workspace/executeCommand", refused)["error"]["message"]
    first = client.command("agls.run", "find the bug")["sessionId"]
    client.message("agls: done")
    assert [row["sessionId"] for row in client.command("agls.sessions")["sessions"]] == [first]
    assert client.command("agls.sessions", "nothing of the kind")["sessions"] == []
    assert client.command("agls.setOption", "mode=plan") == {"options": {"mode": "plan"}}
    assert client.command("agls.setOption", {"optionId": "mode", "value": None}) == {"options": {}}
    bad: Message = {"command": "agls.setOption", "arguments": ["mode=none"]}
    assert client.wire.ask("workspace/executeCommand", bad)["error"]["code"] == -32602
    told = client.command("agls.transcript", first)
    assert told["shown"] is False
    assert "find the bug" in Path(told["path"]).read_text()
    item = Path(told["path"]).read_text().split("## You\n\n`")[1].split("`")[0]
    back = client.command("agls.rewind", {"toItemId": "", "dryRun": True})
    assert item in back["droppedItemIds"]
    assert client.command("agls.rewind", item)["lastItemId"] == item
    client.eventually(lambda: "The conversation went back" in Path(told["path"]).read_text())
    assert client.command("agls.resume", first)["state"] == "idle"
    client.wire.call("agent/session/delete", {"sessionId": first})
    assert not Path(told["path"]).exists()


def test_rewind_with_a_bare_id_takes_back_the_files_too(serve: Serve) -> None:
    write: Message = {"name": "write_file", "arguments": {"path": "made.txt", "content": "x\n"}}
    client = PlainClient(serve(turns("one"), turns({"calls": [write]}, "two")), "helix", "text\n")
    client.command("agls.run", "say one")
    client.message("agls: done")
    client.command("agls.setOption", "mode=acceptEdits")
    client.command("agls.run", "write it")
    made, page = client.wire.workspace / "made.txt", Path(client.command("agls.transcript")["path"])
    client.eventually(lambda: page.read_text().count("*done*") == 2)
    assert made.read_text() == "x\n"
    first = page.read_text().split("## You\n\n`")[1].split("`")[0]
    back = client.command("agls.rewind", first)
    assert [file["change"] for file in back["files"]] == ["deleted"]
    assert not made.exists()


def test_counts_are_reported_briefly() -> None:
    assert [brief(n) for n in (0, 999, 12_345, 999_499, 1_300_000)] == ["0", "999", "12k", "999k", "1.3M"]
