"""`agls doctor`: the same findings as in the editors, an exit code, and no secret."""

import json
from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_replies import page
from support.model_server import Failure, ModelServer, Reply
from support.wire import Wire

pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine
KEY = "sk-canary-doctor-4711"
CALL = Reply(calls=[("report", {"word": "ready"})])
PAGES = {"/v1/models": page({"data": [{"id": "large", "context_length": 32768}]})}


def checks(report: dict[str, Any]) -> dict[str, str]:
    return {check["name"]: check["status"] for check in report["checks"]}


def configure(agls: Agls, url: str) -> None:
    agls.configure(f'model = "m"\n[models.m]\nmodel = "large"\nbase_url = "{url}"\napi_key_env = "K"\n')
    agls.config_file.chmod(0o600)
    agls.environment["K"] = KEY


def test_a_machine_that_is_well(agls: Agls) -> None:
    with ModelServer([CALL, CALL], pages=PAGES) as server:
        configure(agls, server.url)
        done, shown = agls.run("doctor", "--json"), agls.run("doctor")
    assert (done.code, shown.code, done.err) == (0, 0, "")
    assert checks(done.whole)["tools"] == "pass"
    assert "ok    tools        The model calls tools." in shown.out
    assert shown.out.splitlines()[-1].startswith(("All is well", "Nothing failed"))


def test_a_wrong_key_fails_and_is_not_told(agls: Agls) -> None:
    refuse = Failure(401, f"Incorrect API key provided: {KEY}")
    with ModelServer(lambda request: refuse, pages={"/v1/models": refuse.raw()}) as server:
        configure(agls, server.url)
        done = agls.run("doctor")
    assert done.code == 1
    assert "-> Check the key in the environment variable K." in done.out
    assert KEY not in done.out + done.err


def test_a_broken_configuration_is_what_it_is_for(agls: Agls) -> None:
    agls.configure(f'model = "m"\n[models.m\napi_key = "{KEY}"\n')
    done = agls.run("doctor", "--json", "--offline")
    assert done.code == 1
    config = next(check for check in done.whole["checks"] if check["name"] == "config")
    assert config["status"] == "fail"
    assert f"{agls.config_file}:2" in config["text"]
    assert KEY not in done.out + done.err


def test_an_editor_gets_the_same_findings(agls: Agls) -> None:
    with ModelServer([CALL, CALL], pages=PAGES) as server:
        configure(agls, server.url)
        alone = agls.run("doctor", "--json").whole
        command = ["env", *(f"{name}={value}" for name, value in agls.environment.items())]
        command += [f"AGLS_CONFIG={agls.config_file}", f"AGLS_STATE_DIR={agls.state}"]
        with Wire(agls.workspace, command=[*command, *Agls.argv(("serve", "--stdio"))]) as wire:
            wire.initialize()
            session = wire.session()
            params = {"sessionId": session, "name": "doctor", "input": {}}
            outcome = wire.call("agent/action/invoke", params)
            said = json.dumps(wire.messages)
    assert checks(outcome["data"]) == checks(alone)
    assert outcome["data"]["ok"] is True
    assert KEY not in said


def test_an_editor_can_ask_it_when_the_model_cannot_be_used(agls: Agls) -> None:
    agls.configure('model = "m"\n[models.m]\nbase_url = "http://127.0.0.1:1/v1"\napi_key_env = "NOT_SET"\n')
    command = ["env", f"AGLS_CONFIG={agls.config_file}", f"AGLS_STATE_DIR={agls.state}"]
    with Wire(agls.workspace, command=[*command, *Agls.argv(("serve", "--stdio"))]) as wire:
        wire.initialize()
        params = {"sessionId": wire.session(), "name": "doctor", "input": {"offline": True}}
        outcome = wire.call("agent/action/invoke", params)
    assert checks(outcome["data"])["model"] == "fail"
    assert "NOT_SET is not set" in outcome["output"][0]["text"]
