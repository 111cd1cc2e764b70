"""`agls changes`, `agls undo`, `agls rewind`: what the agent did to the files, and the way back."""

import json
from typing import Any

from doors.headless.conftest import Agls


def write(text: str) -> dict[str, Any]:
    """A turn that writes the file."""
    return {"calls": [{"name": "write_file", "arguments": {"path": "a.txt", "content": text}}]}


def edit(old: str, new: str) -> dict[str, Any]:
    """A turn that edits it."""
    read = {"name": "read_file", "arguments": {"path": "a.txt"}}
    change = {"name": "edit_file", "arguments": {"path": "a.txt", "old_text": old, "new_text": new}}
    return {"calls": [read, change]}


def worked(agls: Agls) -> str:
    """Two prompts: the file is made, then edited. Gives the session."""
    agls.prompts([write("one\n"), {"text": "Made."}], [edit("one", "two"), {"text": "Edited."}])
    made = agls.run("run", "make it", "--mode", "acceptEdits", "--output", "json").whole
    assert agls.run("resume", "edit it", "--mode", "acceptEdits").code == 0
    assert (agls.workspace / "a.txt").read_text() == "two\n"
    return made["sessionId"]


def test_changes_of_the_last_run_are_shown(agls: Agls) -> None:
    worked(agls)
    done = agls.run("changes")
    assert done.code == 0
    assert done.out.startswith("diff --git a/a.txt b/a.txt\n--- a/a.txt\n")
    assert "-one" in done.out
    assert "+two" in done.out
    whole = json.loads(agls.run("changes", "--all", "--json").out)
    assert [file["change"] for file in whole["files"]] == ["added"]


def test_undo_takes_back_files_and_conversation_prompt_by_prompt(agls: Agls) -> None:
    session = worked(agls)
    first = agls.run("undo")
    assert first.code == 0, first.err
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    assert "of the conversation removed.\n" in first.out
    assert first.out.startswith("restored: a.txt\n")
    assert agls.run("undo", session).code == 0
    assert not (agls.workspace / "a.txt").exists()
    done = agls.run("undo")
    assert (done.code, done.out) == (2, "")
    assert "nothing to undo" in done.err


def test_undo_takes_back_every_file_of_a_patch(agls: Agls) -> None:
    (agls.workspace / "a.txt").write_text("one\n")
    (agls.workspace / "b.sh").write_text("b\n")
    (agls.workspace / "b.sh").chmod(0o755)
    (agls.workspace / "c.txt").write_text("c\n")
    patch = (
        "*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+two\n*** Update File: b.sh\n*** Move to: d.sh\n"
        "*** Delete File: c.txt\n*** Add File: e.txt\n+e\n*** End Patch"
    )
    made = {"calls": [{"name": "apply_patch", "arguments": {"patch": patch}}]}
    agls.prompts([made, {"text": "Done."}])
    assert agls.run("run", "do it", "--mode", "acceptEdits").code == 0
    names = sorted(file.name for file in agls.workspace.glob("*.*"))
    assert names == ["a.txt", "d.sh", "e.txt"]
    assert (agls.workspace / "d.sh").stat().st_mode & 0o777 == 0o755
    assert agls.run("undo").code == 0
    assert sorted(file.name for file in agls.workspace.glob("*.*")) == ["a.txt", "b.sh", "c.txt"]
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    assert (agls.workspace / "b.sh").stat().st_mode & 0o777 == 0o755


def test_an_undo_is_taken_back(agls: Agls) -> None:
    worked(agls)
    gone = json.loads(agls.run("undo", "--json").out)
    back = agls.run("rewind", "--undo", gone["checkpointId"])
    assert back.code == 0, back.err
    assert (agls.workspace / "a.txt").read_text() == "two\n"


def test_a_rewind_lists_the_prompts_and_goes_to_before_one(agls: Agls) -> None:
    worked(agls)
    listed = agls.run("rewind")
    assert listed.code == 0
    first, second = [line.split()[0] for line in listed.out.splitlines()[:2]]
    would = agls.run("rewind", "--before", first, "--dry-run")
    assert (agls.workspace / "a.txt").read_text() == "two\n"
    assert "would be removed" in would.out
    assert would.out.startswith("would be removed: a.txt\n")
    files = agls.run("rewind", "--before", second, "--files")
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    assert "The conversation stays as it is." in files.out
    wrong = agls.run("rewind", "--before", "item_x")
    assert (wrong.code, wrong.out) == (2, "")
    assert "There is no prompt 'item_x'. See: agls rewind" in wrong.err


def test_without_a_session_there_is_nothing_to_undo(agls: Agls) -> None:
    for command in ("undo", "rewind", "changes"):
        done = agls.run(command)
        assert done.code == 2
        assert "There is no session of" in done.err


def test_undone_rewind_says_what_came_back_and_its_changes_wait_again(agls: Agls) -> None:
    worked(agls)
    before = agls.run("changes", "list").out
    gone = json.loads(agls.run("undo", "--json").out)
    undone, shown = agls.run("changes").out, agls.run("sessions", "show", gone["sessionId"]).out
    assert undone == ""
    assert "Made." in shown
    assert "Edited." not in shown
    back = agls.run("rewind", "--undo", gone["checkpointId"])
    assert f"{len(gone['droppedItemIds'])} messages of the conversation came back." in back.out
    assert "went" not in back.out
    assert agls.run("changes", "list").out == before
    assert agls.run("changes", "undo", "a.txt:2").code == 0
    assert (agls.workspace / "a.txt").read_text() == "one\n"


def test_undo_that_can_restore_no_file_does_nothing_and_fails(agls: Agls) -> None:
    session = worked(agls)
    (agls.workspace / "a.txt").write_text("mine\n")
    facts = json.loads(agls.run("sessions", "show", session, "--json").out)["messages"]
    done = agls.run("undo")
    assert (done.code, done.out) == (1, "")
    assert "left alone: a.txt: It was changed by you" in done.err
    (agls.workspace / "a.txt").write_text("two\n")
    assert agls.run("undo", "--files").code == 0, "nothing went the first time"
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    assert json.loads(agls.run("sessions", "show", session, "--json").out)["messages"] == facts
