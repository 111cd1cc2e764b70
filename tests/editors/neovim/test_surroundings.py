"""What users have around the chat: other windows, files and commands of Neovim, and the mouse."""

from pathlib import Path

import pytest

from support.wire import turns

from .driver import Editor
from .scene import TWO_EDITS, ended, opened, prompt, said
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
