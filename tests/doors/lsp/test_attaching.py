"""Files that an editor attaches with their bytes: kept, described, within reach; nothing is dropped."""

import hashlib
import json
from base64 import b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.images import png
from support.model_replies import Request
from support.model_server import ModelServer, Reply
from support.wire import Wire, script, turns

PNG = png()
PDF = b"%PDF-1.7\n" + bytes(range(256)) + b"\n%%EOF"
NAME = hashlib.sha256(PDF).hexdigest()
CONFIG = """
model = "m"
permissions = {{ mode = "allowAll" }}
[attachments]
max_bytes = 4000
[models.m]
base_url = "{}"
"""


def file(name: str, data: bytes, **more: Any) -> dict[str, Any]:
    return {"type": "file", "name": name, "data": b64encode(data).decode(), **more}


def save_it(request: Request) -> Reply:
    """Save the attachment that the request names, if it is there, then stop."""
    said = json.dumps(request.body["messages"])
    if "attachment:" not in said or request.body["messages"][-1]["role"] == "tool":
        return Reply("Done.")
    return Reply(
        calls=[("save_attachment", {"id": said.partition("attachment:")[2][:12], "path": "in/a.pdf"})]
    )


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer(save_it) as server:
        yield server


@pytest.fixture
def wire(tmp_path: Path, server: ModelServer) -> Iterator[Wire]:
    (tmp_path / "config.toml").write_text(CONFIG.format(server.url))
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize()
        yield wire


def run(wire: Wire, session: str, *blocks: dict[str, Any], **more: Any) -> Any:
    return wire.call("agent/run", {"sessionId": session, "input": [*blocks], "wait": True, **more})


def said(wire: Wire) -> list[Any]:
    """What the user's messages have."""
    items = [event["data"].get("item", {}) for event in wire.events if event["type"] == "itemCompleted"]
    return [item["content"] for item in items if item["kind"] == "userMessage"]


def link(kind: str) -> dict[str, Any]:
    """The PDF as it stands in a message."""
    return {"type": "resourceLink", "uri": f"attachment:{NAME}", "name": f"a.pdf ({kind}, {len(PDF)} bytes)"}


def asked(server: ModelServer) -> list[dict[str, Any]]:
    """The parts of the first user's message of the last request."""
    content = next(m["content"] for m in server.posts[-1].body["messages"] if m["role"] == "user")
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


@pytest.mark.port("Input files")
def test_a_pdf_is_described_to_the_model_and_can_be_saved(wire: Wire, server: ModelServer) -> None:
    """Over LSP, a PDF: by id, name, type and size; its bytes get into the workspace."""
    session = wire.session()
    words = {"type": "text", "text": "Read it"}
    assert run(wire, session, words, file("papers/a.pdf", PDF))["stopReason"] == "endTurn"
    assert f"a.pdf (application/pdf, {len(PDF)} bytes)" in "".join(part["text"] for part in asked(server))
    assert (wire.workspace / "in/a.pdf").read_bytes() == PDF
    assert said(wire) == [[words, link("application/pdf")]]


@pytest.mark.port("Input files")
def test_an_image_alone_is_seen_whatever_its_name_says(wire: Wire, server: ModelServer) -> None:
    """Over LSP, an image only; there is no empty text."""
    run(wire, wire.session(), file("photo.bin", PNG, mimeType="application/octet-stream"))
    url = f"data:image/png;base64,{b64encode(PNG).decode()}"
    assert {"type": "image_url", "image_url": {"url": url}} in asked(server)
    assert "" not in [part.get("text") for part in asked(server)]


