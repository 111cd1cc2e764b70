"""What somebody typed is understood by the server, where a client says that it was typed."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support.model_server import ModelServer, Reply
from support.wire import Wire

TEXT = {"type": "text", "text": "explain @app.py:2 and @app.py, not @dataclass"}


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer([Reply("Done.")] * 4) as server:
        yield server


@pytest.fixture
def wire(tmp_path: Path, server: ModelServer) -> Iterator[Wire]:
    config = tmp_path / "config.toml"
    config.write_text(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n')
    with Wire(tmp_path, config) as wire:
        (wire.workspace / "app.py").write_text("one\ntwo\nthree\n")
        yield wire


def said(wire: Wire) -> list[Any]:
    """What the user's messages have."""
    items = [event["data"].get("item", {}) for event in wire.events if event["type"] == "itemCompleted"]
    return [item["content"] for item in items if item["kind"] == "userMessage"]


def pieces(wire: Wire) -> list[dict[str, Any]]:
    """What the text points at."""
    uri = (wire.workspace / "app.py").as_uri()
    return [
        {"type": "resource", "uri": f"{uri}#L2-L2", "text": "two\n"},
        {"type": "resourceLink", "uri": uri, "name": "app.py"},
    ]


def test_text_that_was_typed_points_at_files_and_other_text_is_only_text(wire: Wire) -> None:
    wire.initialize()
    session = wire.session()
    wire.run(session, TEXT["text"], expand=True)
    wire.run(session, TEXT["text"])
    assert said(wire) == [[TEXT, *pieces(wire)], [TEXT]]


def test_piece_that_was_sent_is_not_there_twice(wire: Wire) -> None:
    wire.initialize()
    lines, link = pieces(wire)
    chip = {**link, "name": "my chip"}
    given = {"sessionId": wire.session(), "input": [TEXT, chip], "wait": True, "expand": True}
    wire.call("agent/run", given)
    assert said(wire) == [[TEXT, chip, lines]]


@pytest.mark.parametrize(("method", "more"), [("agent/run", {}), ("agent/steer", {"ifEnded": "run"})])
def test_repeated_request_means_what_it_meant_the_first_time(
    wire: Wire, method: str, more: dict[str, Any]
) -> None:
    wire.initialize()
    given = {"sessionId": wire.session(), "input": [TEXT], "expand": True, "clientKey": "k", **more}
    first = wire.call(method, given)
    wire.event("runEnded")
    (wire.workspace / "app.py").write_text("one\nanother\n")
    assert wire.call(method, given)["runId"] == first["runId"]
    assert said(wire) == [[TEXT, *pieces(wire)]]


def test_plain_command_with_a_bare_string_was_typed_and_blocks_were_not(
    wire: Wire, server: ModelServer
) -> None:
    wire.initialize({}, capabilities={})
    for count, argument in enumerate((TEXT["text"], {"prompt": TEXT["text"]}, {"input": [TEXT]}), 1):
        wire.call("workspace/executeCommand", {"command": "agls.run", "arguments": [argument]})
        wire.until(lambda _, count=count: len(wire.of_method("window/showMessage")) == count)
    asked = [json.dumps(post.body["messages"][-1]) for post in server.posts]
    assert ["app.py#L2-L2" in one for one in asked] == [True, True, False]
