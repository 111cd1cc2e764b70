"""The real program and a server that stands where a provider is: its own name, its own certificate."""

import re
from typing import Any

import pytest

from agls.models.endpoint import DialectName
from doors.headless.conftest import Agls
from support.model_dialects import Said
from support.model_server import Failure, ModelServer, Raw, Reply
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


@pytest.mark.parametrize("name", ["gpt-5.6", "openai/gpt-5.6"])
def test_model_of_a_provider_with_a_key_can_be_named_beside_a_configured_one(agls: Agls, name: str) -> None:
    agls.script({"text": "Mine."})
    agls.environment["OPENAI_API_KEY"] = "sk-canary-1"
    with stand_in(
        "api.openai.com", [Raw(HELLO.events("responses"))] * 2, agls.environment, agls.home
    ) as server:
        assert agls.run("run", "hi", "--model", name).out == "Hello.\n"
        agls.environment["AGLS_MODEL"] = name
        assert agls.run("run", "hi").out == "Hello.\n"
        del agls.environment["AGLS_MODEL"]
        assert agls.run("run", "hi").out == "Mine.\n", "a key alone changes nothing"
        mistyped = agls.run("run", "hi", "--model", "scriptd")
    assert (mistyped.code, "There is no model called 'scriptd'" in mistyped.err) == (2, True)
    assert [post.body["model"] for post in server.posts] == ["gpt-5.6"] * 2


def test_a_model_that_refuses_chat_completions_names_the_setting(agls: Agls) -> None:
    agls.environment["OPENAI_API_KEY"] = "sk-canary-1"
    agls.configure('model = "m"\n[models.m]\ndialect = "chat"\nbase_url = "https://api.openai.com/v1"\n')
    refused = Failure(400, NO_TOOLS_HERE, type="invalid_request_error")
    with stand_in("api.openai.com", [refused], agls.environment, agls.home) as server:
        done = agls.run("run", "hi")
    assert [post.path for post in server.posts] == ["/v1/chat/completions"]
    assert done.code != 0
    assert 'Write dialect = "responses" into [models.m]' in done.err


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


def call_of(post: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The message with the call of the first model, and the one with its result."""
    at = next(n for n, message in enumerate(post.body["messages"]) if message["role"] == "assistant")
    return post.body["messages"][at], post.body["messages"][at + 1]


@pytest.mark.parametrize(
    ("host", "model", "dialect"),
    [
        ("api.mistral.ai", "mistral-large", "chat"),
        ("api.deepseek.com", "deepseek-v4", "chat"),
        ("generativelanguage.googleapis.com", "gemini-3-pro", "chat"),
        ("api.anthropic.com", "claude-sonnet-4-6", "anthropic"),
    ],
)
def test_session_of_another_model_goes_on_at_every_provider(
    agls: Agls, host: str, model: str, dialect: DialectName
) -> None:
    """A call with an odd id and white space beside it, and a result, as each provider takes them."""
    (agls.workspace / "a.txt").write_text("42")
    odd = Said(" \n", [("functions.read_file:0|" + "x" * 80, "read_file", '{"path":"a.txt"}')], usage=(9, 9))
    with (
        ModelServer([Raw(odd.events("chat")), Reply("It says 42.")]) as first,
        stand_in(host, [Raw(HELLO.events(dialect))], agls.environment, agls.home) as server,
    ):
        agls.configure(
            f'model = "a"\n[models.a]\nbase_url = "{first.url}"\n'
            f'[models.b]\nbase_url = "https://{host}/v1"\nmodel = "{model}"\napi_key = "k"\n'
            f'dialect = "{dialect}"\n'
        )
        assert agls.run("run", "read a.txt").out == "It says 42.\n"
        done = agls.run("resume", "and now?", "--model", "b")
        assert (done.code, done.out) == (0, "Hello.\n"), done.err
        called, result = call_of(server.posts[0])
    if dialect == "anthropic":
        (use,), (answer,) = called["content"], result["content"]
        assert use["type"] == "tool_use" and use["id"] == answer["tool_use_id"]
        assert re.fullmatch("[a-zA-Z0-9_-]{1,64}", use["id"])
        return
    (call,) = called["tool_calls"]
    assert call["id"] == result["tool_call_id"]
    assert len(call["id"]) == 9 or host != "api.mistral.ai"
    assert called.get("reasoning_content") == ("" if host == "api.deepseek.com" else None)
    signed = {"google": {"thought_signature": "skip_thought_signature_validator"}}
    assert call.get("extra_content") == (signed if "google" in host else None)


def test_tool_that_a_provider_refuses_is_left_out_and_reported(agls: Agls) -> None:
    refused = Failure(400, "Invalid schema for function 'grep': no", type="invalid_request_error")
    with ModelServer([refused, Reply("Hello.")]) as server:
        done = agls.run("run", "hi", "--base-url", server.url, "--model", "m")
        names = [[tool["function"]["name"] for tool in post.body["tools"]] for post in server.posts]
    assert (done.code, done.out) == (0, "Hello.\n")
    assert "The tool grep is left out." in done.err
    assert [("grep" in each, "glob" in each) for each in names] == [(True, True), (False, True)]


def test_answer_that_ends_with_network_error_is_not_taken_for_whole(agls: Agls) -> None:
    half = Said("Half of", [("c", "shell", '{"command":"touch made"}')], finish="network_error")
    with ModelServer([Raw(half.events("chat")), Reply("Hello.")]) as server:
        done = agls.run("run", "hi", "--base-url", server.url, "--model", "m", "--mode", "allowAll")
    assert (done.code, done.out, len(server.posts)) == (0, "Hello.\n", 2)
    assert "ended with network_error" in done.err
    assert not (agls.workspace / "made").exists()
