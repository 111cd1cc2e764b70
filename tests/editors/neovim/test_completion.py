"""Completion in the prompt: what the server says can stand behind `@` and `/`, while one types."""

import pytest

from support.wire import turns

from .driver import Editor
from .scene import opened

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
WORDS = "vim.tbl_map(function(item) return item.word end, vim.fn.complete_info({ 'items' }).items)"


@pytest.fixture
def prompting(editor: Editor) -> Editor:
    """An editor with the cursor in an empty prompt; it counts what the server is asked."""
    (editor.workspace / "sources").mkdir()
    (editor.workspace / "sources" / "people.py").write_text("")
    opened(editor, turns("One."))
    editor.lua(
        "ASKED = {} local at = require('agls').current().client local request = at.request "
        "at.request = function(self, method, ...) "
        "if method == 'agent/complete' then table.insert(ASKED, (...).text) end "
        "return request(self, method, ...) end"
    )
    return editor


def offered(editor: Editor, word: str) -> None:
    """Wait until the list at the cursor has this."""
    editor.until(f"vim.fn.pumvisible() == 1 and vim.list_contains({WORDS}, ...)", word)


def test_words_are_completed_where_they_stand(prompting: Editor) -> None:
    prompting.keys("ccgrüße 😀 @peo")
    offered(prompting, "@sources/people.py")
    prompting.keys("<C-n><C-y>")
    prompting.until("vim.fn.getline(1) == 'grüße 😀 @sources/people.py' and vim.fn.pumvisible() == 0")
    prompting.keys("<Esc>ccone<CR>see @coXe.py now<Esc>FXs<BS>o")
    offered(prompting, "@code.py")
    prompting.keys("<C-n><C-y>")
    prompting.until("vim.fn.getline(2) == 'see @code.py now'")


def test_folder_is_gone_into_and_a_command_has_its_members(prompting: Editor) -> None:
    prompting.keys("cc@sou")
    offered(prompting, "@sources/")
    prompting.keys("<C-n><C-y>")
    offered(prompting, "@sources/people.py")
    prompting.keys("<Esc>cc/changes sco")
    offered(prompting, "scope=")
    prompting.keys("<C-n><C-y>")
    offered(prompting, "session")
    prompting.keys("<Esc>")
    prompting.until("vim.fn.pumvisible() == 0")
    prompting.keys("A<C-x><C-o>")
    offered(prompting, "session")


def test_server_is_asked_when_no_key_follows_and_not_for_plain_words(prompting: Editor) -> None:
    prompting.keys("ccplain words")
    prompting.until("vim.fn.getline(1) == 'plain words'")
    for key in "see @code":
        prompting.keys(key)
    offered(prompting, "@code.py")
    asked = prompting.lua("return ASKED")
    assert asked[-1].endswith("@code")
    assert all("@" in text for text in asked)
    prompting.keys("<Esc>cc@cod")
    offered(prompting, "@code.py")
    prompting.keys("<C-n><C-y>")
    prompting.until("vim.fn.getline(1) == '@code.py' and vim.fn.pumvisible() == 0")
    count = prompting.lua("return #ASKED")
    prompting.keys("<Esc>A, please")
    prompting.until("vim.fn.getline(1) == '@code.py, please'")
    assert prompting.lua("return vim.fn.pumvisible()") == 0
    assert prompting.lua("return #ASKED") <= count + len(", please")
