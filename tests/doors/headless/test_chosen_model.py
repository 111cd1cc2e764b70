"""`/model` takes the names that `--model` takes, one that nobody configured at a server that takes any."""

from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply, Request

pytestmark = [pytest.mark.row(1), pytest.mark.timeout(150)]


def _answer(request: Request) -> Reply:
    body: dict[str, Any] = request.body
    return Reply(f"I am {body['model']}.")


@pytest.mark.parametrize("prefix", ["OPENAI", "AGLS"])
def test_command_names_any_model_of_the_server_in_the_environment_as_the_option_does(
    agls: Agls, prefix: str
) -> None:
    agls.configure("")
    with ModelServer(_answer) as server:
        place = {f"{prefix}_BASE_URL": server.url, f"{prefix}_MODEL": "toy", f"{prefix}_API_KEY": "k"}
        agls.environment |= place
        assert agls.run("run", "who?").out == "I am toy.\n"
        chosen = agls.run("-c", "/model toy-2")
        assert (chosen.out, chosen.err) == ("The next run asks the model toy-2.\n", "")
        assert agls.run("-c", "who?").out == "I am toy-2.\n"
        assert agls.run("-c", "/model").out.startswith("The model is toy-2.")
        assert agls.run("-c", "--model", "toy-3", "who?").out == "I am toy-3.\n"
    assert {request.headers["authorization"] for request in server.posts} == {"Bearer k"}


def test_named_model_of_a_provider_has_its_key_beside_configured_models(agls: Agls) -> None:
    """A run and the doctor look in the same places. Nothing is reached: the proxy refuses."""
    agls.script({"text": "Another one."})
    agls.environment["HTTPS_PROXY"] = "http://127.0.0.1:9"
    doctor = ("doctor", "--model", "gpt-4o", "--offline")
    prompt = ("run", "go", "--model", "gpt-4o", "--max-seconds", "3")
    without = agls.run(*doctor), agls.run(*prompt)
    for shown in (without[0].out, without[1].err):
        assert "There is no model called 'gpt-4o'." in shown
        assert "To ask openai for it: agls key set openai, or set OPENAI_API_KEY." in shown
    assert agls.run("key", "set", "openai", stdin="kept").code == 0
    kept = agls.run(*doctor), agls.run(*prompt)
    assert agls.run("key", "remove", "openai").code == 0
    agls.environment["OPENAI_API_KEY"] = "key"
    for looked, done in (kept, (agls.run(*doctor), agls.run(*prompt))):
        assert "Runs use gpt-4o at https://api.openai.com/v1." in looked.out
        assert "https://api.openai.com/v1 cannot be reached" in done.err
    assert "agls key set" not in agls.run("run", "go", "--model", "gpt-fuor").err
