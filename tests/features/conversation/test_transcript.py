"""Going back by a command takes the files along when that is said, and can be undone."""

import json
import re
from pathlib import Path

import pytest

from doors.headless.conftest import Agls
from support.wire import Wire, script, turns

pytestmark = [pytest.mark.row(82), pytest.mark.timeout(150)]


def test_rewind_with_files_brings_the_files_back(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    call = {"name": "write_file", "arguments": {"path": "new.txt", "content": "one\n"}}
    agls.script({"text": "Writing.", "calls": [call]}, {"text": "Done."})
    done = agls.run("run", "--mode", "acceptEdits", "--output", "json", "write")
    assert (agls.workspace / "new.txt").exists()
    session = done.whole["sessionId"]
    back = agls.run("resume", session, "/rewind files=yes")
    assert "Rewound to before: write\n\n1 file went back as well." in back.out
    assert not (agls.workspace / "new.txt").exists()
    assert agls.run("resume", session, "/rewind").err == "agls: There is no prompt to rewind to.\n"


def test_undo_takes_files_and_conversation_back_to_before_the_last_prompt(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    call = {"name": "write_file", "arguments": {"path": "new.txt", "content": "one\n"}}
    agls.script({"text": "Writing.", "calls": [call]}, {"text": "Done."})
    agls.run("run", "--mode", "acceptEdits", "write")
    assert "Rewound to before: write\n\n1 file went back as well." in agls.run("-c", "/undo").out
    assert not (agls.workspace / "new.txt").exists()
    assert agls.run("-c", "/undo").err == "agls: There is no prompt to rewind to.\n"


def test_prompt_right_behind_a_summary_is_undone_with_its_files(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    call = {"name": "write_file", "arguments": {"path": "new.txt", "content": "one\n"}}
    writing = [{"text": "Writing.", "calls": [call]}, {"text": "Done."}]
    agls.prompts([{"text": "Long words. " * 3000}], writing, [{"text": "Summary."}])
    agls.run("run", "one")
    agls.run("-c", "write", "--mode", "acceptEdits")
    agls.run("-c", "/compact")
    assert "Rewound to before: write\n\n1 file went back as well." in agls.run("-c", "/undo").out
    assert not (agls.workspace / "new.txt").exists()


def test_answer_that_was_undone_is_copied_no_more(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    agls.prompts([{"text": "The first."}], [{"text": "The second."}])
    agls.run("run", "one")
    agls.run("-c", "two")
    assert agls.run("-c", "/copy").out == "The second.\n"
    shown = agls.run("-c", "/undo").out
    assert "Rewound to before: two\n\nNo file was changed since then." in shown
    assert agls.run("-c", "/copy").out == "The first.\n"
    agls.run("-c", re.findall(r"`(.*?)`", shown.splitlines()[-1])[0])
    assert agls.run("-c", "/copy").out == "The second.\n"
    agls.run("-c", "/compact")
    assert agls.run("-c", "/copy").out == "The second.\n"


def test_archived_sessions_are_offered_only_by_their_id(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    agls.prompts([{"text": "The first."}], [{"text": "The second."}])
    old = agls.run("run", "one", "--output", "json").whole["sessionId"]
    kept = agls.run("run", "two", "--output", "json").whole["sessionId"]
    agls.run("run", "three")
    agls.run("sessions", "archive", old)
    listed = agls.run("-c", "/resume").out
    assert (kept in listed, old in listed) == (True, False)
    assert old in agls.run("-c", f"/resume {old}").out


def test_file_that_somebody_changed_since_is_left_alone_and_named(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    call = {"name": "write_file", "arguments": {"path": "new.txt", "content": "one\n"}}
    agls.script({"text": "Writing.", "calls": [call]}, {"text": "Done."})
    agls.run("run", "--mode", "acceptEdits", "write")
    (agls.workspace / "new.txt").write_text("mine\n")
    shown = agls.run("-c", "/undo").out
    assert "0 files went back as well.\n\n- left alone: new.txt: It was changed by you" in shown
    assert (agls.workspace / "new.txt").read_text() == "mine\n"


@pytest.mark.parametrize("with_files", [True, False])
def test_rewind_is_undone_by_the_commands_that_it_shows(tmp_path: Path, *, with_files: bool) -> None:
    agls = Agls(tmp_path)
    call = {"name": "write_file", "arguments": {"path": "new.txt", "content": "one\n"}}
    agls.script({"text": "Writing.", "calls": [call]}, {"text": "Done."})
    agls.run("run", "--mode", "acceptEdits", "write")
    for in_session in (True, False):
        shown = agls.run("-c", "/rewind files=yes" if with_files else "/rewind").out
        assert (agls.workspace / "new.txt").exists() is not with_files
        typed, command = re.findall(r"`(.*?)`", shown.splitlines()[-1])
        done = agls.run("-c", typed) if in_session else agls.run(*command.split()[1:])
        assert (done.code, done.err) == (0, "")
        assert (agls.workspace / "new.txt").exists()
        assert "write" in agls.run("rewind").out
    refused = agls.run("-c", "/rewind undo=rewind_none")
    assert (refused.code, "rewind_none" in refused.err) == (1, True)


def test_chosen_effort_and_mode_hold_for_the_next_run(tmp_path: Path) -> None:
    call = {"name": "write_file", "arguments": {"path": "new.txt", "content": "one\n"}}
    played = {"turns": [{"text": "Writing.", "calls": [call]}, {"text": "I made a plan."}]}
    with Wire(tmp_path, script(tmp_path, played)) as wire:
        wire.initialize()
        session = wire.session()
        asked = {"sessionId": session, "expand": True, "wait": True}
        wire.call("agent/run", {**asked, "input": "/mode plan"})
        wire.call("agent/run", {**asked, "input": "write"})
        assert "plan mode: only reading is possible now" in json.dumps(wire.events)
        assert not (wire.workspace / "new.txt").exists()


def test_cleared_session_shows_the_model_nothing_of_before(tmp_path: Path) -> None:
    with Wire(tmp_path, script(tmp_path, turns("Hello."), turns("Again."))) as wire:
        wire.initialize()
        session = wire.session()
        asked = {"sessionId": session, "expand": True, "wait": True}
        wire.call("agent/run", {**asked, "input": "Say hello."})
        before = wire.call("agent/action/invoke", {"sessionId": session, "name": "context", "input": {}})
        wire.call("agent/run", {**asked, "input": "/clear"})
        after = wire.call("agent/action/invoke", {"sessionId": session, "name": "context", "input": {}})
        assert before["data"]["byKind"]["user"] > 0
        assert after["data"]["byKind"].get("user", 0) == 0
