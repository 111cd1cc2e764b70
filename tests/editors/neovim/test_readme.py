"""The README of the client, followed by a new user: its commands are what is run, in an empty profile."""

import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.wire import script, turns

from .driver import CLIENT, ROOT, Editor
from .scene import at_the_picker, ended, gone, said, waiting, watch_pickers

pytestmark = [pytest.mark.editors, pytest.mark.timeout(600)]
PRICES = "def total(prices):\n    return sum(prices)\n\n\n\n\ndef count(prices):\n    return 0\n"
DONE = PRICES.replace("return 0", "return len(prices)")
WORD = "Both are repaired."


def blocks(language: str) -> list[str]:
    """What the README has fenced in this language."""
    text = (CLIENT / "README.md").read_text()
    found = re.findall(rf"^( *)```{language}\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL)
    return [re.sub(rf"^{indent}", "", code, flags=re.MULTILINE) for indent, code in found]


def first_minutes() -> list[str]:
    """What the table of the README says to type, row by row; none is left out."""
    table = (CLIENT / "README.md").read_text().partition("## The first three minutes")[2]
    rows = [line.split(" | ")[0] for line in table.splitlines() if line.startswith("| ") and "`" in line]
    return ["".join(re.findall(r"`([^`]+)`", row.partition("(")[0])) for row in rows]


class Newcomer(Editor):
    """Plain `nvim` with an empty home, as the shell of the README starts it: no XDG_*, no option."""

    model: dict[str, str]

    def start(self) -> None:
        programs = self.folder / "bin"
        programs.mkdir(exist_ok=True)
        nvim = programs / "nvim"
        nvim.write_text(f'#!/bin/sh\nexec {self.program} "$@"\n')
        nvim.chmod(0o755)
        self.home = self.folder / "home"
        self.home.mkdir(exist_ok=True)
        path = f"{programs}:{os.environ['PATH']}"
        environment = {"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8", **self.model}
        (install,) = blocks("sh")
        shell = ["bash", "-euc", f'{install}\nprintf %s "$PATH" >"$HOME/path"']
        done = subprocess.run(shell, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        self.launch(["prices.py"], environment | {"PATH": (self.home / "path").read_text()})


@contextmanager
def scripted(home: Path) -> Generator[dict[str, str]]:
    """The scripted model, as the user's own configuration file names it."""
    folder = home / ".config" / "agls"
    folder.mkdir(parents=True)
    script(folder, turns(*(turn(*made) for made in STORY)), turns({"text": "I begin", "hang": True}))
    yield {}


@contextmanager
def local_server(home: Path) -> Generator[dict[str, str]]:
    """An OpenAI-compatible server in a process of its own."""
    home.mkdir(exist_ok=True)
    replies = [turn(*made) for made in STORY] + [{"text": "I begin", "cut_after": 2, "then": "hang"}]
    replies[-1]["text"] = "I begin" + " and go on" * 20
    (home / "replies.json").write_text(json.dumps({"replies": replies}))
    command = [sys.executable, "-m", "support.model_server", "--script", str(home / "replies.json")]
    with subprocess.Popen(command, cwd=ROOT / "tests", stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        try:
            url = server.stdout.readline().strip()
            yield {"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "none", "OPENAI_MODEL": "test-model"}
        finally:
            server.kill()


def edit(old: str, new: str) -> list[dict[str, Any]]:
    return [{"name": "edit_file", "arguments": {"path": "prices.py", "old_text": old, "new_text": new}}]


STORY: list[tuple[str, list[dict[str, Any]]]] = [
    ("I read.", [{"name": "read_file", "arguments": {"path": "prices.py"}}]),
    ("The sum is rounded.", edit("return sum(prices)", "return round(sum(prices), 2)")),
    ("The count is counted.", edit("return 0", "return len(prices)")),
    (WORD, []),
]


def turn(text: str, calls: list[dict[str, Any]]) -> dict[str, Any]:
    return {"text": text, "calls": calls} if calls else {"text": text}


@pytest.mark.parametrize("model", [scripted, local_server])
def test_the_first_three_minutes_of_a_new_user(program: str, tmp_path: Path, model: Any) -> None:
    user = Newcomer(program, tmp_path)
    (user.workspace / "prices.py").write_text(PRICES)
    with model(tmp_path / "home") as user.model, user:
        follow(user, *first_minutes())


def follow(user: Newcomer, *typed: str) -> None:
    """Do what the README says; a question is answered by a key in the prompt."""
    begin, send, answer, find, keep, put_back, stop, resume, rewind = (as_typed(keys) for keys in typed)
    user.keys(f"{begin}<CR>")
    user.until("vim.b.agls_prompt and vim.api.nvim_get_mode().mode == 'i'")
    user.keys(f"Repair it.{send}")
    for count in (1, 2):
        store = "require('agls').current().store"
        user.until(f"require('agls.question_window').is_open() and #{store}.order > ...", 2 * count)
        asked = user.lua("return require('agls.questions').waiting[1].params.requestId")
        time.sleep(0.5)  # they read it
        user.keys(answer)
        user.until(f"not {store}.requests[...]", asked)
    ended(user, "endTurn")
    said(user, WORD)
    waiting(user, 2)
    user.keys(find)
    user.until("vim.fn.getline('.') == '    return round(sum(prices), 2)'")
    user.keys(put_back)
    waiting(user, 1)
    user.keys(find)
    user.until("vim.fn.getline('.') == '    return len(prices)'")
    user.keys(keep)
    waiting(user, 0)
    assert "\n".join(user.lines()) + "\n" == DONE
    user.keys(":w<CR>")
    user.until("not vim.bo.modified")
    assert (user.workspace / "prices.py").read_text() == DONE
    and_the_next_day(user, begin, send, stop, resume, rewind)


def and_the_next_day(user: Newcomer, begin: str, send: str, stop: str, resume: str, rewind: str) -> None:
    """A run is cancelled, Neovim is left and started again, and the conversation is rewound."""
    user.keys(f"{begin}<CR>")
    user.until("vim.b.agls_prompt and vim.api.nvim_get_mode().mode == 'i'")
    user.keys(f"And the rest?{send}")
    user.until("require('agls').current().store.state == 'running'")
    user.keys(f"{stop}<CR>")
    ended(user, "cancelled", 2)
    user.quit()
    user.start()
    watch_pickers(user)
    user.keys(f"{resume}<CR>")
    user.until("require('agls').current()")
    said(user, WORD)
    user.keys(f"<Esc>{rewind}<CR>")
    for count in (1, 2, 3):  # which prompt, what, and that it is meant: the newest, both, yes
        at_the_picker(user, count)
        user.keys("1<CR>")
    user.until("vim.fn.execute('messages'):find('went back')")
    gone(user, "And the rest?")
    user.keys(":help agls<CR>")
    user.until("vim.bo.buftype == 'help' and vim.fn.expand('%:t') == 'agls.txt'")
    user.keys(":checkhealth agls<CR>")
    user.until("vim.bo.filetype == 'checkhealth' and vim.fn.search('the model is') > 0")
    assert "ERROR" not in "\n".join(user.lines())


def as_typed(keys: str) -> str:
    """Keys as a user has them who has set nothing."""
    return keys.replace("<localleader>", "\\")


def test_lua_of_the_readme_has_no_side_effects(program: str, tmp_path: Path) -> None:
    (configuration,) = blocks("lua")
    folder = tmp_path / "home" / ".config" / "nvim"
    folder.mkdir(parents=True)
    (folder / "init.lua").write_text(configuration)
    user = Newcomer(program, tmp_path)
    (user.workspace / "prices.py").write_text(PRICES)
    user.model = {}
    with user:
        assert user.lua("return vim.deep_equal(require('agls.config').current.options, {})")
        assert user.lua("return vim.fn.exists(':Agls')") == 2
        commented = re.sub(r"-- (\w+ =)", r"\1", configuration)
        user.lua(commented)
        assert user.lua("return require('agls.config').current.options.mode") == "acceptEdits"
