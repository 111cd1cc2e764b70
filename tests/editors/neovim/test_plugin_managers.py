"""Neovim's own plugin manager installs the repository from a clone, as the README of the client says."""

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
