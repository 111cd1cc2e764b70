"""The whole way in one go, as a user goes it: in Neovim 0.10 and in the newest."""

import pytest

from support.wire import turns

from .driver import Editor
from .scene import (
    CODE,
    HANGING,
    PICKER,
    TWO_EDITS,
    code,
    ended,
    leave_and_come_back,
    opened,
    prompt,
    said,
    transcript,
    waiting,
)

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
ONE = "mine = 1\n" + CODE.replace("return 9\n", "return 99\n")
BOTH = ONE.replace("return 2\n", "return 22\n")


def test_the_journey(editor: Editor) -> None:
    opened(editor, TWO_EDITS, turns(HANGING))
    a_run_that_edits_the_buffer(editor)
    one_change_is_undone_and_one_kept(editor)
    a_run_that_is_cancelled(editor)
    before = transcript(editor)
    editor.command("wincmd t")
    editor.command("write")
    leave_and_come_back(editor)
    said(editor, "I begin")
    assert transcript(editor).rstrip() == before.rstrip()
    waiting(editor, 0)
    everything_is_rewound(editor)


def a_run_that_edits_the_buffer(editor: Editor) -> None:
    prompt(editor, "change two returns")
    ended(editor, "endTurn")
    asked = editor.lua("return ASKED")
    assert [one["prompt"] for one in asked] == ["Edit code.py"] * 2
    assert asked[0]["items"][1].startswith("Allow all edits in this session")
    assert code(editor) == BOTH
    assert (editor.workspace / "code.py").read_text() == CODE, "saving is the user's"
    waiting(editor, 2)


def one_change_is_undone_and_one_kept(editor: Editor) -> None:
    editor.command("wincmd t")
    editor.keys("gg]h")
    editor.until("vim.fn.getline('.') == '    return 22'")
    editor.keys("\\u")
    waiting(editor, 1)
    assert code(editor) == ONE
    editor.keys("]h")
    editor.until("vim.fn.getline('.') == '    return 99'")
    editor.keys("\\k")
    waiting(editor, 0)
    assert code(editor) == ONE


def a_run_that_is_cancelled(editor: Editor) -> None:
    editor.command("Agls open")
    prompt(editor, "hang")
    said(editor, "I begin")
    editor.command("Agls stop")
    ended(editor, "cancelled", 2)
    said(editor, "> Stopped.")


def everything_is_rewound(editor: Editor) -> None:
    editor.lua(PICKER, ["change two returns", "conversation and files", "Go back"])
    editor.command("Agls rewind")
    editor.until("#require('agls').current().store.order == 0")
    editor.until("#vim.api.nvim_buf_get_lines(next(require('agls.chat').all), 0, -1, false) == 1")
    asked = editor.lua("return ASKED")
    assert "code.py stays as it is" in asked[2]["prompt"], "the user has changed it since"
    assert code(editor) == ONE
    editor.until("vim.fn.execute('messages'):find('went back')")
