"""The real program and a server that stands where a provider is: its own name, its own certificate."""

import pytest

from doors.headless.conftest import Agls
from support.model_dialects import Said
from support.model_server import Failure, Raw, Reply
from support.stand_in import stand_in

HELLO = Said("Hello.", usage=(10, 5))
NO_TOOLS_HERE = (
    "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. "
    "To use function tools, use /v1/responses or set reasoning_effort to 'none'."
)


def test_openai_is_asked_in_the_responses_dialect_when_none_is_chosen(agls: Agls) -> None:
    agls.config_file.unlink()
    agls.environment |= {
        "OPENAI_API_KEY": "sk-canary-1",
        "OPENAI_MODEL": "gpt-5.6",
        "AGLS_CONFIG": "/dev/null",
    }
    replies = [Raw(HELLO.events("responses"))] * 2
    with stand_in("api.openai.com", replies, agls.environment, agls.home) as server:
        done = agls.run("run", "hi")
        assert (done.code, done.out) == (0, "Hello.\n"), done.err
        agls.environment["AGLS_CONFIG"] = str(agls.config_file)
        agls.configure('model = "m"\n[models.m]\nbase_url = "https://api.openai.com/v1"\nmodel = "gpt-5.6"\n')
        done = agls.run("run", "hi")
        assert (done.code, done.out) == (0, "Hello.\n"), done.err
    assert [post.path for post in server.posts] == ["/v1/responses"] * 2
    assert [post.headers["authorization"] for post in server.posts] == ["Bearer sk-canary-1"] * 2


def test_a_model_that_refuses_chat_completions_names_the_setting(agls: Agls) -> None:
    agls.environment["OPENAI_API_KEY"] = "sk-canary-1"
    agls.configure('model = "m"\n[models.m]\ndialect = "chat"\nbase_url = "https://api.openai.com/v1"\n')
    refused = Failure(400, NO_TOOLS_HERE, type="invalid_request_error")
    with stand_in("api.openai.com", [refused], agls.environment, agls.home) as server:
        done = agls.run("run", "hi")
    assert [post.path for post in server.posts] == ["/v1/chat/completions"]
    assert done.code != 0
    assert 'set dialect = "responses" in [models.m]' in done.err


@pytest.mark.parametrize(
    ("name", "host", "path"),
    [
        ("openrouter", "openrouter.ai", "/api/v1/chat/completions"),
        ("deepseek", "api.deepseek.com", "/v1/chat/completions"),
        ("mistral", "api.mistral.ai", "/v1/chat/completions"),
        ("xai", "api.x.ai", "/v1/chat/completions"),
        ("groq", "api.groq.com", "/openai/v1/chat/completions"),
    ],
)
def test_the_usual_variables_of_a_provider_are_enough(agls: Agls, name: str, host: str, path: str) -> None:
    agls.config_file.unlink()
    agls.environment |= {f"{name.upper()}_API_KEY": "sk-canary-1", "AGLS_CONFIG": "/dev/null"}
    with stand_in(host, [Reply("Hello."), Reply("Hello.")], agls.environment, agls.home) as server:
        done = agls.run("run", "hi", "--model", f"{name}/vendor/large")
        assert (done.code, done.out) == (0, "Hello.\n"), done.err
        agls.environment[f"{name.upper()}_MODEL"] = "small"
        assert agls.run("run", "hi").out == "Hello.\n"
    assert [post.path for post in server.posts] == [path] * 2
    assert [post.body["model"] for post in server.posts] == ["vendor/large", "small"]
    assert {post.headers["authorization"] for post in server.posts} == {"Bearer sk-canary-1"}
