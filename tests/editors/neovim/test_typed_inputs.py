"""What somebody types means the same in Neovim as in every other door: `tests/doors/typed_inputs.toml`."""

from collections.abc import Iterator
from typing import Any

import pytest

from doors.test_typed_inputs import NO_PAGES, TABLE, Meaning, plant, prompt_of
from support.wire import turns

from .conftest import VERSIONS, installed
from .driver import Editor
from .scene import USER

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]


@pytest.fixture(scope="module", params=VERSIONS)
def neovim(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    """One Neovim for all texts, with its chat open; it remembers the commands that were done."""
    with Editor(installed("neovim", request.param), tmp_path_factory.mktemp("typed")) as editor:
        plant(editor.workspace, editor.folder)
        editor.play(*[turns("Done.")] * len(TABLE["case"]))
        config = editor.folder / "config.toml"
        config.write_text(config.read_text() + NO_PAGES)
        editor.setup()
        editor.lua(
            "local session = require('agls.session') local shown = session.on_command "
            "session.on_command = function(command) DONE = command shown(command) end"
        )
        yield editor


def meaning(editor: Editor, text: str) -> Meaning:
    """Type a text into the prompt of a new session, and see what became of it."""
    before = editor.lua("local of = require('agls').current() return of and of.id or ''")
    editor.lua("DONE = nil vim.cmd('messages clear')")
    editor.command("Agls open new")
    editor.until("require('agls').current() and require('agls').current().id ~= ...", before)
    editor.until("vim.b.agls_prompt and vim.fn.mode() == 'i'")
    editor.call("nvim_paste", text, False, -1)
    editor.keys("<C-e><C-s>")
    ended = "next(require('agls').current().store.runs)"
    editor.until(f"DONE or {ended} or vim.fn.execute('messages'):find('agls: ')")
    if done := editor.lua("return DONE"):
        assert not editor.lua(f"return {USER}"), "a command is no message"
        assert editor.lua("return vim.tbl_isempty(require('agls').current().store.runs)")
        return {"command": done["name"], "input": done["input"] or {}}
    if editor.lua(f"return {ended}"):
        return prompt_of(editor.lua(f"return {USER}"), editor.workspace)
    editor.until("vim.api.nvim_buf_get_lines(0, 0, -1, false)[1] ~= ''")
    assert editor.lines() == [text.strip()], "what was typed is not lost"
    return {"refused": editor.call("nvim_exec2", "messages", {"output": True})["output"].replace("\n", " ")}


@pytest.mark.parametrize("case", TABLE["case"], ids=lambda case: case["text"])
def test_typed_text_means_the_same_in_neovim(case: dict[str, Any], neovim: Editor) -> None:
    found = meaning(neovim, case["text"])
    if "refused" in case:
        assert case["refused"][:40] in found["refused"]
    elif "command" in case:
        assert found == {"command": case["command"], "input": case["input"]}
    else:
        assert found == {"prompt": case.get("prompt", case["text"]), "pieces": case.get("pieces", [])}
