"""`context`: what fills the window of the model, by kind, as a real server counts it."""

from pathlib import Path

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


def test_tokens_by_kind_are_together_exactly_those_of_the_request(tmp_path: Path) -> None:
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
    assert sum(before["tokensByKind"].values()) == before["tokens"] < data["tokens"]
    for kind, tokens in (kinds | {"free": data["free"]}).items():
        assert f"| {kind} | {tokens:,} |" in told["output"][0]["text"]
