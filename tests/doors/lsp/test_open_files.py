"""What a server has open does not grow with what was cancelled."""

import time
from pathlib import Path

import pytest

from support.model_server import ModelServer, Reply
from support.patience import wait_until
from support.wire import Wire


@pytest.mark.parametrize("cycles", [120, pytest.param(2_000, marks=pytest.mark.slow)])
@pytest.mark.timeout(900)
def test_run_cancelled_at_any_moment_leaves_no_open_file(tmp_path: Path, cycles: int) -> None:
    """Also where the cancel meets the connecting of the model: 0 to 16 milliseconds after the prompt."""
    with ModelServer(lambda _: Reply("Hello.")) as server:
        config = tmp_path / "config.toml"
        config.write_text(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n')
        with Wire(tmp_path, config) as wire:
            wire.initialize({"protocolVersions": [1]})
            session = wire.session()
            wire.run(session)
            files = Path(f"/proc/{wire.process.pid}/fd")
            before = len([*files.iterdir()])
            for cycle in range(cycles):
                run = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
                time.sleep(cycle % 17 / 1000)
                wire.call("agent/cancel", {"sessionId": session})
                assert wire.answer_of(run)["result"]["stopReason"] in {"cancelled", "endTurn"}
                wire.forget()
            wait_until(lambda: len([*files.iterdir()]) <= before + 2, patience=10)  # kept for the next run
