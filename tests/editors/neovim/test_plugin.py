"""The repository as a plugin: any plugin manager clones it and puts its root on the runtime path."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from support.wire import script, turns

from .driver import ROOT, Editor

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]
INSTALLING = 400.0  # seconds for pip, on a machine that does much else


class Cloned(Editor):
    """Neovim with an empty home, whose plugin manager cloned the repository; no `agls` on the PATH."""

    def start(self) -> None:
        self.clone = self.folder / "data" / "agls"
        if not self.clone.exists():
            self.clone.parent.mkdir(parents=True)
            subprocess.run(["git", "clone", "-q", ROOT, self.clone], check=True)
        folder = self.folder / "home" / ".config" / "agls"
        folder.mkdir(parents=True, exist_ok=True)
        script(folder, turns("I am here."))
        path = os.pathsep.join(
            place for place in os.environ["PATH"].split(os.pathsep) if not Path(place, "agls").exists()
        )
        environment = {"PATH": path, "LANG": "C.UTF-8", "HOME": str(self.folder / "home")}
        environment |= {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        arguments = ["--clean", "-n", "-i", "NONE", "--cmd", f"set runtimepath^={self.clone}"]
        self.launch(arguments, environment)


@pytest.fixture
def cloned(program: str, tmp_path: Path) -> Cloned:
    """A clone of what is committed."""
    return Cloned(program, tmp_path)


def test_root_of_a_clone_is_a_plugin_and_says_how_to_get_the_server(cloned: Cloned) -> None:
    with cloned as editor:
        assert editor.lua("return vim.fn.exists(':Agls')") == 2
        editor.lua("require('agls').setup({ layout = 'left' })")
        editor.command(f"helptags {editor.clone}/doc")
        editor.command("help :Agls")
        assert editor.lua("return vim.fn.expand('%:t')") == "agls.txt"
        editor.command("Agls")
        editor.until("vim.fn.execute('messages'):find('`:Agls install` sets it up', 1, true)")


def test_install_sets_the_server_up_while_the_user_works_on(cloned: Cloned) -> None:
    with cloned as editor:
        editor.command("Agls install")
        editor.keys("ihello<Esc>")
        editor.until("vim.fn.getline(1) == 'hello'")
        editor.until("vim.fn.execute('messages'):find('the server is set up', 1, true)", patience=INSTALLING)
        editor.command("Agls run Are you there?")
        editor.until("require('agls').current() and vim.tbl_count(require('agls').current().store.runs) == 1")
        assert (editor.clone / ".venv" / "bin" / "agls").exists()
        runs = editor.lua("return require('agls').current().store.runs")
        assert [run["stopReason"] for run in runs.values()] == ["endTurn"]


def test_install_that_fails_says_why(cloned: Cloned) -> None:
    with cloned as editor:
        (editor.clone / "requirements" / "runtime.txt").write_text("no such line\n")
        shutil.rmtree(editor.clone / ".venv", ignore_errors=True)
        editor.command("Agls install")
        editor.until("vim.fn.execute('messages'):find('the server was not set up', 1, true)")
