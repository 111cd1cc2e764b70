"""The models of the user's config file are read again when it has changed, and nothing else of it is."""

from pathlib import Path
from typing import Any

import pytest

from support.wire import Wire, script, turns

NO_MODEL = '[permissions]\nmode = "ask"\n'


@pytest.fixture
def played(tmp_path: Path) -> str:
    """What a config file with the scripted model says."""
    config = script(tmp_path, turns("Hello."))
    text = config.read_text()
    config.unlink()
    return text


def opened(folder: Path) -> Wire:
    return Wire(folder, folder / "config.toml")


def status(wire: Wire) -> Any:
    return wire.call("agent/status", {})


def test_model_written_while_the_server_runs_is_used_by_the_next_run(tmp_path: Path, played: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(NO_MODEL)
    with opened(tmp_path) as wire:
        wire.initialize()
        before = status(wire)
        assert before["configFile"] == config.as_uri()
        assert "no model is configured" in before["problem"]
        assert "problemFile" not in before
        session = wire.session()
        refused = wire.ask("agent/run", {"sessionId": session, "input": "Hi"})["error"]
        assert refused["data"]["kind"] == "configInvalid"
        config.write_text(played)
        assert [model["name"] for model in status(wire)["models"]] == ["play"]
        ended = wire.call("agent/run", {"sessionId": session, "input": "Hi", "wait": True})
        assert ended["stopReason"] == "endTurn"


def test_configuration_that_became_invalid_is_reported_and_nothing_is_lost(
    tmp_path: Path, played: str
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(played)
    with opened(tmp_path) as wire:
        wire.initialize()
        session = wire.session()
        config.write_text(f"{played}\n[models.play\n")
        wrong = status(wire)
        assert str(config) in wrong["problem"]
        assert wrong["problemFile"] == config.as_uri()
        refused = wire.ask("agent/run", {"sessionId": session, "input": "Hi"})["error"]
        assert refused["data"]["kind"] == "configInvalid"
        config.write_text(played)
        ended = wire.call("agent/run", {"sessionId": session, "input": "Hi", "wait": True})
        assert ended["stopReason"] == "endTurn"


def test_permissions_written_while_the_server_runs_do_not_hold(tmp_path: Path) -> None:
    call = {"name": "shell", "arguments": {"command": "touch unasked"}}
    config = script(tmp_path, turns({"calls": [call]}, "Done."))
    text = config.read_text()
    with opened(tmp_path) as wire:
        wire.initialize()
        asked: list[Any] = []
        wire.answers["agent/requestPermission"] = lambda params: (
            asked.append(params) or {"outcome": "selected", "optionId": "reject"}
        )
        session = wire.session()
        config.write_text(f'{text}\n[permissions]\nmode = "allowAll"\nallow = ["shell(touch *)"]\n')
        assert status(wire).get("problem") is None
        wire.call("agent/run", {"sessionId": session, "input": "Hi", "wait": True})
        assert len(asked) == 1


def test_model_taken_out_of_the_file_is_gone(tmp_path: Path, played: str) -> None:
    config = tmp_path / "config.toml"
    config.write_text(played)
    with opened(tmp_path) as wire:
        wire.initialize()
        assert status(wire)["models"]
        config.write_text(NO_MODEL)
        assert "no model is configured" in status(wire)["problem"]


def test_models_of_the_file_are_listed_beside_a_default_that_is_none_of_them(
    tmp_path: Path, played: str
) -> None:
    config = tmp_path / "config.toml"
    config.write_text(played.replace('model = "play"', 'model = "work"', 1))
    with opened(tmp_path) as wire:
        wire.initialize()
        told = status(wire)
        assert "work" in told["problem"]
        assert [model["name"] for model in told["models"]] == ["play"]


@pytest.mark.parametrize("wrong", ["model = \n", "model = 7\n", '[permissions]\nmode = "sometimes"\n'])
def test_file_that_was_wrong_when_the_server_began_counts_whole_once_it_is_corrected(
    tmp_path: Path, played: str, wrong: str
) -> None:
    write = {"name": "write_file", "arguments": {"path": "a", "content": "x"}}
    config = script(tmp_path, turns({"calls": [write]}, "Done."))
    config.write_text(wrong)
    with opened(tmp_path) as wire:
        wire.initialize()
        told = status(wire)
        assert (str(config) in told["problem"], told["configFile"]) == (True, config.as_uri())
        config.write_text(f'{played}\n[budget]\nmax_turns = "x"\n')
        assert "max_turns" in status(wire)["problem"]
        config.write_text(f'{played}\n[permissions]\nmode = "plan"\n')
        assert [model["name"] for model in status(wire)["models"]] == ["play"]
        session = wire.session()
        ended = wire.call("agent/run", {"sessionId": session, "input": "Hi", "wait": True})
        assert ended["stopReason"] == "endTurn"
        assert not (wire.workspace / "a").exists(), "the mode of the file holds"
        assert wire.leave() == 0
