"""The transcript as a virtual document, for clients that have those (protocol#plain-mode, LSP 3.18)."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from agls.doors.lsp.plain.transcript import VirtualPage, session_of, virtual_uri
from support.wire import Message, turns

from .conftest import Serve
from .plain_client import PlainClient

pytestmark = pytest.mark.timeout(120)  # a busy machine starts servers slowly
CONTENT = "workspace/textDocumentContent"
REFRESH = "workspace/textDocumentContent/refresh"


def served(client: PlainClient) -> Any:
    """What the server offers for virtual documents."""
    (hello,) = [m["result"] for m in client.wire.messages if "capabilities" in str(m.get("result", ""))[:40]]
    return hello["capabilities"]["workspace"].get("textDocumentContent")


def test_a_client_with_virtual_documents_reads_along(serve: Serve) -> None:
    client = PlainClient(serve(turns("It counts."), turns("And more.")), "vscode", "text\n")
    assert served(client) == {"schemes": ["agls"]}
    client.wire.answers[REFRESH] = lambda params: None
    session = client.command("agls.run", "count")["sessionId"]
    client.message("agls: done")
    told = client.command("agls.transcript")
    assert told["virtualUri"] == virtual_uri(session)
    client.eventually(lambda: client.shown == [told["virtualUri"]])
    assert not client.wire.of_method(REFRESH), "nobody has read it"
    text = client.wire.call(CONTENT, {"uri": told["virtualUri"]})["text"]
    assert text == Path(told["path"]).read_text()
    assert "It counts." in text
    client.command("agls.run", "go on")
    asked = client.wire.until(lambda m: m.get("method") == REFRESH)
    assert asked["params"] == {"uri": told["virtualUri"]}
    client.eventually(lambda: len([m for m in client.wire.messages if "agls: done" in str(m)]) == 2)
    assert len(client.wire.of_method(REFRESH)) == 1, "it was not read again"
    assert "And more." in client.wire.call(CONTENT, {"uri": told["virtualUri"]})["text"]


def test_a_session_that_is_not_open_can_be_read_too(serve: Serve) -> None:
    client = PlainClient(serve("It counts."), "vscode", "text\n")
    client.wire.answers[REFRESH] = lambda params: None
    session = client.command("agls.run", "count")["sessionId"]
    client.message("agls: done")
    assert client.wire.leave() == 0
    again = PlainClient(serve(), "vscode", "text\n")
    spelled = virtual_uri(session).replace(":/", ":///")
    assert "It counts." in again.wire.call(CONTENT, {"uri": spelled})["text"]
    unknown = again.wire.ask(CONTENT, {"uri": virtual_uri("ses_nobody")})["error"]
    assert unknown["data"]["kind"] == "sessionNotFound"
    for uri in ("agls:/transcript/../x.md", "file:///etc/passwd", "", 7, None):
        assert again.wire.ask(CONTENT, {"uri": uri})["error"]["data"]["kind"] == "invalidParams"
    assert again.wire.ask(CONTENT, [])["error"]["data"]["kind"] == "invalidParams"


def test_a_client_without_them_is_offered_none(serve: Serve) -> None:
    client = PlainClient(serve("It counts."), "neovim", "text\n")
    assert served(client) is None
    client.command("agls.run", "count")
    client.message("agls: done")
    told = client.command("agls.transcript")
    assert "virtualUri" not in told
    client.eventually(lambda: client.shown == [told["uri"]])


def test_one_reading_is_followed_by_one_word_at_most() -> None:
    asked: list[Message] = []
    peer: Any = SimpleNamespace(request_and_forget=lambda method, params: asked.append({method: params}))
    page = VirtualPage(peer, "agls:/transcript/s.md")
    item = {"itemId": "i", "kind": "message", "status": "completed", "text": "x"}
    news: list[Message] = [{"type": "itemCompleted", "data": {"item": item}}]
    page.take(news)
    assert asked == []
    for _ in range(2):
        page.was_read()
        page.take([{"type": "itemDelta", "data": {}}])
        page.take(news)
        page.take(news)
    assert asked == [{REFRESH: {"uri": "agls:/transcript/s.md"}}] * 2


def test_a_uri_names_a_session_or_nothing() -> None:
    assert session_of(virtual_uri("ses_1")) == "ses_1"
    assert [session_of(uri) for uri in ("agls:/transcript/a/b.md", "x:/transcript/a.md")] == ["", ""]
