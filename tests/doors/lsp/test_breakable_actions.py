"""Actions that the user can break off: everything stays as it was."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from support.model_server import ModelServer, Reply
from support.patience import PATIENCE, wait_until
from support.wire import Message, Wire, frame

LONG = "word " * 2_000


@contextmanager
def talked(folder: Path, *replies: Reply) -> Iterator[tuple[Wire, ModelServer, Message]]:
    """A session with something to summarise; gives what to invoke as well."""
    with ModelServer([Reply(LONG), Reply("short"), *replies]) as model:
        config = folder / "config.toml"
        config.write_text(f'model = "m"\n[models.m]\nbase_url = "{model.url}"\nmodel = "x"\n')
        with Wire(folder, config) as wire:
            wire.initialize()
            session = wire.session()
            assert wire.run(session)["stopReason"] == wire.run(session)["stopReason"] == "endTurn"
            yield wire, model, {"sessionId": session, "name": "compact", "input": {}, "clientKey": "once"}


def test_abandoned_summary_is_stopped_and_can_be_requested_again(
    tmp_path: Path,
) -> None:
    with talked(tmp_path, Reply("half", cut_after=2, then="hang"), Reply("It was long.")) as (
        wire,
        model,
        asked,
    ):
        before = wire.call("agent/resume", {"sessionId": asked["sessionId"]})["snapshot"]["items"]
        request = wire.post("agent/action/invoke", asked)
        wait_until(lambda: len(model.posts) == 3)
        wire.notify("$/cancelRequest", {"id": request})
        refused = wire.answer_of(request)["error"]
        assert (refused["code"], refused["data"]["kind"]) == (-32800, "cancelled")
        assert model.posts[2].closed.wait(PATIENCE), "the model is not asked any more"
        after = wire.call("agent/resume", {"sessionId": asked["sessionId"]})["snapshot"]["items"]
        assert after == before, "nothing was done"
        again = wire.call("agent/action/invoke", asked)
        assert "Summarised" in again["output"][0]["text"]
        wire.notify("$/cancelRequest", {"id": request})
        assert wire.run(asked["sessionId"])["stopReason"] == "error", "the script is over, the session is not"


def test_a_summary_whose_cancel_came_with_it_is_not_asked_for(tmp_path: Path) -> None:
    with talked(tmp_path, Reply("It was long.")) as (wire, model, asked):
        request = {"jsonrpc": "2.0", "id": "a", "method": "agent/action/invoke", "params": asked}
        taken_back = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": "a"}}
        wire.write(frame(request) + frame(taken_back))
        assert wire.answer_of("a")["error"]["code"] == -32800
        assert len(model.posts) == 2
        assert "Summarised" in wire.call("agent/action/invoke", asked)["output"][0]["text"]
