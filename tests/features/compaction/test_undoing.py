"""A summary is taken back, and the model sees again what it replaced."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.model_server import ModelServer, Reply
from support.wire import AGENT, Wire


@contextmanager
def served(folder: Path, *replies: Reply) -> Iterator[tuple[Wire, str]]:
    """A client and a session, with a model that gives these answers."""
    with ModelServer(replies) as model:
        config = folder / "config.toml"
        config.write_text(f'model = "m"\n[models.m]\nbase_url = "{model.url}"\nmodel = "x"\n')
        with Wire(folder, config) as wire:
            wire.initialize(AGENT)
            yield wire, wire.session()


def test_summary_is_undone_by_an_action_that_says_so_in_the_transcript(tmp_path: Path) -> None:
    talk = Reply("word " * 2_000)
    with served(tmp_path, talk, talk, Reply("They talked.")) as (wire, session):
        for _ in range(2):
            assert wire.run(session)["stopReason"] == "endTurn"
        made = wire.call("agent/action/invoke", {"sessionId": session, "name": "compact"})["data"]
        rewind = {"sessionId": session, "name": "rewind"}
        refused = wire.ask("agent/action/invoke", rewind)["error"]["message"]
        assert "Undo the summary first, or fork the session there." in refused
        undone = wire.call("agent/action/invoke", {"sessionId": session, "name": "compaction.undo"})["data"]
        assert undone["undone"] == made["itemId"]
        assert len(made["kept"]) == 2, "both prompts; the server counts too few tokens"
        assert undone["tokensAfter"] > undone["tokensBefore"]
        wire.call("agent/session/close", {"sessionId": session})
        items = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]["items"]
        assert items[-1]["kind"] == "notice"
        assert items[-1]["text"].startswith("The summary is undone: the model sees what it replaced: about ")
        names = {each["name"] for each in wire.call("agent/action/list", {"sessionId": session})["actions"]}
        assert {"compaction.undo", "compaction.show", "btw", "plan"} <= names
        again = wire.ask("agent/action/invoke", {"sessionId": session, "name": "compaction.undo"})
        assert "There is no summary to undo" in again["error"]["message"]
        assert wire.call("agent/action/invoke", rewind)["data"]["messages"] > 0
