"""A ready-made LSP client (pytest-lsp) talks to the real server: typed messages, real document sync."""

import sys
from pathlib import Path
from typing import Any

import pytest_lsp
from lsprotocol import types
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities

from support.wire import script, turns


@pytest_lsp.fixture(
    config=ClientServerConfig(server_command=[sys.executable, "-m", "agls", "serve", "--stdio"])
)
async def client(lsp_client: LanguageClient, tmp_path: Path) -> Any:
    config = script(tmp_path, turns("All done."))
    options = {"configFile": str(config), "stateDir": str(tmp_path / "state"), "trusted": True}
    workspace = tmp_path / "workspace"
    workspace.mkdir()
    params = types.InitializeParams(
        capabilities=client_capabilities("neovim"),
        root_uri=workspace.as_uri(),
        initialization_options=options,
    )
    await lsp_client.initialize_session(params)
    yield
    await lsp_client.shutdown_session()


async def test_an_ordinary_client_runs_a_prompt(client: LanguageClient, tmp_path: Path) -> None:
    document = types.TextDocumentItem("file:///x.txt", "text", 1, "hello")
    client.text_document_did_open(types.DidOpenTextDocumentParams(document))
    command = types.ExecuteCommandParams("agls.run", ["go"])
    done = await client.workspace_execute_command_async(command)
    assert done is not None
    if not client.messages:  # it may have come before the answer
        await client.wait_for_notification("window/showMessage")
    assert [message.message for message in client.messages] == ["agls: done"]
    assert "All done." in [message.message for message in client.log_messages]
