"""A server made with the newest SDK, over the protocol."""

from pathlib import Path

import pytest

from agls.views.transcript import fold
from support.published_servers import SHOP, published
from support.rich_run import call
from support.wire import AGENT, Wire, script, turns

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("outcome", ["accept", "decline"])
def test_server_of_the_newest_revision_asks_once_and_goes_by_the_answer(tmp_path: Path, outcome: str) -> None:
    script(tmp_path, turns({"calls": [call("mcp__shop__send", thing="apple")]}, "done"))
    node, program = published(SHOP)
    server = {"name": SHOP, "command": node, "args": [program], "env": []}
    with Wire(tmp_path, tmp_path / "config.toml") as wire:
        wire.initialize({**AGENT, "askUser": {"form": {}}})
        wire.answers["agent/requestPermission"] = lambda _: {"outcome": "selected", "optionId": "once"}
        wire.answers["agent/askUser"] = lambda _: {"outcome": outcome, "content": {"sure": True}}
        given = {"cwd": wire.workspace.as_uri(), "mcpServers": [server]}
        wire.run(wire.call("agent/session/new", given)["sessionId"])
        (asked,) = wire.of_method("agent/askUser")
        (item,) = [one for one in fold(wire.events).items.values() if one["kind"] == "toolCall"]
    assert "Send the apple?" in asked["params"]["message"]
    said = "apple was sent" if outcome == "accept" else "shop needs an answer that it did not get"
    assert said in item["output"]
