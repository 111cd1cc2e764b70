"""The key of a model server that the user keeps in Neovim: it reaches that host, and no file."""

import pytest

from support.model_server import Failure, ModelServer, Reply, Request

from .driver import Editor
from .scene import ended, opened, prompt, said

pytestmark = [pytest.mark.editors, pytest.mark.timeout(300)]
KEY = "canary-8c1f"
ELSEWHERE = (
    'model = "work"\n[models.work]\ndialect = "chat"\nbase_url = "http://model.example/v1"\nmodel = "m"\n'
)


def elsewhere(editor: Editor, server: ModelServer) -> dict[str, str]:
    """A model on another host: the server stands where the proxy is."""
    (editor.folder / "config.toml").write_text(ELSEWHERE)
    return {"HTTP_PROXY": server.url.removesuffix("/v1"), "NO_PROXY": ""}


def with_a_key(request: Request) -> Reply | Failure:
    """A model server that wants a key."""
    if request.headers.get("authorization") == f"Bearer {KEY}":
        return Reply("With a key.")
    return Failure(401, "no key, no answer")


def kept_on_disk(editor: Editor) -> list[str]:
    """The files in which the key stands."""
    files = [path for path in editor.folder.rglob("*") if path.is_file()]
    assert files
    return [str(path) for path in files if KEY in path.read_text(errors="replace")]


def test_a_key_is_asked_for_and_kept_in_memory(editor: Editor) -> None:
    with ModelServer(with_a_key) as server:
        opened(editor, env=elsewhere(editor, server))
        prompt(editor, "go")
        ended(editor, "error")
        said(editor, "`:Agls key` takes a key")
        assert editor.lua("return vim.fn.getcompletion('Agls key ', 'cmdline')") == ["model.example"]
        editor.keys(":Agls key<CR>")
        editor.keys(KEY + "<CR>")
        editor.until("vim.fn.execute('messages'):find('is kept until Neovim ends')")
        prompt(editor, "go")
        ended(editor, "endTurn", 2)
        said(editor, "With a key.")
        assert server.posts[-1].headers["authorization"] == f"Bearer {KEY}"
        assert KEY not in "\n".join(editor.screen())
        assert KEY not in editor.lua("return vim.fn.execute('messages') .. vim.fn.execute('history all')")
        editor.command(f"wshada! {editor.folder}/shada")
    editor.quit()
    assert kept_on_disk(editor) == []


def test_the_users_own_vault_gives_it(editor: Editor) -> None:
    with ModelServer(with_a_key) as server:
        opened(editor, env=elsewhere(editor, server))
        editor.lua(
            "local key = ... HOSTS = {} require('agls.config').current.key = function(host) "
            "table.insert(HOSTS, host) return host == 'model.example' and key or nil end",
            KEY,
        )
        prompt(editor, "go")
        ended(editor, "endTurn")
        assert server.posts[-1].headers["authorization"] == f"Bearer {KEY}"
        assert set(editor.lua("return HOSTS")) == {"model.example"}
    editor.quit()
    assert kept_on_disk(editor) == []


def test_no_key_is_given_while_the_log_would_have_it(editor: Editor) -> None:
    with ModelServer(with_a_key) as server:
        opened(editor, env=elsewhere(editor, server))
        editor.lua("local key = ... require('agls.config').current.key = function() return key end", KEY)
        editor.lua("vim.lsp.log.set_level('debug')")
        prompt(editor, "go")
        editor.until("vim.fn.execute('messages'):find('LSP log has the level DEBUG')")
        ended(editor, "error")
        assert not any("authorization" in request.headers for request in server.posts)
    editor.quit()
    assert any((editor.folder / "STATE").rglob("lsp.log"))
    assert kept_on_disk(editor) == []
