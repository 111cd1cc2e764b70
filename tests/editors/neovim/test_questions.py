"""Questions of the agent: through the user's picker, through Neovim's own, while the user types."""

import pytest

from support.patience import wait_until
from support.wire import turns

from .driver import Editor
from .scene import at_the_picker, call, code, edit, ended, opened, prompt, said, transcript, watch_pickers

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
COMMAND = {"text": "I run.", "calls": [call("shell", command="echo one; echo two")]}


def test_no_with_a_reason_reaches_the_model(editor: Editor) -> None:
    opened(editor, turns(COMMAND, "A pity."), picks=("Reject, and say why",))
    editor.lua("vim.ui.input = function(options, done) INPUT = options.prompt; done('not on a Friday') end")
    prompt(editor, "run it")
    ended(editor, "endTurn")
    said(editor, "A pity.")
    assert "not on a Friday" in transcript(editor)
    assert "Why not?" in editor.lua("return INPUT")
    assert any("✗ rejected" in row for row in editor.screen())


def test_a_command_is_changed_before_it_runs(editor: Editor) -> None:
    opened(editor, turns(COMMAND, "Ready."), picks=("Change the command",))
    prompt(editor, "run it")
    editor.until("vim.bo.filetype == 'sh' and vim.api.nvim_get_mode().mode == 'n'")
    assert editor.lines() == ["echo one; echo two"]
    editor.keys("ccecho th<Esc>aree<CR>echo four<Esc><CR>")
    ended(editor, "endTurn")
    said(editor, "Ready.")
    said(editor, "three\nfour\n")
    output = editor.lua(
        "local store = require('agls').current().store "
        "for id, item in pairs(store.items) do if item.kind == 'toolCall' then return item.output end end"
    )
    assert "three\nfour" in output
    assert "two" not in output


def test_who_thinks_better_of_a_changed_command_is_asked_again(editor: Editor) -> None:
    opened(editor, turns(COMMAND, "A pity."), picks=("Change the command", "Reject"))
    prompt(editor, "run it")
    editor.until("vim.bo.filetype == 'sh' and vim.api.nvim_get_mode().mode == 'n'")
    editor.keys("ccrm everything<Esc>q")
    ended(editor, "endTurn")
    assert len(editor.lua("return ASKED")) == 2
    assert any("✗ rejected" in row for row in editor.screen())


def test_the_buffer_of_a_changed_command_goes_with_its_run(editor: Editor) -> None:
    opened(editor, turns(COMMAND, "Ready."), picks=("Change the command",))
    prompt(editor, "run it")
    editor.until("vim.bo.filetype == 'sh'")
    editor.command("Agls stop")
    ended(editor, "cancelled")
    editor.until("vim.bo.filetype ~= 'sh' and #require('agls.questions').waiting == 0")
    assert len(editor.lua("return ASKED")) == 1


def test_the_whole_command_is_shown_before_it_is_allowed(editor: Editor) -> None:
    opened(editor, turns(COMMAND, "Ready."), picks=("Later",))
    prompt(editor, "run it")
    editor.until("#ASKED == 1")
    lines = editor.lua("return require('agls.preview').lines(require('agls.questions').waiting[1].params)")
    assert "echo one; echo two" in lines
    assert f"in {editor.workspace}" in lines
    editor.until(
        "not vim.iter(vim.api.nvim_list_wins()):any(function(w) "
        "return vim.api.nvim_win_get_config(w).relative ~= '' end)"
    )
    said(editor, "echo one")
    assert any("waits for you" in row for row in editor.screen())
    editor.lua("PICKS = { 'Allow once' }")
    editor.command("Agls answer")
    ended(editor, "endTurn")


def test_neovims_own_picker_answers(editor: Editor) -> None:
    editor.lua("OWN = vim.ui.select")
    opened(editor, turns(COMMAND, "Ready."))
    watch_pickers(editor)
    prompt(editor, "run it")
    at_the_picker(editor, 1)
    editor.keys("1<CR>")
    ended(editor, "endTurn")
    said(editor, "Ready.")


def test_a_question_does_not_take_the_keys_of_who_types(editor: Editor) -> None:
    opened(editor, turns(edit("return 2\n", "return 22\n"), "Ready."))
    editor.command("wincmd t")
    editor.keys("<Esc>Go# I type")
    editor.until("vim.api.nvim_get_mode().mode == 'i'")
    editor.lua("require('agls').run('change it')")
    editor.until("#require('agls.questions').waiting == 1")
    editor.keys(" on and on")
    editor.until("vim.fn.getline('$') == '# I type on and on'")
    assert editor.lua("return #ASKED") == 0
    editor.keys("<Esc>")
    editor.until("#ASKED == 1")
    ended(editor, "endTurn")
    assert "# I type on and on" in code(editor)


def test_a_form_is_filled_in(editor: Editor) -> None:
    asks = {"text": "I ask.", "calls": [call("ask_user", question="Which colour?", choices=["red", "blue"])]}
    opened(editor, turns(asks, "Ready."), picks=("blue",))
    prompt(editor, "paint it")
    ended(editor, "endTurn")
    said(editor, "The user answered: blue")
    asked = editor.lua("return ASKED")
    assert asked[0]["prompt"] == "Which colour?"
    assert asked[0]["items"][:2] == ["red", "blue"]


def test_a_question_goes_with_its_run(editor: Editor) -> None:
    opened(editor, turns(COMMAND, "Ready."))
    editor.lua("vim.ui.select = function(_, _, done) ANSWER = done end")
    prompt(editor, "run it")
    editor.until("ANSWER")
    editor.command("Agls stop")
    ended(editor, "cancelled")
    editor.until("#require('agls.questions').waiting == 0")
    editor.lua("ANSWER(nil, nil)")  # too late, and nobody minds
    said(editor, "> Cancelled.")


def test_a_helper_asks_and_its_call_says_what_it_does(editor: Editor) -> None:
    hands = {"text": "I delegate.", "calls": [call("delegate", tasks=[{"prompt": "Look."}])]}
    parent, child = turns(hands, "Ready."), turns(COMMAND, "Looked.")
    opened(editor, {"match": "delegate", **parent}, {"match": "Look", **child}, picks=("Later",))
    prompt(editor, "delegate it")
    editor.until("#ASKED == 1")
    assert editor.lua("return ASKED[1].prompt").startswith("helper: ")
    editor.until("vim.tbl_count(require('agls').current().store.helpers) == 1")
    wait_until(lambda: any("● helper: shell" in row for row in editor.screen()))
    editor.lua("PICKS = { 'Allow once' }")
    editor.command("Agls answer")
    ended(editor, "endTurn")
    said(editor, "Ready.")
    said(editor, "**Helper task-1**")
    assert editor.lua("return #require('agls.questions').waiting") == 0
