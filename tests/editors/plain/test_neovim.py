"""Neovim without our plugin, with the lines of docs/any-editor.md: an edit, and its undoing."""

from pathlib import Path

import pytest

from editors.neovim.conftest import VERSIONS, installed
from editors.neovim.driver import Editor
from support.wire import turns

from .conftest import CODE, EDIT, READ, recipe

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]
# A user who says yes, and takes the action that undoes.
PICKS = """
ASKED = {}
vim.ui.select = function(items, options, chosen)
  local say = options.format_item or tostring
  table.insert(ASKED, options.prompt)
  for number, item in ipairs(items) do
    if say(item):find('Allow once', 1, true) or say(item):find('Undo this change', 1, true) then
      return chosen(item, number)
    end
  end
  chosen(nil, nil)
end
"""


@pytest.mark.parametrize("version", VERSIONS)
def test_a_task_a_question_an_edit_and_its_undoing(version: str, tmp_path: Path) -> None:
    with Editor(installed("neovim", version), tmp_path) as editor:
        editor.play(turns(READ, EDIT, "All done."))
        (editor.workspace / "code.py").write_text(CODE)
        own = tmp_path / "bin"
        own.mkdir()
        (own / "agls").symlink_to(Path(__file__).parents[3] / ".venv" / "bin" / "agls")
        editor.lua(f"vim.env.PATH = '{own}:' .. vim.env.PATH")
        editor.lua(PICKS)
        editor.command("edit code.py")
        lines = recipe("Neovim (0.10 and later)")
        editor.lua(lines.replace("client:request", "client.request") if version == "0.10" else lines)
        editor.until("#vim.lsp.get_clients({ name = 'agls' }) > 0")
        editor.command("Agls make line 5 larger")
        editor.until("vim.fn.getline(5) == 'line_5 = 55'")
        assert "+line_5 = 55" in editor.lua("return ASKED[1]")
        editor.until("vim.fn.execute('messages'):find('agls: done', 1, true)")
        editor.command("5")
        editor.lua("vim.lsp.buf.code_action()")
        editor.until("vim.fn.getline(5) == 'line_5 = 5'")
        assert "deprecated" not in editor.call("nvim_exec2", "messages", {"output": True})["output"]
