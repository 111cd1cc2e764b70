"""A tool that needs a form is offered to the model only where somebody can fill one in."""

from pathlib import Path

import pytest

from support.model_server import ModelServer, Reply
from support.wire import AGENT, Message, Wire


@pytest.mark.parametrize(
    ("agent", "offered"), [(AGENT, True), ({**AGENT, "askUser": None}, False), ({}, False)]
)
def test_client_without_forms_is_offered_no_ask_user(tmp_path: Path, agent: Message, offered: bool) -> None:
    with ModelServer([Reply("Done.")]) as model:
        config = tmp_path / "config.toml"
        config.write_text(
            f'model = "m"\n[models.m]\ndialect = "chat"\nbase_url = "{model.url}"\nmodel = "x"\n'
        )
        with Wire(tmp_path, config) as wire:
            wire.initialize(agent)
            assert wire.run(wire.session())["stopReason"] == "endTurn"
        names = {tool["function"]["name"] for tool in model.posts[0].body["tools"]}
    assert ("ask_user" in names) == offered
    assert "read_file" in names
