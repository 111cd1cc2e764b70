"""What goes with a prompt: chips in the prompt, which can be dropped, and images."""

import base64
import json
from pathlib import Path

import pytest

from support.model_server import ModelServer, Reply
from support.wire import turns

from .driver import Editor
from .scene import USER, ended, opened, prompt, restarted, said, use_server

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
)
LABELS = "vim.tbl_map(function(c) return c.label end, require('agls.chips').of(require('agls').current().id))"


def content(server: ModelServer) -> str:
    """What the model was sent last."""
    return json.dumps(server.posts[-1].body["messages"][-1], ensure_ascii=False)


def test_what_is_attached_is_seen_dropped_and_sent(editor: Editor) -> None:
    with ModelServer([Reply("Seen.")]) as server:
        use_server(editor, server)
        opened(editor)
        (editor.workspace / "shot.png").write_bytes(PIXEL)
        editor.command("wincmd t")
        editor.lua(
            "vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0, "
            "{ { lnum = 2, col = 0, message = 'canary of the linter' } })"
        )
        editor.command("2,3Agls add")
        editor.command("Agls add diagnostics")
        editor.command("Agls add shot.png")
        editor.command("Agls add")
        assert editor.lua(f"return {LABELS}") == [
            "code.py L2-L3",
            "code.py diagnostics",
            "shot.png",
            "code.py",
        ]
        editor.shows(" code.py L2-L3   code.py diagnostics ")
        assert "code.py diagnostics" in editor.lua("return vim.fn.getcompletion('Agls drop ', 'cmdline')")
        editor.command("Agls drop code.py L2-L3")
        assert not any("L2-L3" in row for row in editor.screen())
        assert editor.lua("return vim.bo.buftype") == "", "the user stays in their file"
        editor.command("Agls open")
        prompt(editor, "what is wrong?")
        ended(editor, "endTurn")
        sent = content(server)
        assert "canary of the linter" in sent
        assert base64.b64encode(PIXEL).decode() in sent
        assert "code.py" in sent
        assert "L2-L3" not in sent
        assert editor.lua(f"return {LABELS}") == [], "they went with the prompt"
        said(editor, "code.py diagnostics")


def test_lines_of_a_terminal_and_of_a_buffer_without_a_file_go_with_a_question(editor: Editor) -> None:
    with ModelServer([Reply("Seen."), Reply("Seen again.")]) as server:
        use_server(editor, server)
        opened(editor)
        editor.command("wincmd t")
        editor.lua("vim.cmd.terminal('echo canary of the terminal')")
        editor.until("vim.fn.search('canary of the terminal', 'nw') > 0")
        editor.command("1Agls ask what is that?")
        ended(editor, "endTurn")
        assert "canary of the terminal" in content(server)
        said(editor, "agls:terminal#L1-L1")
        editor.command("wincmd t | enew!")
        editor.lua("vim.api.nvim_buf_set_lines(0, 0, -1, false, { 'one', 'canary without a file' })")
        editor.command("2Agls add")
        editor.until(f"vim.deep_equal({LABELS}, {{ 'unnamed L2-L2' }})")
        editor.command("Agls open")
        prompt(editor, "and that?")
        ended(editor, "endTurn", runs=2)
        assert "canary without a file" in content(server)


def test_backspace_at_the_beginning_drops_the_last_one(editor: Editor) -> None:
    opened(editor, turns("Ok."))
    editor.command("Agls add code.py")
    editor.command("Agls add quickfix")
    editor.until("vim.b.agls_prompt")
    editor.keys("<Esc>ccab<BS>")
    editor.until("vim.fn.getline(1) == 'a'")
    assert editor.lua(f"return {LABELS}") == ["code.py", "quickfix"]
    editor.keys("<BS><BS>")
    editor.until(f"vim.fn.getline(1) == '' and #{LABELS} == 1")
    editor.keys("<Esc><CR>")
    editor.command("Agls drop all")
    assert editor.lua(f"return {LABELS}") == []


