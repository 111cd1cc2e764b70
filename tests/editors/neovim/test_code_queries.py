"""What the language servers of a real Neovim know reaches the model: real pyright, attached as users do."""

import pytest

from support.code_samples import plant, server_of
from support.wire import Message, turns

from .driver import Editor
from .scene import ended, opened, prompt

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
ATTACH = """
vim.bo.filetype = 'python'
vim.lsp.start({ name = 'pyright', cmd = ..., root_dir = vim.fn.getcwd() })
"""
READY = (
    "#vim.tbl_filter(function(c) return c.initialized end, vim.lsp.get_clients({ name = 'pyright' })) == 1"
)
OUTPUTS = (
    "vim.iter(require('agls').current().store.order):map(function(id) "
    "local item = require('agls').current().store.items[id] "
    "return item.kind == 'toolCall' and item.output or nil end):totable()"
)


def code(operation: str, **arguments: object) -> Message:
    return {"calls": [{"name": "code_intelligence", "arguments": {"operation": operation, **arguments}}]}


@pytest.mark.row(41)
def test_questions_about_code_are_answered_by_the_servers_that_neovim_runs(editor: Editor) -> None:
    """A file that is not open is known to the server, too; a renaming changes what is open in its buffer."""
    pyright = server_of("python")
    plant(editor.workspace, "python")
    editor.play(
        turns(
            code("definition", path="main.py", symbol="total"),
            code("references", path="shop.py", symbol="total", line=11),
            code("hover", path="shop.py", symbol="total"),
            code("workspace_symbols", symbol="Priced"),
            code("incoming_calls", path="shop.py", symbol="total"),
            {
                "calls": [
                    {
                        "name": "rename_symbol",
                        "arguments": {"path": "shop.py", "symbol": "total", "new_name": "summed"},
                    }
                ]
            },
            "Done.",
        )
    )
    opened(editor)
    editor.command("wincmd t")
    editor.command("edit main.py")
    editor.lua(ATTACH, [pyright, "--stdio"])
    editor.until(READY)
    editor.command("Agls open")
    prompt(editor, "look")
    ended(editor, "endTurn")
    by = "[From the editor's language servers.]"
    defined, used, hovered, symbols, called, renamed = editor.lua(f"return {OUTPUTS}")
    assert defined == f"shop.py\n11:def total(items: list[int]) -> int:\n{by}"
    assert "main.py\n1:from shop import Shop, total\n3:print(total([3]), Shop().price())" in used
    assert used.endswith(by)
    assert hovered.startswith("```python\n(function) def total(items: list[int]) -> int")
    assert hovered.endswith(f"Add them up.\n{by}")
    assert symbols == f"shop.py\n1: class Priced\n{by}"
    assert "shop.py\n8:        return total([1, 2])  (in price)" in called
    assert renamed.startswith("Renamed total to summed in 4 places:")
    assert "summed" in "\n".join(editor.lines(editor.lua("return vim.fn.bufnr('main.py')")))
    assert "summed" in (editor.workspace / "shop.py").read_text()
