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
