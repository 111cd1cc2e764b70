"""Files and buffers: the user's text is never lost, and the agent's is judged change by change."""

import pytest

from support.wire import turns

from .driver import Editor
from .scene import CODE, READ, TWO_EDITS, call, code, edit, ended, opened, prompt, said, transcript, waiting

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
BOTH = "mine = 1\n" + CODE.replace("return 2\n", "return 22\n").replace("return 9\n", "return 99\n")


def test_every_edit_is_one_step_of_undo(editor: Editor) -> None:
    opened(editor, TWO_EDITS)
    prompt(editor, "change two")
    ended(editor, "endTurn")
    assert code(editor) == BOTH
    editor.command("wincmd t")
    editor.keys("u")
    editor.until("vim.fn.getline(27) == '    return 9'")
    assert code(editor) == BOTH.replace("99", "9")
    editor.keys("u")
    editor.until("vim.fn.getline(6) == '    return 2'")
    assert code(editor) == "mine = 1\n" + CODE, "what the user typed is a step of its own"
    editor.keys("<C-r><C-r>")
    editor.until("vim.fn.getline(27) == '    return 99'")


def test_a_command_changes_a_file_that_is_open(editor: Editor) -> None:
    opened(
        editor,
        turns(
            {"text": "I run.", "calls": [call("shell", command="echo new > other.txt; echo x > code.py")]},
            "Ok.",
        ),
    )
    (editor.workspace / "other.txt").write_text("old\n")
    editor.command("wincmd t")
    editor.command("split other.txt")
    editor.lua("require('agls').run('run it')")
    ended(editor, "endTurn")
    editor.until("vim.fn.getbufline('other.txt', 1)[1] == 'new'")
    assert code(editor) == "mine = 1\n" + CODE, "it has changes of the user: it stays"


def test_change_in_the_first_line_shows_what_stood_there_and_which_keys_keep_and_undo_it(
    editor: Editor,
) -> None:
    opened(editor, turns(READ, edit("mine = 1\n", "new = 1\n"), "Done."))
    prompt(editor, "begin anew")
    ended(editor, "endTurn")
    waiting(editor, 1)
    editor.command("wincmd t")
    for keys in ("gg", "Ggg"):  # it is seen again by who comes back
        editor.keys(keys)
        editor.shows("mine = 1")
        editor.shows("new = 1   \\k keep · \\u undo")
    editor.keys("\\u")
    waiting(editor, 0)
    editor.until("vim.fn.getline(1) == 'mine = 1'")
    assert not any("keep ·" in row for row in editor.screen())


def test_the_user_types_while_the_agent_edits(editor: Editor) -> None:
    opened(editor, turns(*TWO_EDITS["turns"][:2], {**TWO_EDITS["turns"][2], "wait": 1.5}, "Ready."))
    prompt(editor, "change two")
    waiting(editor, 1)
    editor.command("wincmd t")
    editor.keys("Go# typed<Esc>")
    editor.until("vim.fn.getline('$') == '# typed'")
    ended(editor, "endTurn")
    assert "# typed\n" in code(editor)
    assert "return 22\n" in code(editor)


def test_allowed_edit_whose_lines_changed_meanwhile_failed_and_was_not_rejected(editor: Editor) -> None:
    opened(editor, turns(READ, edit("return 2\n", "return 22\n"), "Ready."), picks=("nothing",))
    prompt(editor, "change it")
    editor.until("require('agls.question_window').is_open()")
    editor.lua("vim.api.nvim_buf_set_lines(vim.fn.bufnr('code.py'), 5, 6, false, { '    return 7' })")
    editor.command("Agls answer 1")
    ended(editor, "endTurn")
    editor.shows("edit_file code.py  ✗ failed")
    assert "    return 7\n" in code(editor)


