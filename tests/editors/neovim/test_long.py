"""A session that no answer has room for."""

import pytest

from support.planting import plant

from .driver import Editor

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]


def test_session_longer_than_an_answer_is_shown_whole(editor: Editor) -> None:
    plant(editor.folder / "state", editor.workspace, 4, 40, 30_000)  # 5 MB
    editor.play({"turns": [{"text": "Hi"}]})
    editor.setup()
    editor.command("Agls resume")
    editor.until("require('agls').current() and #require('agls').current().store.order == 328")
    known = "local s = require('agls').current().store; return "
    assert editor.lua(f"{known} {{ s.order[1], s.order[328], s.older == nil }}") == [
        "item_run_0",
        "item_run_3_end",
        True,
    ]
    assert editor.lua(f"{known} vim.tbl_count(s.runs)") == 4


def test_paragraph_without_end_is_not_highlighted(editor: Editor) -> None:
    """What Neovim takes to highlight a paragraph of Markdown grows with the square of its lines."""
    lines = "\n".join(f"line {number} of the answer, **bold** and `code`" for number in range(10_000))
    editor.play({"turns": [{"text": "A **short** one."}]}, {"turns": [{"text": lines}]})
    editor.setup()
    chat = "next(require('agls.chat').all)"
    highlighted = f"vim.treesitter.highlighter.active[{chat}] ~= nil"
    text = f"table.concat(vim.api.nvim_buf_get_lines({chat}, 0, -1, false), '\\n')"
    editor.command("Agls ask hello")
    editor.until(f"{chat} and {text}:find('short', 1, true) ~= nil")
    assert editor.lua(f"return {highlighted}")
    editor.until("require('agls').current().store.state == 'idle'")
    editor.command("Agls ask again")
    editor.until(f"{text}:find('line 9999 of the answer', 1, true) ~= nil")
    assert not editor.lua(f"return {highlighted}")
