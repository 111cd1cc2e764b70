"""A command after an edit sees it: Neovim saves what the agent wrote, and asks about what the user typed."""

import pytest

from support.wire import turns

from .driver import Editor
from .scene import READ, call, edit, ended, opened, prompt, said, transcript

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
LOOK = {
    "text": "I look.",
    "calls": [call("shell", command="env grep -c 22 code.py mine.txt", description="Count")],
}
STORY = turns(READ, edit("return 2\n", "return 22\n"), LOOK, "Ready.")


def without_own_changes(editor: Editor, **options: str) -> Editor:
    """The scene with the user's file saved, and another one open in which nothing was typed."""
    (editor.workspace / "mine.txt").write_text("mine\n")
    opened(editor, STORY, **options)
    editor.command("wincmd t | silent write | edit mine.txt | edit code.py | wincmd p")
    return editor


def test_command_after_an_edit_sees_it_and_the_file_is_saved(editor: Editor) -> None:
    without_own_changes(editor)
    prompt(editor, "change and look")
    ended(editor, "endTurn")
    said(editor, "code.py:1")
    assert "return 22" in (editor.workspace / "code.py").read_text()
    assert "`Count`" in transcript(editor), "what the command is for, in the agent's words"
    assert "Not saved" not in transcript(editor)


def test_nothing_is_saved_where_the_user_wants_that_and_the_row_names_the_stale_files(editor: Editor) -> None:
    without_own_changes(editor, save_before_commands="never")
    prompt(editor, "change and look")
    ended(editor, "endTurn")
    said(editor, "code.py:0")
    assert "return 22" not in (editor.workspace / "code.py").read_text()
    said(editor, "Not saved, so it saw the old text of: `code.py`")


@pytest.mark.parametrize("choice", ["Save them", "Leave them"])
def test_own_changes_are_saved_only_when_the_user_says_so(editor: Editor, choice: str) -> None:
    without_own_changes(editor)
    editor.lua("SAVES, PICKS = true, { 'Allow once', 'Allow once', ... }", choice)
    editor.command("wincmd t | edit mine.txt | call setline(1, 'mine 22') | edit code.py | wincmd p")
    prompt(editor, "change and look")
    ended(editor, "endTurn")
    asked = [question["prompt"] for question in editor.lua("return ASKED")]
    assert [one for one in asked if one.startswith("Save your own")] == ["Save your own changes: mine.txt"]
    written = (editor.workspace / "mine.txt").read_text()
    assert written == ("mine 22\n" if choice == "Save them" else "mine\n")
    said(editor, f"mine.txt:{int(choice == 'Save them')}")


def test_file_that_cannot_be_written_is_named_with_the_reason(editor: Editor) -> None:
    without_own_changes(editor)
    editor.lua(
        "vim.api.nvim_create_autocmd('BufWritePre', { pattern = 'code.py', "
        "callback = function() error('the linter says no') end })"
    )
    prompt(editor, "change and look")
    ended(editor, "endTurn")
    said(editor, "Not saved, so it saw the old text of: `code.py`")
    said(editor, "the linter says no")