def test_changes_are_listed_shown_and_judged_together(editor: Editor) -> None:
    opened(editor, TWO_EDITS)
    prompt(editor, "change two")
    ended(editor, "endTurn")
    waiting(editor, 2)
    editor.shows("2 to review")
    assert editor.lua("return require('agls').status().changes") == 2
    editor.command("Agls review")
    listed = editor.lua("return vim.fn.getqflist({ title = 1, items = 1 })")
    assert listed["title"] == "changes of agls"
    assert [(item["lnum"], item["text"]) for item in listed["items"]] == [
        (6, "+1 -1  return 22"),
        (27, "+1 -1  return 99"),
    ]
    editor.command("cclose")
    editor.command("wincmd t")
    editor.command("Agls review diff")
    assert editor.lua("return { vim.wo.diff, vim.fn.winnr('$'), vim.fn.tabpagenr() }") == [True, 2, 2]
    above = "#vim.iter(vim.api.nvim_buf_get_extmarks(0, require('agls.changes').namespace, 0, -1, "
    above += "{ details = true })):filter(function(m) return m[4].virt_lines end):totable()"
    assert editor.lua(f"return {above}") == 0, "what stood there is seen beside it"
    before = editor.lua("return vim.api.nvim_buf_get_lines(vim.fn.winbufnr(1), 0, -1, false)")
    assert "\n".join(before) + "\n" == "mine = 1\n" + CODE
    editor.command("tabclose")
    editor.until(f"{above} == 2")
    editor.command("Agls undo all")
    waiting(editor, 0)
    assert not any("to review" in row for row in editor.screen())
    assert code(editor) == "mine = 1\n" + CODE
    assert editor.lua("return vim.fn.maparg(']h', 'n')") == "", "the keys go with the changes"


def test_changes_are_walked_with_keys_of_ones_own_and_judged_by_range(editor: Editor) -> None:
    opened(editor, TWO_EDITS, keys=False)
    for key, does in {"n": "next-change", "p": "previous-change", "r": "undo"}.items():
        editor.command(f"nmap <Leader>{key} <Plug>(agls-{does})")
    editor.command("call setbufline(bufnr(), 1, 'change two') | write")  # :w sends, where no key does
    ended(editor, "endTurn")
    waiting(editor, 2)
    editor.command("wincmd t")
    assert editor.lua("return vim.fn.maparg(']h', 'n') .. vim.fn.maparg('\\\\k', 'n')") == "", "none is taken"
    editor.keys("gg\\n")
    editor.until("vim.fn.getline('.') == '    return 22'")
    editor.keys("\\n")
    editor.until("vim.fn.getline('.') == '    return 99'")
    editor.keys("\\p")
    editor.until("vim.fn.getline('.') == '    return 22'")
    editor.command("20,$Agls keep")
    waiting(editor, 1)
    editor.keys("\\r")
    waiting(editor, 0)
    assert code(editor) == "mine = 1\n" + CODE.replace("return 9\n", "return 99\n")


def test_undo_of_an_undone_change_marks_the_change_again_and_redo_takes_the_mark_away(editor: Editor) -> None:
    opened(editor, TWO_EDITS)
    prompt(editor, "change two")
    ended(editor, "endTurn")
    waiting(editor, 2)
    editor.command("wincmd t")
    editor.command("Agls undo all")
    waiting(editor, 0)
    marks = "#vim.api.nvim_buf_get_extmarks(0, require('agls.changes').namespace, 0, -1, {})"
    editor.keys("u")
    waiting(editor, 1)
    editor.until(f"{marks} == 1")
    editor.keys("u")
    waiting(editor, 2)
    editor.until(f"{marks} == 2")
    assert code(editor) == BOTH
    editor.keys("<C-r>")
    waiting(editor, 1)
    editor.until(f"{marks} == 1")
    editor.keys("u")
    waiting(editor, 2)
    editor.command("Agls keep all")
    waiting(editor, 0)
    editor.keys("<C-r>")
    editor.keys("u")
    editor.until(f"{marks} == 0")
    assert code(editor) == BOTH


def test_marks_follow_the_editors_own_undo_and_a_file_that_is_read_again(editor: Editor) -> None:
    opened(editor, TWO_EDITS)
    editor.command("wincmd t | silent write | Agls open")
    editor.keys("<Esc>")
    prompt(editor, "change two")
    ended(editor, "endTurn")
    waiting(editor, 2)
    editor.command("wincmd t")
    marks = "#vim.api.nvim_buf_get_extmarks(0, require('agls.changes').namespace, 0, -1, {})"
    for keys, count in (("u", 1), ("u", 0), ("<C-r><C-r>", 2), (":edit!<CR>", 0), ("u", 2)):
        editor.keys(keys)
        waiting(editor, count)
        editor.until(f"{marks} == ...", count)


