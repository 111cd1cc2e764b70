"""Plugin managers load the repository, as the README of the client says.

Neovim's own does it from a clone. Of lazy.nvim and mini.deps, which need a network, there are stand-ins here
that do what their documentation says: `cmd`, `keys`, `opts` and the module that is found of the one, a clone
in a package of optional plugins and `:packadd` of the other.
"""

import os
import subprocess
from pathlib import Path

import pytest

from support.wire import script, turns

from .conftest import installed
from .driver import ROOT, Editor
from .scene import ended, said

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]
ADDED = "vim.pack.add({ ... }, { confirm = false })"


class Packed(Editor):
    """Neovim with an empty home; `agls` of this checkout is on its PATH, the plugin nowhere yet."""

    def start(self) -> None:
        self.home = self.folder / "home"
        (self.home / ".config" / "agls").mkdir(parents=True, exist_ok=True)
        script(self.home / ".config" / "agls", turns("I am here."))
        path = f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        # The files of the user are read: the manager puts plugins there.
        self.launch(["-n", "-i", "NONE"], {"PATH": path, "LANG": "C.UTF-8", "HOME": str(self.home)})


def test_vim_pack_installs_the_plugin_and_it_is_there_after_a_restart(tmp_path: Path) -> None:
    origin = tmp_path / "agls"
    subprocess.run(["git", "clone", "-q", ROOT, origin], check=True)
    init = tmp_path / "home" / ".config" / "nvim" / "init.lua"
    init.parent.mkdir(parents=True)
    with Packed(installed("neovim", "newest"), tmp_path) as editor:
        editor.lua(ADDED, origin.as_uri())
        assert editor.lua("return vim.fn.exists(':Agls')") == 2
        assert (
            editor.home / ".local" / "share" / "nvim" / "site" / "pack" / "core" / "opt" / "agls"
        ).is_dir()

        init.write_text(
            f"local here = '{origin.as_uri()}'\nvim.pack.add({{ here }}, {{ confirm = false }})\n"
        )
        editor.quit()
        editor.start()
        editor.command("Agls run Are you there?")
        editor.until("require('agls').current()")
        ended(editor, "endTurn")
        editor.command("Agls open")
        said(editor, "I am here.")
        editor.command("help :Agls")
        assert editor.lua("return vim.fn.expand('%:t')") == "agls.txt"
        editor.command("checkhealth agls")
        editor.until("vim.bo.filetype == 'checkhealth'")
        assert "ERROR" not in "\n".join(editor.lines())


LAZY = """
local spec = { dir = ..., cmd = 'Agls', keys = { { '<F2>', '<Cmd>Agls<CR>' } }, opts = { layout = 'below' } }
local function load()
  pcall(vim.api.nvim_del_user_command, spec.cmd)
  pcall(vim.keymap.del, 'n', spec.keys[1][1])
  vim.opt.runtimepath:prepend(spec.dir)
  for _, file in ipairs(vim.fn.glob(spec.dir .. '/plugin/**/*.lua', true, true)) do vim.cmd.source(file) end
  require('agls').setup(spec.opts)
  vim.keymap.set('n', spec.keys[1][1], spec.keys[1][2])
end
vim.api.nvim_create_user_command(spec.cmd, function(event)
  load()
  local given = { cmd = spec.cmd, args = event.fargs, bang = event.bang, mods = event.smods }
  if event.range > 0 then given.range = { event.line1, event.line2 } end
  vim.cmd(given)
end, { bang = true, range = true, nargs = '*', complete = function(_, line)
  load()
  return vim.fn.getcompletion(line, 'cmdline')
end })
vim.keymap.set('n', spec.keys[1][1], function()
  load()
  vim.api.nvim_feedkeys(vim.keycode(spec.keys[1][1]), 'im', false)
end)
"""


@pytest.mark.parametrize("first", ["a command", "a key", "a completion", "a range"])
def test_lazy_loading_by_any_first_use(program: str, tmp_path: Path, first: str) -> None:
    with Packed(program, tmp_path) as editor:
        (editor.workspace / "a.py").write_text("x = 1\n")
        editor.command("edit a.py")
        editor.lua(LAZY, str(ROOT))
        assert editor.lua("return package.loaded.agls == nil")
        if first == "a completion":
            assert "sessions" in editor.call("nvim_eval", "getcompletion('Agls se', 'cmdline')")
        if first == "a range":
            editor.keys("V:Agls add<CR>")
            editor.until("package.loaded.agls")
        editor.keys("<F2>") if first == "a key" else editor.command("Agls open")
        editor.until("vim.b.agls_prompt and require('agls').current()")
        assert editor.lua("return require('agls.config').current.layout") == "below"


MINI_DEPS = """
local source, folder = ..., vim.fn.stdpath('data') .. '/site/pack/deps/opt/agls'
vim.fn.system({ 'git', 'clone', '-q', source, folder })
vim.cmd('packadd agls')
vim.cmd.helptags(folder .. '/doc')
"""


def test_clone_of_mini_deps_is_loaded_by_packadd(program: str, tmp_path: Path) -> None:
    with Packed(program, tmp_path) as editor:
        editor.lua(MINI_DEPS, str(ROOT))
        assert editor.lua("return vim.fn.exists(':Agls') == 2 and package.loaded.agls == nil")
        editor.command("Agls run Are you there?")
        editor.until("require('agls').current()")
        ended(editor, "endTurn")
        editor.command("Agls open")
        said(editor, "I am here.")
        editor.command("help agls-review")
        assert editor.lua("return vim.fn.expand('%:t')") == "agls.txt"