def test_what_was_attached_to_a_refused_prompt_is_not_lost(editor: Editor) -> None:
    opened(editor, turns("One."))
    editor.command("Agls add code.py")
    editor.until(f"#{LABELS} == 1")
    (editor.folder / "config.toml").write_text("model = 7\n")
    restarted(editor, lambda: editor.command("Agls restart"))
    prompt(editor, "precious words")
    editor.until("vim.fn.execute('messages'):find('agls: ') and vim.fn.getline(1) == 'precious words'")
    assert editor.lua(f"return {LABELS}") == ["code.py"]


def test_image_is_attached_by_name_and_from_the_clipboard(editor: Editor) -> None:
    paste(editor.folder / "bin")
    with ModelServer([Reply("I see a pixel."), Reply("I see it again.")]) as server:
        use_server(editor, server)
        opened(editor)
        (editor.workspace / "shot.png").write_bytes(PIXEL)
        editor.command("Agls add shot.png")
        editor.until(f"vim.deep_equal({LABELS}, {{ 'shot.png' }})")
        prompt(editor, "what is in it?")
        ended(editor, "endTurn")
        assert base64.b64encode(PIXEL).decode() in content(server)
        said(editor, "- (image)")
        editor.lua("vim.env.PATH = ... .. ':' .. vim.env.PATH", str(editor.folder / "bin"))
        editor.command("Agls add clipboard")
        editor.until(f"vim.deep_equal({LABELS}, {{ 'clipboard.png' }})")
        prompt(editor, "and here?")
        ended(editor, "endTurn", 2)
        assert base64.b64encode(PIXEL).decode() in content(server)


def test_link_that_leads_out_of_the_folder_is_not_attached_and_the_file_itself_is(editor: Editor) -> None:
    with ModelServer([Reply("One."), Reply("Two.")]) as server:
        use_server(editor, server)
        opened(editor)
        outside = editor.folder / "secret.png"
        outside.write_bytes(PIXEL)
        (editor.workspace / "shot.png").symlink_to(outside)
        (editor.workspace / "away").symlink_to(editor.folder)
        (editor.workspace / "near.png").symlink_to("real.png")
        (editor.workspace / "real.png").write_bytes(PIXEL)
        prompt(editor, "see @shot.png and @away/secret.png and @away and @../secret.png")
        ended(editor, "endTurn")
        assert editor.lua(f"return #{USER}.content") == 1, "nothing but the words goes with the prompt"
        assert str(outside) not in server.posts[-1].content.decode()
        for name in ("shot.png", "away/secret.png"):
            editor.command(f"Agls add {name}")
            editor.until(
                "vim.fn.execute('messages'):find(... .. ' is not attached: it leads to', 1, true)", name
            )
        editor.command("Agls add near.png")
        editor.command("Agls add ../secret.png")
        editor.until(f"#{LABELS} == 2")
        prompt(editor, "see both")
        ended(editor, "endTurn", 2)
        assert server.posts[-1].content.decode().count(base64.b64encode(PIXEL).decode()) == 2


def test_mentioned_diagnostics_are_those_that_neovim_shows(editor: Editor) -> None:
    with ModelServer([Reply("Seen.")]) as server:
        use_server(editor, server)
        opened(editor)
        editor.command("wincmd t")
        editor.lua(
            "vim.diagnostic.set(vim.api.nvim_create_namespace('t'), 0, "
            "{ { lnum = 2, col = 0, message = 'canary of the linter', severity = 2 }, "
            "{ lnum = 3, col = 0, message = 'only a hint', severity = 4 } })"
        )
        editor.command("Agls open")
        prompt(editor, "mend @diagnostics")
        ended(editor, "endTurn")
        assert "canary of the linter" in content(server)
        assert "only a hint" not in content(server)


def paste(folder: Path) -> None:
    """A program that gives the image in the clipboard, as `wl-paste` does."""
    folder.mkdir()
    (folder / "pixel.png").write_bytes(PIXEL)
    program = folder / "wl-paste"
    program.write_text(f'#!/bin/sh\n[ "$3" = image/png ] && exec cat {folder}/pixel.png\nexit 1\n')
    program.chmod(0o755)
