"""Edits at the cursor: a wish over some lines, the difference in place, and keep, undo or another wish."""

from typing import Any

import pytest

from support.wire import Message, turns

from .driver import Editor
from .scene import CODE

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
NEW = "def f2():\n    # two\n    return 2 + 0"
HERE = "require('agls.inline_edit').of(vim.fn.bufnr('code.py'))"
SHOWN = f"{HERE} and {HERE}.new"
MARKS = """
local found = { added = {}, removed = {}, said = '' }
for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(
  0, vim.api.nvim_create_namespace('agls.inline_edit'), 0, -1, { details = true })) do
  if mark[4].line_hl_group == 'AglsAdded' then table.insert(found.added, vim.fn.getline(mark[2] + 1)) end
  for _, line in ipairs(mark[4].virt_lines or {}) do
    table.insert(line[1][2] == 'AglsAdded' and found.added or found.removed, line[1][1])
  end
  for _, chunk in ipairs(mark[4].virt_text or {}) do found.said = found.said .. chunk[1] end
end
return found
"""


def edited(editor: Editor, *prompts: Message, **options: Any) -> None:
    """An editor whose user stands in the second function of a file, which has no chat."""
    (editor.workspace / "code.py").write_text(CODE)
    editor.play(*prompts)
    editor.setup(**options)
    editor.command("edit code.py")
    editor.keys("4G")
    editor.until("vim.fn.line('.') == 4")


def wish(editor: Editor, words: str) -> None:
    """Type into the box and send."""
    editor.until("vim.b.agls_wish and vim.api.nvim_get_mode().mode == 'i'")
    editor.keys(f"{words}<CR>")


def text(editor: Editor) -> str:
    """The file as it is in its buffer."""
    return "\n".join(editor.lines(editor.lua("return vim.fn.bufnr('code.py')"))) + "\n"


AFTER = CODE.replace("def f2():\n    return 2\n", f"{NEW}\n")


def test_wish_over_a_selection_shows_the_difference_in_place_and_is_kept(editor: Editor) -> None:
    edited(editor, turns(NEW))
    editor.keys("Vj:Agls edit<CR>")
    editor.shows("What should I change? (lines 4-5)")
    wish(editor, "explain two")
    editor.until(SHOWN)
    assert text(editor) == AFTER
    marks = editor.lua(MARKS)
    assert marks["added"] == ["    # two", "    return 2 + 0"]
    assert marks["removed"] == ["    return 2"]
    assert "\\k keep · \\u undo · \\e refine" in marks["said"]
    editor.shows("\\k keep · \\u undo")
    rows = editor.screen()
    place = next(number for number, row in enumerate(rows) if "    return 2 + 0" in row)
    assert rows[place - 2] == "    return 2", "what went stands above what came"
    editor.keys("\\k")
    editor.until(f"not {HERE}")
    assert editor.lua(MARKS)["added"] == []
    assert text(editor) == AFTER
    assert editor.lua("return vim.fn.maparg('<localleader>k', 'n')") == ""
    editor.keys("u")
    editor.until("vim.fn.getline(5) == '    return 2'")
    assert text(editor) == CODE, "it is one step of undo"


def test_undo_puts_back_what_stood_there(editor: Editor) -> None:
    edited(editor, turns(NEW))
    editor.command("4,5Agls edit explain two")
    editor.until(SHOWN)
    editor.keys("ggOmine = 1<Esc>")
    editor.until("vim.fn.getline(1) == 'mine = 1' and vim.api.nvim_get_mode().mode == 'n'")
    editor.keys("6G\\u")
    editor.until(f"not {HERE}")
    assert text(editor) == "mine = 1\n" + CODE
    assert editor.lua(MARKS) == {"added": {}, "removed": {}, "said": ""} or not editor.lua(MARKS)["said"]


def test_undo_of_the_editor_ends_the_edit(editor: Editor) -> None:
    edited(editor, turns(NEW))
    editor.command("4,5Agls edit explain two")
    editor.until(SHOWN)
    editor.keys("u")
    editor.until(f"not {HERE}")
    assert text(editor) == CODE


def test_refined_edit_is_another_text_for_the_same_lines(editor: Editor) -> None:
    asked = "(?s).*I wanted: explain two.*You answered.*# two.*I want something else now: shorter"
    shorter = {"pattern": asked, "turns": [{"text": "f2 = lambda: 2"}]}
    edited(editor, shorter, {"match": "", **turns(NEW)})
    editor.command("4,5Agls edit explain two")
    editor.until(SHOWN)
    editor.keys("\\e")
    editor.shows("What should be different?")
    wish(editor, "shorter")
    editor.until(f"{SHOWN} and #{HERE}.attempts == 1")
    assert text(editor) == CODE.replace("def f2():\n    return 2\n", "f2 = lambda: 2\n")
    assert editor.lua(MARKS)["removed"] == ["def f2():", "    return 2"]
    editor.command("Agls undo")
    editor.until(f"not {HERE}")
    assert text(editor) == CODE


def test_text_is_seen_while_it_comes_and_a_cancel_leaves_everything(editor: Editor) -> None:
    edited(editor, turns({"text": "def f2():\n    # begun", "hang": True}))
    editor.command("4,5Agls edit explain two")
    editor.shows("    # begun")
    assert text(editor) == CODE, "nothing is changed while it comes"
    assert "● explain two" in editor.lua(MARKS)["said"]
    editor.keys("<C-c>")
    editor.until(f"not {HERE}")
    assert text(editor) == CODE
    assert not editor.lua(MARKS)["said"]
    editor.command("Agls edit again")
    editor.shows("● again")
    editor.command("Agls stop")
    editor.until(f"not {HERE}")


