"""`context`: what fills the window of the model, by kind, as a real server counts it."""

from pathlib import Path

import pytest

from support.model_server import Failure, ModelServer, Reply
from support.wire import Wire

WINDOW = 50_000
CONFIG = """model = "m"
[models.m]
dialect = "chat"
base_url = "{url}"
model = "large"
context_window = {window}
"""


@pytest.mark.row(23)
def test_tokens_by_kind_are_together_exactly_those_of_the_request(tmp_path: Path) -> None:
    """Before the first run, too: what is counted is the first request as it will be, without the prompt."""
    calls = [("list_dir", {"path": "."})]
    cannot_count = Failure(404)  # what most servers answer to `/tokenize`
    answers = [cannot_count, Reply("I look.", calls=calls), Reply("Fine."), cannot_count]
    with ModelServer(answers) as server:
        config = tmp_path / "config.toml"
        config.write_text(CONFIG.format(url=server.url, window=WINDOW))
        with Wire(tmp_path, config) as wire:
            (wire.workspace / "AGENTS.md").write_text("Always be brief. " * 50)
            wire.initialize(initializationOptions={"trusted": True})
            session = wire.session()
            asked = {"sessionId": session, "name": "context"}
            before = wire.call("agent/action/invoke", asked)["data"]
            wire.call("agent/run", {"sessionId": session, "input": "look around " * 40, "wait": True})
            told = wire.call("agent/action/invoke", asked)
        counted, sent = server.posts[0].body, server.posts[1].body
    data = told["data"]
    kinds = data["tokensByKind"]
    assert sum(kinds.values()) == data["tokens"]
    assert sum(data["byKind"].values()) == data["characters"]
    assert data["tokens"] + data["free"] == data["window"] == WINDOW
    assert (
        min(kinds[kind] for kind in ("system", "memory", "tools", "user", "assistant", "calls", "results"))
        > 0
    )
    assert kinds["memory"] > 100
    assert (before["tokensByKind"]["user"], before["tokensByKind"]["results"]) == (0, 0)
    assert min(before["tokensByKind"][kind] for kind in ("system", "memory", "tools", "environment")) > 0
    assert counted["tools"] == sent["tools"]
    assert counted["messages"][0] == sent["messages"][0]
    assert counted["messages"][1]["content"] in sent["messages"][1]["content"], "the environment"
    assert sum(before["tokensByKind"].values()) == before["tokens"] < data["tokens"]
    for kind, parts in data["tokensByPart"].items():
        assert sum(parts.values()) == kinds[kind], "the parts of a kind are together the kind"
    assert data["tokensByPart"]["memory"].keys() == {"AGENTS.md"}
    assert data["tokensByPart"]["results"].keys() == {"list_dir"}
    assert data["tokensByPart"]["tools"].keys() == {tool["function"]["name"] for tool in sent["tools"]}
    assert f"| memory | AGENTS.md | {kinds['memory']:,} |" in told["output"][0]["text"]
    for kind, tokens in (kinds | {"free": data["free"]}).items():
        assert f"| {kind} | {tokens:,} |" in told["output"][0]["text"]
