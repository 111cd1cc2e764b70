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
