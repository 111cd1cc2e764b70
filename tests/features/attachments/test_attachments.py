"""Attached files: an image rides in the message, anything else can be reached by its id; nothing is empty."""

import json
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest

from agls.library import Agent, ConfigError
from support.images import png
from support.model_replies import Request
from support.model_server import ModelServer, Reply

PNG = png()
PDF = b"%PDF-1.7\n" + bytes(range(256)) + b"\n%%EOF"


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.toml").write_text("")
    monkeypatch.setenv("AGLS_CONFIG", str(tmp_path / "home/config.toml"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    (tmp_path / "given").mkdir()
    (tmp_path / "given/photo.bin").write_bytes(PNG)
    (tmp_path / "given/paper.pdf").write_bytes(PDF)
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


def save_it(request: Request) -> Reply:
    """Save the attachment that the request names, if it is there, then stop."""
    said = json.dumps(request.body["messages"])
    if "attachment:" not in said or request.body["messages"][-1]["role"] == "tool":
        return Reply("Done.")
    found = said.partition("attachment:")[2][:12]
    return Reply(calls=[("save_attachment", {"id": found, "path": "in/paper.pdf"})])


async def sent(workspace: Path, prompt: str, *names: str) -> tuple[list[Any], list[str]]:
    """What the first user's message of the first request holds, and which tools were offered."""
    with ModelServer(save_it) as server:
        settings = {"base_url": server.url, "model": "m", "permissions": {"mode": "allowAll"}}
        async with Agent(workspace, **settings) as agent:
            session = await agent.session()
            given = [workspace.parent / "given" / name for name in names]
            assert (await session.run(prompt, attach=given)).text == "Done."
        body = server.posts[0].body
    content = next(m["content"] for m in body["messages"] if m["role"] == "user")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    return parts, [tool["function"]["name"] for tool in body["tools"]]


@pytest.mark.port("Input files")
async def test_an_image_alone_rides_in_the_message_without_an_empty_text(workspace: Path) -> None:
    """Image only, by its bytes and not by its name."""
    parts, tools = await sent(workspace, "", "photo.bin")
    assert parts[0] == {
        "type": "image_url", "image_url": {"url": f"data:image/png;base64,{b64encode(PNG).decode()}"}
    }  # fmt: skip
    assert "" not in [part.get("text") for part in parts]
    assert "save_attachment" not in tools


@pytest.mark.port("Input files")
async def test_another_file_is_described_and_can_be_saved(workspace: Path) -> None:
    """A PDF, by id, name, type and size; a tool brings it into the workspace."""
    parts, tools = await sent(workspace, "Read it", "paper.pdf")
    text = "".join(part["text"] for part in parts)
    assert f"paper.pdf (application/pdf, {len(PDF)} bytes)" in text
    assert "save_attachment" in tools
    assert (workspace / "in/paper.pdf").read_bytes() == PDF


@pytest.mark.port("Input files")
async def test_image_and_document_are_both_sent(workspace: Path) -> None:
    """Both."""
    parts, _ = await sent(workspace, "Compare", "photo.bin", "paper.pdf")
    assert [part["type"] for part in parts].count("image_url") == 1
    assert "paper.pdf" in "".join(part.get("text", "") for part in parts)
    assert (workspace / "in/paper.pdf").read_bytes() == PDF


@pytest.mark.port("Input files")
async def test_prompt_without_files_offers_no_save_attachment(workspace: Path) -> None:
    """Nothing."""
    parts, tools = await sent(workspace, "Say hello")
    assert parts[0]["text"].startswith("Say hello")
    assert "save_attachment" not in tools


async def test_saving_over_a_file_or_with_an_unknown_id_fails(workspace: Path) -> None:
    (workspace / "in").mkdir()
    (workspace / "in/paper.pdf").write_bytes(b"mine")
    await sent(workspace, "Read it", "paper.pdf")
    assert (workspace / "in/paper.pdf").read_bytes() == b"mine"

    def wrong(request: Request) -> Reply:
        is_told = request.body["messages"][-1]["role"] == "tool"
        return Reply("Done.") if is_told else Reply(calls=[("save_attachment", {"id": "ffff", "path": "x"})])

    with ModelServer(wrong) as server:
        async with Agent(
            workspace, base_url=server.url, model="m", permissions={"mode": "allowAll"}
        ) as agent:
            session = await agent.session()
            result = await session.run("Read it", attach=[workspace.parent / "given/paper.pdf"])
    told = next(m.text for m in result.messages if hasattr(m, "call_id"))
    assert "'ffff' is no attachment. There are: " in told
    assert "paper.pdf" in told


@pytest.mark.parametrize(
    ("name", "why"), [("gone.txt", "there is no such file"), ("", "it is a folder"), ("paper.pdf", "larger")]
)
async def test_invalid_attachment_is_refused_before_the_run(workspace: Path, name: str, why: str) -> None:
    async with Agent(
        workspace, base_url="http://127.0.0.1:9/v1", model="m", attachments={"max_bytes": 9}
    ) as agent:
        session = await agent.session()
        with pytest.raises(ConfigError, match=why):
            await session.run("Read it", attach=[workspace.parent / "given" / name])
        assert not session.state.queue
