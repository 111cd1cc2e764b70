"""Commands of the agent in Neovim: their whole output, and going on without waiting for them."""

import pytest

from support.wire import turns

from .driver import Editor
from .scene import call, ended, opened, prompt, said

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
LONG = turns({"calls": [call("shell", command="seq 1 40000")]}, "Counted.")
WAITING = turns({"calls": [call("shell", command="touch begun; sleep 300")]}, "I went on.")


@pytest.mark.row(42)
def test_whole_output_of_a_command_is_shown_as_text(editor: Editor) -> None:
    """The chat has its head and its tail."""
    opened(editor, LONG)
    prompt(editor, "count")
    ended(editor, "endTurn")
    editor.command("Agls output")
    editor.until("vim.fn.search('^40000$', 'n') > 0")
    lines = editor.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)")
    first = lines.index("1")
    assert lines[first : first + 40_000] == [str(number) for number in range(1, 40_001)]
    assert editor.lua("return vim.bo.modifiable") is False
    editor.keys("q")
    editor.until("vim.fn.search('^40000$', 'n') == 0")
    prompts = "function(win) return vim.b[vim.fn.winbufnr(win)].agls_prompt end"
    heights = f"vim.iter(vim.api.nvim_list_wins()):filter({prompts}):map(vim.api.nvim_win_get_height)"
    editor.until(f"{heights}:next() == 5")  # with its bar, as before


def test_running_command_is_moved_to_the_background(editor: Editor) -> None:
    opened(editor, WAITING)
    editor.command("Agls background")
    editor.until("vim.fn.execute('messages'):find('no command is running')")
    prompt(editor, "wait")
    editor.until("vim.uv.fs_stat('begun') ~= nil")
    editor.command("Agls background")
    editor.until("vim.fn.execute('messages'):find('goes on in the background')")
    ended(editor, "endTurn")
    said(editor, "I went on.")
