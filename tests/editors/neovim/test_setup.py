"""`:Agls setup` chooses a model without a file written by hand; the trust question blocks nothing."""

import tomllib
from pathlib import Path

import pytest

from support.model_replies import page
from support.model_server import ModelServer, Reply
from support.wire import turns

from .driver import Editor
from .scene import PICKER, ended, prompt, said

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
MODELS = page({"data": [{"id": "large-1"}, {"id": "small-1", "context_length": 8000}]})
KEY = "canary-51d2"


def told(editor: Editor, words: str) -> None:
    """Wait until a message has these words."""
    editor.until("vim.fn.execute('messages'):gsub('%s+', ' '):find(..., 1, true)", words)


def fresh(editor: Editor, *picks: str, **options: object) -> Path:
    """A user who has set up nothing; gives their settings, which are empty."""
    (editor.folder / "config.toml").write_text("")
    editor.setup(**options)
    editor.lua(PICKER, list(picks))
    return editor.folder / "config.toml"


def test_model_of_a_server_is_chosen_from_its_list_and_answers(editor: Editor) -> None:
    with ModelServer([Reply("Hello.")], pages={"/v1/models": MODELS}) as server:
        config = fresh(editor, "Another server", "small-1")
        editor.lua("local url = ... vim.ui.input = function(_, done) done(url) end", server.url)
        editor.command("Agls open")
        editor.until("vim.api.nvim_get_mode().mode == 'i'")
        editor.keys("<Esc>")
        told(editor, "no model is chosen yet; `:Agls setup` shows what there is")
        editor.command("Agls setup")
        told(editor, "small-1 is the model from now on")
        assert tomllib.loads(config.read_text())["model"] == "small-1"
        asked = editor.lua("return ASKED")
        assert asked[0]["prompt"] == "Which provider? (this machine is not searched)"
        assert any(row.startswith("openai  (api.openai.com)") for row in asked[0]["items"])
        assert asked[0]["items"][-2:] == ["Another server…", "Edit config.toml"]
        assert asked[1]["items"] == ["large-1", "small-1  (8000 tokens)"]
        prompt(editor, "hello")
        ended(editor, "endTurn")
        said(editor, "Hello.")
        assert server.posts[-1].body["model"] == "small-1"


def test_key_is_asked_for_when_the_server_wants_one_and_stands_in_no_file(editor: Editor) -> None:
    refused = page({"error": {"message": "Incorrect API key"}}, 401)
    pages = {"/v1/models": refused, "http://model.example/v1/models": refused}
    with ModelServer(pages=pages) as server:
        env = {"HTTP_PROXY": server.url.removesuffix("/v1"), "NO_PROXY": ""}
        config = fresh(editor, "Another server", env=env)
        editor.lua(
            "local key = ... vim.ui.input = function(_, done) done('http://model.example/v1') end "
            "KEYS = { key, '' } vim.fn.inputsecret = function(words) WORDS = words "
            "return table.remove(KEYS, 1) end",
            KEY,
        )
        editor.command("Agls setup")
        editor.until("#KEYS == 0")
        assert editor.lua("return WORDS") == "Key for model.example (empty: forget it): "
        lists = [request for request in server.requests if request.method == "GET"]
        assert lists[-1].headers["authorization"] == f"Bearer {KEY}"
    editor.quit()
    assert config.read_text() == ""
    files = [path for path in editor.folder.rglob("*") if path.is_file()]
    assert not [path for path in files if KEY in path.read_text(errors="replace")]


def test_settings_are_opened_where_the_user_wants_to_write_them(editor: Editor) -> None:
    config = fresh(editor, "Edit config.toml")
    editor.command("Agls setup")
    editor.until("vim.fn.expand('%:t') == 'config.toml'")
    assert editor.lua("return vim.fn.expand('%:p')") == str(config)


def test_trust_of_a_folder_is_asked_without_blocking(editor: Editor) -> None:
    (editor.workspace / "AGENTS.md").write_text("Answer in Latin.\n")
    (editor.workspace / "code.py").write_text("x = 1\n")
    editor.play(turns("Ita."))
    editor.setup()
    editor.command("edit code.py")
    editor.command("Agls open")
    editor.until("vim.api.nvim_get_mode().mode == 'i'")
    editor.keys("<Esc>")
    editor.until("require('agls.question_window').is_open()")
    editor.shows("AGENTS.md would instruct the agent")
    editor.shows("1  Trust this folder")
    assert editor.lua("return vim.b.agls_prompt"), "it takes no focus"
    editor.command("wincmd t")
    editor.keys("Goy = 2<Esc>")
    editor.until("vim.fn.getline('$') == 'y = 2'")
    editor.command("wincmd b")
    editor.keys("ga")  # no key says yes to this: the question is shown
    editor.until(
        "require('agls.question_window').state().large or vim.fn.execute('messages'):find('just come')"
    )
    editor.command("Agls answer 1")
    editor.shows("revoke")  # how to take it back
    editor.until("not require('agls.question_window').is_open()")