@pytest.mark.port("Input files")
def test_it_goes_with_a_message_and_with_a_prompt_that_waits(wire: Wire, tmp_path: Path) -> None:
    """Over LSP, both, by agent/steer and agent/queue; the same request is followed once."""
    session = wire.session()
    steer = {"sessionId": session, "input": [file("a.pdf", PDF)], "ifEnded": "run", "clientKey": "k"}
    first = wire.call("agent/steer", steer)
    assert wire.call("agent/steer", steer)["itemId"] == first["itemId"]
    wire.event("runEnded")
    both = [file("a.pdf", PDF, mimeType="application/x-mine"), file("p.png", PNG)]
    image = {"type": "image", "data": b64encode(PNG).decode(), "mimeType": "image/png"}
    both.append({**image, "mimeType": "image/jpeg"})
    assert run(wire, session, *both)["stopReason"] == "endTurn"
    assert said(wire) == [[link("application/pdf")], [link("application/x-mine"), image, image]], (
        "its bytes say what it is"
    )
    assert len([*(tmp_path / "state/blobs").rglob(NAME[2:])]) == 1, "the same bytes are kept once"


BAD = [
    (file("big.bin", bytes(4001)), "big.bin cannot be attached: it is larger than 4000 bytes"),
    ({"type": "file", "name": "a", "data": "%%%"}, "input[0].data must be base64"),
    ({"type": "file", "name": "a"}, "input[0].data must be a string"),
    (file("", b"x"), "input[0].name must be the name of a file"),
    (file("a\x00b", b"x"), "input[0].name must be the name of a file"),
    (file("a", b"x", mimeType="no type"), "input[0].mimeType must be a media type"),
    (file("a", b"x", mimeType=1), "input[0].mimeType must be a media type"),
    (
        {"type": "image", "data": "aGk=", "mimeType": "application/pdf"},
        "give anything else as a block of",
    ),
    ({"type": "image", "data": "not base64!", "mimeType": "image/png"}, "input[0].data must be base64"),
    (file("p.png", png()[:-9]), "p.png cannot be attached: it is an image (image/png, "),
    (
        {"type": "image", "data": b64encode(png()[:-9]).decode(), "mimeType": "image/png"},
        "The image cannot be attached: it is an image (image/png, ",
    ),
    (
        {"type": "image", "data": b64encode(b"BM" + bytes(30)).decode(), "mimeType": "image/png"},
        "an image in the format BMP",
    ),
    ({"type": "image", "data": "aGk=", "mimeType": "image/png"}, "are no PNG, JPEG, GIF or WebP"),
    ({"type": "image", "data": "", "mimeType": "image/png"}, "input[0].data must not be empty"),
    ({"type": "audio", "data": "aGk="}, "must be one of text, image, resource, resourceLink, file"),
]


def test_bad_attachment_is_refused_by_name_and_no_run_begins(wire: Wire, server: ModelServer) -> None:
    session = wire.session()
    for method in ("agent/run", "agent/steer"):
        for block, why in BAD:
            error = wire.ask(method, {"sessionId": session, "input": [block]})["error"]
            assert (error["data"]["kind"], why in error["message"]) == ("invalidParams", True), error
    assert not server.posts
    assert run(wire, session, {"type": "text", "text": "All the same"})["stopReason"] == "endTurn"


@pytest.mark.port("Input files")
def test_a_prompt_that_waits_can_be_replaced_by_one_with_a_file(tmp_path: Path) -> None:
    """Over LSP, agent/queue."""
    config = script(
        tmp_path,
        turns({"calls": [{"name": "shell", "arguments": {"command": "touch made"}}]}, "x"),
        turns("Done."),
    )
    with Wire(tmp_path, config) as wire:
        told = wire.initialize()["capabilities"]["experimental"]["agent"]
        assert "file" in told["input"]
        session = wire.session()
        wire.call("agent/run", {"sessionId": session, "input": "first"})
        wire.event("requestOpened")
        waiting = wire.call("agent/run", {"sessionId": session, "input": "second"})
        change = {
            "sessionId": session,
            "op": "replace",
            "itemId": waiting["itemId"],
            "input": [file("a.pdf", PDF)],
        }
        (queued,) = wire.call("agent/queue", change)["queue"]
        assert queued["content"] == [link("application/pdf")]