def test_next_change_opens_the_fold_that_hides_it(editor: Editor) -> None:
    opened(editor, TWO_EDITS)
    prompt(editor, "change two")
    ended(editor, "endTurn")
    waiting(editor, 2)
    editor.command("wincmd t | 2,20fold")
    editor.keys("gg]h")
    editor.until("vim.fn.line('.') == 6 and vim.fn.foldclosed('.') == -1")


def test_edit_that_the_encoding_of_the_file_cannot_hold_is_refused(editor: Editor) -> None:
    (editor.workspace / "a.txt").write_bytes("eins\nzwölf\n".encode("latin1"))
    read = {"text": "I read.", "calls": [call("read_file", path="a.txt")]}

    def changed(old: str, new: str) -> dict[str, object]:
        return {"text": "I edit.", "calls": [call("edit_file", path="a.txt", old_text=old, new_text=new)]}

    opened(editor, turns(read, changed("eins", "1 → 2"), changed("zwölf", "zwölf ½"), "Ready."))
    editor.command("wincmd t | edit a.txt | Agls open")
    editor.keys("<Esc>")
    prompt(editor, "change it")
    ended(editor, "endTurn")
    said(editor, "the encoding of the file (latin1) lacks a character of the new text")
    editor.command("wincmd t | write")
    assert (editor.workspace / "a.txt").read_bytes() == "eins\nzwölf ½\n".encode("latin1")


def test_file_without_a_final_newline_gets_no_empty_line(editor: Editor) -> None:
    (editor.workspace / "a.txt").write_text("one\ntwo\nthree")
    read = {"text": "I read.", "calls": [call("read_file", path="a.txt")]}
    made = {"text": "I edit.", "calls": [call("edit_file", path="a.txt", old_text="three", new_text="3")]}
    more = {"text": "I edit.", "calls": [call("edit_file", path="a.txt", old_text="3", new_text="3\n4")]}
    opened(editor, turns(read, made, "Ready."), turns(read, more, "Ready."))
    editor.command("wincmd t | edit a.txt | Agls open")
    for run, text in enumerate(("one\ntwo\n3\n", "one\ntwo\n3\n4\n"), start=1):
        editor.keys("<Esc>")
        prompt(editor, "change it")
        ended(editor, "endTurn", runs=run)
        waiting(editor, run)
        editor.command("wincmd t | write")
        assert (editor.workspace / "a.txt").read_text() == text
        editor.command("Agls open")


def test_change_of_a_file_without_a_final_newline_is_undone_after_it_was_saved(editor: Editor) -> None:
    (editor.workspace / "a.txt").write_text("one\ntwo\nthree")
    read = {"text": "I read.", "calls": [call("read_file", path="a.txt")]}
    made = {"text": "I edit.", "calls": [call("edit_file", path="a.txt", old_text="three", new_text="3")]}
    opened(editor, turns(read, made, "Ready."))
    editor.command("wincmd t | edit a.txt | Agls open")
    editor.keys("<Esc>")
    prompt(editor, "change it")
    ended(editor, "endTurn")
    waiting(editor, 1)
    editor.command("wincmd t | write")
    assert (editor.workspace / "a.txt").read_text() == "one\ntwo\n3\n"
    editor.command("Agls undo all")
    waiting(editor, 0)
    editor.command("write")
    assert (editor.workspace / "a.txt").read_text() == "one\ntwo\nthree\n"


