"""Where the user looks: the model hears the file and the lines with the next prompt."""

import re
from collections.abc import Iterator

import pytest

from support.model_server import ModelServer, Reply

from .driver import Editor
from .scene import ended, opened, prompt, restarted, use_server

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([Reply(f"Answer {number}.") for number in range(6)]) as server:
        yield server


def heard(server: ModelServer) -> list[str]:
    """What the model was told of it so far, one after the other."""
    told = [str(message["content"]) for message in server.posts[-1].body["messages"]]
    return [found for content in told for found in re.findall(r"The user looks at: (.*)", content)]


def test_model_gets_the_focus_of_the_user(editor: Editor, server: ModelServer) -> None:
    use_server(editor, server)
    opened(editor)
    prompt(editor, "what is here?")
    ended(editor, "endTurn")
    assert heard(server) == ["code.py (the cursor in line 1, lines 1-33 visible)"], (
        "who writes a prompt came from there"
    )
    editor.command("wincmd t")
    editor.keys("10GVjj")
    editor.until("vim.fn.line('.') == 12")
    editor.lua("require('agls').run('and this?', { hidden = true })")  # at once: it has not settled yet
    ended(editor, "endTurn", 2)
    assert heard(server)[1:] == ["code.py (lines 10-12 selected, lines 1-33 visible)"]
    editor.keys("<Esc>:edit other.py<CR>")
    editor.until("vim.fn.expand('%:t') == 'other.py'")
    restarted(editor, lambda: editor.command("Agls restart"))
    editor.lua("require('agls').run('and there?')")
    ended(editor, "endTurn", 3)
    assert heard(server)[2:] == ["other.py (the cursor in line 1, line 1 visible)"], (
        "another server was told, too"
    )
    editor.command("edit ../elsewhere.py")
    editor.lua("require('agls').run('and outside?')")
    ended(editor, "endTurn", 4)
    assert heard(server)[3:] == ["none any more"], "what is no file of the folder is not told to the model"


def test_focus_is_sent_when_it_settles(editor: Editor, server: ModelServer) -> None:
    use_server(editor, server)
    opened(editor)
    editor.lua(
        "TOLD = {} local to = vim.tbl_values(require('agls.client').all)[1] local notify = to.notify "
        "to.notify = function(self, method, params) table.insert(TOLD, params) "
        "return notify(self, method, params) end"
    )
    editor.command("wincmd t")
    editor.keys("5Gjjj0")
    editor.until("#TOLD > 0 and TOLD[#TOLD].selection.start.line == 7")
    assert editor.lua("return #TOLD") < 6, "not with every move"
    editor.keys("v2l")
    editor.until(
        "vim.deep_equal(TOLD[#TOLD].selection, { start = { line = 7, character = 0 }, "
        "['end'] = { line = 7, character = 3 } })"
    )
    editor.keys("<Esc>:Agls open<CR>")
    prompt(editor, "what is selected?")
    ended(editor, "endTurn")
    assert heard(server) == ["code.py (the cursor in line 8, lines 1-33 visible)"]
    assert all(told["uri"].endswith("/code.py") for told in editor.lua("return TOLD"))