def test_lines_that_the_user_changed_meanwhile_are_theirs(editor: Editor) -> None:
    edited(editor, turns({"text": NEW, "wait": 1}))
    editor.command("4,5Agls edit explain two")
    editor.keys("5Gccreturn 'mine'<Esc>")
    editor.until("vim.fn.execute('messages'):find('the lines changed while the model wrote', 1, true)")
    assert text(editor) == CODE.replace("return 2\n", "return 'mine'\n")
    assert not editor.lua(f"return {HERE} ~= nil")


def test_lines_that_moved_meanwhile_are_still_the_ones(editor: Editor) -> None:
    edited(editor, turns({"text": NEW, "wait": 1}))
    editor.command("4,5Agls edit explain two")
    editor.keys("ggOmine = 1<Esc>")
    editor.until(SHOWN)
    assert text(editor) == "mine = 1\n" + AFTER


def test_failure_of_the_model_is_said_and_nothing_changes(editor: Editor) -> None:
    edited(editor, turns(NEW))
    (editor.folder / "config.toml").write_text('[inline_edit]\nmodel = "none"\n')
    editor.command("4,5Agls edit explain two")
    editor.until("vim.fn.execute('messages'):find('no model is chosen yet', 1, true)")
    editor.until(f"not {HERE}")
    assert text(editor) == CODE


def test_line_of_the_cursor_and_a_buffer_without_a_file_are_edited(editor: Editor) -> None:
    edited(editor, {**turns("answer = 42"), "repeat": True})
    editor.command("enew")
    editor.keys("<Plug>(agls-edit)")
    wish(editor, "the answer")
    editor.until("vim.fn.getline(1) == 'answer = 42'")
    assert editor.lines() == ["answer = 42"]
    editor.keys("\\k")
    editor.until("not require('agls.inline_edit').of()")
    editor.command("Agls edit the answer")
    editor.until("vim.fn.execute('messages'):find('the model would change nothing here', 1, true)")


def test_box_that_is_closed_asks_nothing_and_an_older_wish_comes_back(editor: Editor) -> None:
    edited(editor, {**turns(NEW), "repeat": True})
    editor.command("4,5Agls edit")
    editor.until("vim.b.agls_wish and vim.api.nvim_get_mode().mode == 'i'")
    editor.keys("half a wi<Esc><Esc>")
    editor.until("vim.fn.bufname() == 'code.py' and vim.api.nvim_get_mode().mode == 'n'")
    assert not editor.lua(f"return {HERE} ~= nil")
    editor.command("4,5Agls edit")
    wish(editor, "explain two")
    editor.until(SHOWN)
    editor.keys("\\u")
    editor.until(f"not {HERE}")
    editor.command("4,5Agls edit")
    editor.until("vim.b.agls_wish and vim.api.nvim_get_mode().mode == 'i'")
    editor.keys("<Up>")
    editor.until("vim.fn.getline(1) == 'explain two'")
    editor.keys("<CR>")
    editor.until(SHOWN)


def test_empty_line_at_the_end_of_a_selection_stays(editor: Editor) -> None:
    edited(editor, turns(NEW))
    editor.command("4,6Agls edit explain two")
    editor.until(SHOWN)
    assert text(editor) == AFTER


def test_keys_of_the_users_own_stay_and_the_commands_are_named(editor: Editor) -> None:
    edited(editor, turns(NEW))
    editor.command("nnoremap <localleader>k :let g:mine = 1<CR>")
    editor.command("4,5Agls edit explain two")
    editor.until(SHOWN)
    assert ":Agls keep · \\u undo" in editor.lua(MARKS)["said"]
    editor.keys("\\k")
    editor.until("vim.g.mine == 1")
    editor.command("Agls keep")
    editor.until(f"not {HERE}")
    assert text(editor) == AFTER


def test_edit_opens_the_fold_that_hides_its_lines(editor: Editor) -> None:
    edited(editor, turns(NEW))
    editor.command("2,9fold")
    editor.command("4,5Agls edit use a comment")
    editor.until(SHOWN)
    editor.shows("    # two")


def test_text_that_the_encoding_of_the_file_cannot_hold_is_not_put_in(editor: Editor) -> None:
    edited(editor, turns("1 → 2"))
    (editor.workspace / "a.txt").write_bytes("eins\nzwölf\n".encode("latin1"))
    editor.command("edit a.txt | 1Agls edit count on")
    editor.until("vim.fn.execute('messages'):find('(latin1) lacks a character of the new text', 1, true)")
    assert editor.lines() == ["eins", "zwölf"]
    assert not editor.lua("return vim.bo.modified")


def test_buffer_that_cannot_be_edited_any_more_is_left_alone(editor: Editor) -> None:
    edited(editor, turns(NEW), turns(NEW))
    editor.command("4,5Agls edit use a comment")
    editor.command("setlocal nomodifiable")
    editor.until("vim.fn.execute('messages'):find('modifiable', 1, true)")
    editor.until(f"not {HERE}")
    assert text(editor) == CODE
    editor.command("setlocal modifiable")
    editor.command("4,5Agls edit use a comment")
    editor.until(SHOWN)
    editor.command("setlocal nomodifiable")
    editor.command("Agls undo")
    assert text(editor) == AFTER
    editor.command("setlocal modifiable")
    editor.command("Agls undo")
    assert text(editor) == CODE