def test_saved_file_without_a_final_newline_is_not_newer_on_the_disk(editor: Editor) -> None:
    (editor.workspace / "a.txt").write_text("one\ntwo")
    read = {"text": "I read.", "calls": [call("read_file", path="a.txt")]}
    opened(editor, turns(read, "Ready."), turns(read, "Ready again."))
    editor.command("wincmd t | edit a.txt | Agls open")
    editor.keys("<Esc>")
    prompt(editor, "read it")
    ended(editor, "endTurn")
    editor.command("wincmd t")
    editor.keys("ggcwuno<Esc>")
    editor.until("vim.fn.getline(1) == 'uno' and vim.api.nvim_get_mode().mode == 'n'")
    editor.command("write | Agls open")
    assert (editor.workspace / "a.txt").read_text() == "uno\ntwo\n"
    editor.keys("<Esc>")
    prompt(editor, "read it again")
    ended(editor, "endTurn", runs=2)
    said(editor, "Ready again.")
    said(editor, "1\tuno")
    assert "newer than" not in transcript(editor)
    assert "not saved" not in transcript(editor)


def test_lines_of_a_file_with_windows_line_ends_are_shown_without_them(editor: Editor) -> None:
    (editor.workspace / "dos.txt").write_bytes(b"one\r\ntwo\r\nthree\r\n")
    changed = {
        "text": "I edit.",
        "calls": [call("edit_file", path="dos.txt", old_text="two", new_text="2\n2")],
    }
    read = {"text": "I read.", "calls": [call("read_file", path="dos.txt")]}
    opened(editor, turns(read, changed, "Ready."))
    editor.command("wincmd t | edit dos.txt | Agls open")
    editor.keys("<Esc>")
    prompt(editor, "change it")
    ended(editor, "endTurn")
    waiting(editor, 1)
    editor.command("wincmd t")
    editor.shows("two")
    assert "^M" not in "\n".join(editor.screen())
    editor.command("Agls review diff")
    assert editor.lua("return vim.fn.getbufline(vim.fn.winbufnr(1), 1, '$')") == ["one", "two", "three"]
    editor.command("tabclose | write")
    assert (editor.workspace / "dos.txt").read_bytes() == b"one\r\n2\r\n2\r\nthree\r\n"
    editor.command("Agls undo all")
    waiting(editor, 0)
    editor.command("write")
    assert (editor.workspace / "dos.txt").read_bytes() == b"one\r\ntwo\r\nthree\r\n"


def test_a_change_in_a_file_that_is_not_open_is_put_back(editor: Editor) -> None:
    made = {"text": "I write.", "calls": [call("edit_file", path="b.txt", old_text="two", new_text="2")]}
    read = {"text": "I read.", "calls": [call("read_file", path="b.txt")]}
    (editor.workspace / "b.txt").write_text("one\ntwo\nthree\n")
    opened(editor, turns(read, made, "Ready."))
    prompt(editor, "change it")
    ended(editor, "endTurn")
    assert (editor.workspace / "b.txt").read_text() == "one\n2\nthree\n"
    waiting(editor, 1)
    editor.command("Agls undo all")
    waiting(editor, 0)
    editor.until("table.concat(vim.fn.readfile('b.txt'), ' ') == 'one two three'")


def test_a_rewind_brings_files_back(editor: Editor) -> None:
    opened(
        editor,
        turns({"text": "I write.", "calls": [call("write_file", path="new.txt", content="made\n")]}, "Ok."),
    )
    prompt(editor, "make it")
    ended(editor, "endTurn")
    said(editor, "new file")
    assert (editor.workspace / "new.txt").exists()
    editor.lua("PICKS = { 'make it', 'conversation and files', 'Go back' }")
    editor.command("Agls rewind")
    editor.until("#require('agls').current().store.order == 0")
    editor.until("vim.fn.filereadable('new.txt') == 0")
    editor.until("vim.fn.execute('messages'):find('went back')")
    editor.command("Agls rewind undo")
    editor.until("vim.fn.filereadable('new.txt') == 1")
    said(editor, "make it")


def test_an_edit_of_a_read_only_buffer_is_refused(editor: Editor) -> None:
    opened(editor, turns(TWO_EDITS["turns"][0], edit("return 2\n", "return 22\n"), "A pity."))
    editor.command("call setbufvar('code.py', '&modifiable', 0)")
    prompt(editor, "change it")
    ended(editor, "endTurn")
    said(editor, "read-only")
    assert code(editor) == "mine = 1\n" + CODE
