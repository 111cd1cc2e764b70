"""The plan in the chat, and runs that a command began and the user stops."""

import subprocess

import pytest

from support.wire import turns

from .driver import Editor
from .scene import HANGING, call, ended, opened, prompt, said, transcript

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]


@pytest.mark.row(65)
def test_plan_in_the_chat_has_what_the_model_and_the_user_wrote(editor: Editor) -> None:
    first = call("plan", entries=[{"text": "Write it"}, {"text": "Test it", "after": [1]}])
    second = call("plan", entries=[{"id": 1, "state": "done"}])
    played = (
        turns({"text": "I plan.", "calls": [first]}, "Planned."),
        turns({"calls": [second]}, "Written."),
    )
    opened(editor, *played)
    prompt(editor, "plan it")
    ended(editor, "endTurn")
    said(editor, "- [ ] 2. Test it (after 1)")
    prompt(editor, "/plan add Ask Ada after=2")
    said(editor, "- [ ] 3. Ask Ada (after 2)")
    editor.until("vim.api.nvim_win_get_config(0).relative ~= ''")
    editor.keys("q")  # what came of it
    prompt(editor, "do it")
    ended(editor, "endTurn", runs=2)
    said(editor, "Written.")
    last = transcript(editor).rpartition("Plan: ")[2]
    assert last.startswith("1 of 3 done")
    entries = ["- [x] 1. Write it", "- [ ] 2. Test it", "- [ ] 3. Ask Ada (after 2)"]
    assert [line for line in last.splitlines() if line.startswith("- [")] == entries
    editor.shows("1. Write it")


@pytest.mark.parametrize("command", ["/slow", "/review"])
def test_run_of_a_command_is_stopped(editor: Editor, command: str) -> None:
    commands = editor.workspace / ".agls" / "commands"
    commands.mkdir(parents=True)
    (commands / "slow.md").write_text("Think about code.py for long.\n")
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "begin"]):
        who = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        subprocess.run(["git", *who, *words], cwd=editor.workspace, check=True)
    opened(editor, {"turns": [HANGING]}, trusted=True)
    prompt(editor, command)
    said(editor, "I begin")
    assert command in transcript(editor)
    editor.command("Agls stop")
    ended(editor, "cancelled")
    said(editor, "Stopped.")
