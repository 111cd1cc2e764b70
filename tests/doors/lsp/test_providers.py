"""A model is chosen without a file written by hand: providers, their lists of models, and the settings."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.model_replies import page
from support.model_server import ModelServer, Reply
from support.wire import Wire


def file_of(home: Path) -> Path:
    """The user's file of settings, which need not be there."""
    return home / ".config" / "agls" / "config.toml"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    listing = page({"data": [{"id": "large-1"}, {"id": "small-1", "context_length": 8000}]})
    with ModelServer([Reply("Hello.")], pages={"/v1/models": listing}) as server:
        yield server


def test_providers_are_listed_with_what_is_known_of_their_keys(tmp_path: Path) -> None:
    with Wire(tmp_path, variables={"GROQ_API_KEY": "gsk-1"}) as wire:
        wire.initialize()
        listed = wire.call("agent/provider/list", {})
    assert listed["looked"] is False, "the tests look for no server of this machine"
    assert listed["local"] == []
    rows = {row["name"]: row for row in listed["providers"]}
    assert rows["openai"] == {"name": "openai", "host": "api.openai.com", "hasKey": False}
    assert rows["groq"]["hasKey"] is True


def test_model_from_the_list_of_a_server_becomes_the_default_in_the_settings(
    tmp_path: Path, server: ModelServer
) -> None:
    config = file_of(tmp_path)
    config.parent.mkdir(parents=True)
    config.write_text("# mine\n[budget]\nmax_turns = 9\n")
    with Wire(tmp_path) as wire:
        wire.initialize()
        assert wire.call("agent/status", {})["problem"]
        listed = wire.call("agent/provider/models", {"baseUrl": server.url})
        models = [{"name": "large-1"}, {"name": "small-1", "contextWindow": 8000}]
        assert listed == {"models": models, "baseUrl": server.url}
        used = wire.call("agent/provider/use", {"baseUrl": server.url, "model": "small-1"})
        status = wire.call("agent/status", {})
        session = wire.session()
        wire.run(session)
    assert used["configFile"] == config.as_uri()
    assert "problem" not in status
    assert status["models"][0]["default"] is True
    assert server.posts[-1].body["model"] == "small-1"
    written = config.read_text()
    assert written.startswith("# mine\n")
    assert tomllib.loads(written)["model"] == used["model"]


def test_model_that_is_used_again_keeps_its_table_and_another_server_gets_its_own(
    tmp_path: Path, server: ModelServer
) -> None:
    with Wire(tmp_path) as wire:
        wire.initialize()
        first = wire.call("agent/provider/use", {"baseUrl": server.url, "model": "org/small-1"})
        again = wire.call("agent/provider/use", {"baseUrl": server.url, "model": "org/small-1"})
        other = wire.call("agent/provider/use", {"provider": "groq", "model": "small-1"})
        refused = wire.ask("agent/provider/use", {"model": "nobody-has-it"})["error"]
        assert (refused["data"]["kind"], "small-1" in refused["data"]["hint"]) == ("configInvalid", True)
        chosen = wire.call("agent/provider/use", {"model": "small-1"})
    assert (first["model"], again["model"], other["model"]) == ("small-1", "small-1", "groq-small-1")
    written = tomllib.loads(file_of(tmp_path).read_text())
    assert written["model"] == chosen["model"] == "small-1"
    assert set(written["models"]) == {"small-1", "groq-small-1"}


def test_known_provider_gets_a_table_with_its_address(tmp_path: Path) -> None:
    with Wire(tmp_path, variables={"ANTHROPIC_API_KEY": "k"}) as wire:
        wire.initialize()
        wire.call("agent/provider/use", {"provider": "anthropic", "model": "claude-x"})
        status = wire.call("agent/status", {})
    assert "problem" not in status
    written = tomllib.loads(file_of(tmp_path).read_text())
    assert written["model"] == "claude-x"
    table = {"base_url": "https://api.anthropic.com/v1", "dialect": "anthropic", "model": "claude-x"}
    assert written["models"]["claude-x"] == table


def test_list_that_is_refused_says_why_and_what_helps(tmp_path: Path) -> None:
    refused = page({"error": {"message": "Incorrect API key"}}, 401)
    with ModelServer(pages={"/v1/models": refused}) as server, Wire(tmp_path) as wire:
        wire.initialize()
        listed = wire.call("agent/provider/models", {"baseUrl": server.url})
    assert listed["models"] == []
    assert listed["kind"] == "auth"
    assert listed["problem"]
    assert listed["hint"]


def test_address_is_completed_as_people_leave_it_out_and_the_whole_one_is_written(
    tmp_path: Path, server: ModelServer
) -> None:
    host = f"127.0.0.1:{server.port}"
    with Wire(tmp_path) as wire:
        wire.initialize()
        for typed in (host, f"http://{host}/", f" {host}/v1 "):
            assert wire.call("agent/provider/models", {"baseUrl": typed})["baseUrl"] == server.url, typed
        nothing = wire.call("agent/provider/models", {"baseUrl": f"{host}/other"})
        wire.call("agent/provider/use", {"baseUrl": f"{host}/v1", "model": "small-1"})
    assert nothing["problem"] == f"http://{host}/other has no list of models."
    assert "/v1" in nothing["hint"]
    assert tomllib.loads(file_of(tmp_path).read_text())["models"]["small-1"]["base_url"] == server.url


@pytest.mark.parametrize("asked", [{"provider": "nobody"}, {"baseUrl": "not an address"}, {}])
def test_server_that_cannot_be_meant_is_refused_with_what_to_write(
    tmp_path: Path, asked: dict[str, str]
) -> None:
    with Wire(tmp_path) as wire:
        wire.initialize()
        error = wire.ask("agent/provider/models", asked)["error"]
    assert error["data"]["kind"] == "configInvalid"
    assert not file_of(tmp_path).exists()


def test_status_has_the_words_for_calls(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        wire.initialize()
        calls = {row["name"]: row for row in wire.call("agent/status", {})["calls"]}
    words = {"name": "read_file", "done": "Read", "doing": "Reading", "kind": "read", "about": "path"}
    assert calls["read_file"] == words
