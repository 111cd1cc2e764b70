"""What users have around the chat: other windows, files and commands of Neovim, and the mouse."""

from pathlib import Path

import pytest

from support.wire import turns

from .driver import Editor
from .scene import CHAT, TWO_EDITS, call, ended, opened, prompt, said
from .test_first_look import late_server

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]


def drafted(editor: Editor, text: str) -> None:
    """Write something into the prompt and go back to the file."""
    editor.until("vim.b.agls_prompt")
    editor.keys(f"<Esc>cc{text}<Esc><C-w>t")
    editor.until("vim.fn.expand('%:t') == 'code.py' and vim.api.nvim_get_mode().mode == 'n'")


def test_write_of_all_files_does_not_send_what_stands_in_the_prompt(editor: Editor) -> None:
    opened(editor, turns("Hello."))
    drafted(editor, "not yet")
    editor.command("wall")
    assert (editor.workspace / "code.py").read_text().startswith("mine = 1")
    editor.command("Agls open")
    editor.until("vim.fn.getline(1) == 'not yet'")
    editor.keys("<Esc>:w<CR>")
    ended(editor, "endTurn")
    said(editor, "not yet")
    assert editor.lua("return vim.fn.getline(1)") == ""


def test_neovim_is_left_by_a_write_of_all_with_a_draft_in_the_prompt(editor: Editor) -> None:
    opened(editor, turns("Hello."))
    drafted(editor, "not yet")
    with pytest.raises(OSError):
        editor.command("wqall")
    assert editor.rpc
    editor.rpc.close()
    editor.rpc = None  # it has ended
    assert (editor.workspace / "code.py").read_text().startswith("mine = 1")


def test_chat_that_was_closed_while_the_server_started_stays_closed(editor: Editor) -> None:
    editor.play(turns("Hello."))
    gate = late_server(editor)
    editor.command("Agls open")
    editor.until("vim.api.nvim_get_mode().mode == 'i'")
    editor.keys("hello<Esc>:Agls close<CR>")
    editor.until("#vim.api.nvim_list_wins() == 1")
    Path(gate).touch()
    editor.until("require('agls').current()")
    assert editor.lua("return #vim.api.nvim_list_wins()") == 1
    editor.command("Agls open")
    assert editor.lua("return vim.fn.getline(1)") == "hello"
    assert editor.lua("return vim.tbl_count(require('agls.session').all)") == 1


# Remembers of every answer to `agent/diagnostics` after an edit whether Neovim waited for it.
WAITS = """
WAITED = {}
local handlers = require('agls').client().handlers
local answer = handlers['agent/diagnostics']
handlers['agent/diagnostics'] = function(...)
  local _, params = ...
  local has_waited = false
  vim.schedule(function() has_waited = true end)
  local answered = answer(...)
  if params.waitMs then table.insert(WAITED, has_waited) end
  return answered
end
"""


@pytest.mark.parametrize("linter", [False, True])
def test_edit_waits_for_diagnostics_only_where_something_makes_them(editor: Editor, linter: bool) -> None:
    opened(editor, TWO_EDITS, options={"mode": "acceptEdits"})
    editor.lua(WAITS)
    if linter:
        editor.lua(
            "vim.diagnostic.set(vim.api.nvim_create_namespace('a linter'), vim.fn.bufnr('code.py'), {})"
        )
    prompt(editor, "edit it")
    ended(editor, "endTurn")
    assert editor.lua("return WAITED") == [linter, linter]


def clicked_twice(editor: Editor, text: str) -> None:
    """The user double-clicks a text in the right half of the screen."""
    editor.shows(text)
    row = next(number for number, line in enumerate(editor.screen()) if text in line)
    column = editor.screen()[row].index(text)  # a cell has one character here
    for action in ("press", "release") * 2:
        editor.call("nvim_input_mouse", "left", action, "", 0, row, column + 1)


@pytest.mark.parametrize("named", ["`code.py:5`", "[it](code.py#L5)", "[it](./code.py#L5)"])
def test_file_that_the_chat_names_is_shown_beside_it_at_its_line(editor: Editor, named: str) -> None:
    opened(editor, turns(f"It is in {named}."))
    prompt(editor, "where?")
    ended(editor, "endTurn")
    editor.command("set mouse=a mousetime=60000")
    clicked_twice(editor, "code.py:5" if ":" in named else "it.")
    editor.until("vim.fn.expand('%:t') == 'code.py' and vim.fn.line('.') == 5")
    assert editor.lua("return #vim.api.nvim_list_wins()") == 3
    editor.keys("gg")
    editor.lua(f"vim.fn.win_gotoid(vim.fn.bufwinid({CHAT}))")
    editor.lua("vim.fn.search('## agls')")
    editor.keys("gf")  # on no name
    editor.until("vim.fn.execute('messages'):find('the cursor is on no name of a file', 1, true)")
    editor.lua("vim.fn.search('code.py')")
    editor.keys("gf")
    editor.until("vim.fn.expand('%:t') == 'code.py' and vim.fn.line('.') == 5")


def test_answer_that_is_double_clicked_is_taken(editor: Editor) -> None:
    run = {"text": "I run.", "calls": [call("shell", command="touch made")]}
    opened(editor, turns(run, "Done."), picks=("nothing",))
    prompt(editor, "make it")
    editor.command("set mouse=a mousetime=60000")
    editor.shows("1  Allow once")
    editor.lua("vim.wait(1000, function() return false end)")  # they read it
    clicked_twice(editor, "1  Allow once")
    ended(editor, "endTurn")
    assert (editor.workspace / "made").exists()


def test_chat_that_was_scrolled_up_follows_a_prompt_that_is_sent(editor: Editor) -> None:
    opened(editor, turns("\n\n".join(f"line {number}" for number in range(60))), turns("The second."))
    prompt(editor, "tell me")
    ended(editor, "endTurn")
    editor.command("wincmd k")
    editor.keys("gg")
    editor.shows("tell me")
    editor.command("wincmd j")
    prompt(editor, "and then?")
    ended(editor, "endTurn", 2)
    editor.shows("The second.")


def test_chat_is_there_at_once_when_a_session_is_resumed(editor: Editor) -> None:
    opened(editor, turns("Hello."), turns("Again."))
    prompt(editor, "hello")
    ended(editor, "endTurn")
    editor.command("wincmd t | write")
    editor.quit()
    editor.start()
    gate = late_server(editor)
    editor.command("Agls resume")
    assert editor.lua("return vim.b.agls_prompt")
    prompt(editor, "are you there?")
    editor.shows("is sent when agls has started")
    Path(gate).touch()
    said(editor, "Again.")
    said(editor, "Hello.")
    assert editor.lua("return vim.tbl_count(require('agls.session').all)") == 1
