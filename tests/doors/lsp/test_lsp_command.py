"""`/lsp`: language servers of the process, seen and managed by the user."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from support.wire import Wire, turns

STUB = Path(__file__).parents[2] / "support/stub_language_server.py"


def configured(folder: Path, *command: str) -> Path:
    (folder / "script.json").write_text(json.dumps({"prompts": [turns("Done.")]}))
    (folder / "log").touch()
    argv = json.dumps([*command] or [sys.executable, str(STUB), str(folder / "log")])
    config = folder / "config.toml"
    config.write_text(
        f'model = "play"\n[models.play]\ndialect = "scripted"\nscript = "{folder / "script.json"}"\n'
        f'[code_intelligence.languages.zig]\ncommand = {argv}\nsuffixes = [".zig"]\n'
    )
    return config


def lsp(wire: Wire, session: str, **given: str) -> dict[str, Any]:
    return wire.call("agent/action/invoke", {"sessionId": session, "name": "lsp", "input": given})


def server_in(outcome: dict[str, Any]) -> dict[str, Any]:
    (row,) = [row for row in outcome["data"]["servers"] if row["language"] == "zig"]
    return row


@pytest.mark.row(82)
def test_language_server_is_started_restarted_and_stopped_by_the_user(tmp_path: Path) -> None:
    with Wire(tmp_path, configured(tmp_path)) as wire:
        wire.initialize(initializationOptions={"trusted": True})
        session = wire.session()
        before = lsp(wire, session)
        assert server_in(before)["state"] == "stopped"
        started = lsp(wire, session, do="start", language="zig")
        assert started["data"]["state"] == "running"
        shown = lsp(wire, session)
        row = server_in(shown)
        assert (row["state"], row["folder"], row["lastError"]) == ("running", str(wire.workspace), "")
        assert f"runs, 0 files open | `{wire.workspace}`" in shown["output"][0]["text"]
        assert lsp(wire, session, do="restart", language="zig")["data"]["state"] == "running"
        begun = (tmp_path / "log").read_text().count('"initialize"')
        assert begun == 2
        assert "was stopped" in lsp(wire, session, do="stop", language="zig")["output"][0]["text"]
        assert server_in(lsp(wire, session))["state"] == "stopped"


def test_language_server_that_does_not_start_shows_its_last_error(tmp_path: Path) -> None:
    broken = (sys.executable, "-c", "raise SystemExit('no zig here')")
    with Wire(tmp_path, configured(tmp_path, *broken)) as wire:
        wire.initialize(initializationOptions={"trusted": True})
        session = wire.session()

        def refused(**given: str) -> str:
            asked = {"sessionId": session, "name": "lsp", "input": given}
            return str(wire.ask("agent/action/invoke", asked)["error"]["message"])

        assert "ended" in refused(do="start", language="zig")
        assert "no zig here" in server_in(lsp(wire, session))["lastError"]
        assert "There is no language server for cobol here" in refused(do="stop", language="cobol")
        assert "Write which: /lsp stop LANGUAGE" in refused(do="stop")
