"""How many tokens a request has, and how sure that is."""

import json
from typing import Any

import pytest

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import Image, Text, TokenCount, Usage, UserMessage
from agls.models.dialects.counting import GUESSED, IMAGE, TokenEstimator
from agls.models.endpoint import DialectName
from agls.models.fallback import ModelWithFallback
from support.model_asking import Asking, hear, prompt
from support.model_dialects import Said
from support.model_server import Failure, ModelServer, Raw, Reply
from support.scenario import FakeModel

LONG = "a long word " * 1000


def test_a_guess_becomes_a_measure_with_the_first_answer() -> None:
    gauge, request = TokenEstimator(), prompt("x")
    assert gauge.count(request, 3600) == TokenCount(round(3600 / GUESSED), "guess")
    gauge.learn(request, 6000, Usage(2000, 5))
    assert gauge.count(request, 9000) == TokenCount(3000, "calibrated")


@pytest.mark.parametrize("usage", [Usage(), Usage(0), Usage(3)])
def test_small_request_does_not_calibrate_the_meter(usage: Usage) -> None:
    gauge = TokenEstimator()
    gauge.learn(prompt("x"), 6000, usage)
    assert gauge.count(prompt("x"), 100).sure == "guess"


def test_the_bytes_of_images_are_not_words() -> None:
    image = Image("A" * 1_000_000, "image/png")
    request = ModelRequest("r", "", (UserMessage("u", (Text("see"), image)),))
    gauge = TokenEstimator()
    assert gauge.count(request, 1_003_600).tokens == 1000 + IMAGE
    gauge.learn(request, 1_006_000, Usage(2000 + IMAGE))
    assert gauge.count(prompt("x"), 3000).tokens == 1000


@pytest.mark.row(24)
@pytest.mark.parametrize(
    ("dialect", "path", "answer"),
    [
        ("anthropic", "/v1/messages/count_tokens", {"input_tokens": 42}),
        ("responses", "/v1/responses/input_tokens", {"object": "response.input_tokens", "input_tokens": 42}),
        ("gemini", "/v1/models/test-model:countTokens", {"totalTokens": 42}),
    ],
)
async def test_a_server_that_counts_is_asked(dialect: DialectName, path: str, answer: Any) -> None:
    """A count of the server is told as one."""
    async with ModelServer([Raw([json.dumps(answer).encode()])]) as server, Asking() as asking:
        found = await asking.model(server.url, dialect=dialect, api_key="k").count(prompt("hello"))
    assert found == TokenCount(42, "told")
    (asked,) = server.requests
    assert asked.path == path
    assert "hello" in asked.content.decode()
    assert not {"stream", "max_tokens", "store", "include"} & asked.body.keys()


@pytest.mark.parametrize("answer", [Failure(404), Raw([b"[]"]), Raw(begin="reset"), Raw([b"<html>"])])
async def test_a_server_that_does_not_count_is_not_needed(answer: Any) -> None:
    async with ModelServer([answer] * 2) as server, Asking() as asking:
        found = await asking.model(server.url, dialect="anthropic").count(prompt("hello"))
    assert (found.sure, found.tokens > 10) == ("guess", True)


def talk_of(request: Any) -> Any:
    return [message["content"] for message in request.body["messages"]]


async def test_vllm_counts_a_conversation() -> None:
    async with (
        ModelServer([Raw([b'{"count":42,"max_model_len":4096,"tokens":[1,2]}'])]) as server,
        Asking() as asking,
    ):
        found = await asking.model(server.url).count(prompt("hello"))
    assert found == TokenCount(42, "told")
    (asked,) = server.requests
    assert (asked.path, asked.body["model"], talk_of(asked)[-1]) == ("/tokenize", "test-model", "hello")


async def test_llama_cpp_counts_the_text_that_it_makes_of_a_conversation() -> None:
    answers = [Raw([b'{"tokens":[]}']), Raw([b'{"prompt":"<user>hello"}']), Raw([b'{"tokens":[5,6,7]}'])]
    async with ModelServer(answers) as server, Asking() as asking:
        found = await asking.model(server.url).count(prompt("hello"))
    assert found == TokenCount(3, "told")
    assert [request.path for request in server.requests] == ["/tokenize", "/apply-template", "/tokenize"]
    assert talk_of(server.requests[1])[-1] == "hello"
    assert server.requests[2].body["content"] == "<user>hello"


@pytest.mark.parametrize(
    "answers",
    [
        [Raw([b'{"tokens":[]}']), Failure(404)],
        [Raw([b'{"tokens":[]}']), Raw([b'{"prompt":"x"}']), Raw([b"[]"])],
    ],
)
async def test_a_local_server_that_counts_half_is_not_believed(answers: Any) -> None:
    async with ModelServer(answers) as server, Asking() as asking:
        assert (await asking.model(server.url).count(prompt("hello"))).sure == "guess"


async def test_a_server_elsewhere_is_not_asked_what_it_does_not_know() -> None:
    async with Asking() as asking:
        assert (await asking.model("https://host.invalid/v1").count(prompt("hello"))).sure == "guess"


async def test_a_model_with_a_fallback_counts_as_the_first_one() -> None:
    first, second = FakeModel([]), FakeModel([])
    counted = await ModelWithFallback(first, lambda: second).count(prompt("hello"))
    assert counted == TokenCount(1, "guess")


@pytest.mark.row(24)
async def test_each_answer_makes_the_next_count_surer() -> None:
    """A guess, until an answer says what was counted."""
    nowhere = Failure(404, "no such page")
    async with ModelServer([nowhere, Reply("ok", usage=(4000, 1)), nowhere]) as server, Asking() as asking:
        model = asking.model(server.url)
        before = await model.count(prompt(LONG))
        await hear(model, prompt(LONG))
        after = await model.count(prompt(LONG))
    assert (before.sure, after) == ("guess", TokenCount(4000, "calibrated"))


async def test_prompt_that_ollama_would_cut_silently_is_an_overflow() -> None:
    answers = [Raw(Said("ok", usage=(3000, 1)).events("ollama"))]
    async with ModelServer(answers) as server, Asking() as asking:
        small = asking.model(server.url, dialect="ollama", context_window=2000)
        guessed = await hear(small, prompt(LONG))
        assert guessed.overflow and guessed.overflow.limit == 2000
        assert "context_window" in guessed.overflow.message
        assert server.requests == []
        roomy = asking.model(server.url, dialect="ollama", context_window=3100)
        assert (await hear(roomy, prompt(LONG))).text == "ok"
        told = await hear(roomy, prompt(LONG + LONG))
    assert told.overflow and told.overflow.used and 5500 < told.overflow.used < 6500
    assert len(server.requests) == 1


async def test_local_limit_is_not_enforced_for_a_server_that_reports_overflows() -> None:
    async with ModelServer([Reply("ok")]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, context_window=10), prompt(LONG))
    assert heard.text == "ok"
