"""`/login`, `/logout` and `/trust`: with the files that the user really has."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agls.config import ConfigInputs, KeyFile, read
from agls.doors.agent.limits import ConnectionLimits
from doors.headless.conftest import Agls
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.row(82), pytest.mark.timeout(120)]


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    """A client of a server in memory."""
    with Wire(tmp_path, script(tmp_path, turns("Done.")), inside=ConnectionLimits()) as wire:
        wire.initialize(AGENT)
        yield wire


def typed(wire: Wire, text: str) -> Any:
    """Type a command. **Returns** its action, or the message of the refusal."""
    given = {"sessionId": wire.session(), "input": text, "expand": True}
    response = wire.ask("agent/run", given)
    return response["result"]["action"] if "result" in response else response["error"]["message"]


def test_keys_are_listed_by_host_and_forgotten_and_never_shown(wire: Wire, tmp_path: Path) -> None:
    assert "No key is kept by agls." in typed(wire, "/login")["output"][0]["text"]
    KeyFile(tmp_path / "state").set("api.openai.com", "sk-secret-1234567890")
    listed = typed(wire, "/login")
    assert listed["data"] == {"keys": [{"host": "api.openai.com", "place": "the file of keys"}]}
    assert "sk-secret" not in str(listed)
    assert "`agls key set api.openai.com`" in typed(wire, "/login openai")["output"][0]["text"]
    assert typed(wire, "/logout openai")["data"] == {"host": "api.openai.com"}
    assert KeyFile(tmp_path / "state").read() == {}
    assert "No key is kept for api.openai.com" in typed(wire, "/logout openai")
    assert "is no host, provider" in typed(wire, "/login nobody")


def test_trust_is_shown_and_taken_back_and_never_given(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    agls.script({"text": "Done."})
    (agls.workspace / ".agls/commands").mkdir(parents=True)
    (agls.workspace / ".agls/commands/mend.md").write_text("Mend it.")
    assert "is not trusted." in agls.run("run", "/trust").out
    assert agls.run("run", "/trust revoke").code == 1
    assert agls.run("trust").code == 0
    assert f"- {agls.workspace}" in agls.run("run", "/trust").out
    assert agls.run("run", "/mend").out.strip() == "Done."
    assert agls.run("run", "/trust revoke").code == 0
    assert "but the folder is not trusted, so nothing of it is used" in agls.run("run", "/mend").err
    environment = {"AGLS_CONFIG": str(agls.config_file), "AGLS_STATE_DIR": str(agls.state)}
    assert read(ConfigInputs(), str(agls.workspace), lambda _: False, environment).trust.folders() == []
