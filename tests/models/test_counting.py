"""How many tokens a request has, and how sure that is."""

import json
from typing import Any

import pytest

from aglet.engine.ports import ModelRequest
from aglet.engine.vocabulary import Image, Text, Usage, UserMessage
from aglet.models.counting import GUESSED, IMAGE, Count, Gauge
from aglet.models.endpoint import Dialect
from support.model_asking import Asking, hear, prompt
from support.model_dialects import Said
from support.model_server import Failure, ModelServer, Raw, Reply

LONG = "a long word " * 1000


def test_a_guess_becomes_a_measure_with_the_first_answer() -> None:
    gauge, request = Gauge(), prompt("x")
    assert gauge.count(request, 3600) == Count(round(3600 / GUESSED), "guess")
    gauge.learn(request, 6000, Usage(2000, 5))
    assert gauge.count(request, 9000) == Count(3000, "calibrated")


@pytest.mark.parametrize("usage", [Usage(), Usage(0), Usage(3)])
def test_too_little_teaches_nothing(usage: Usage) -> None:
    gauge = Gauge()
    gauge.learn(prompt("x"), 6000, usage)
    assert gauge.count(prompt("x"), 100).sure == "guess"


def test_the_bytes_of_images_are_not_words() -> None:
    image = Image("A" * 1_000_000, "image/png")
    request = ModelRequest("r", "", (UserMessage("u", (Text("see"), image)),))
    gauge = Gauge()
    assert gauge.count(request, 1_003_600).tokens == 1000 + IMAGE
    gauge.learn(request, 1_006_000, Usage(2000 + IMAGE))
    assert gauge.count(prompt("x"), 3000).tokens == 1000


@pytest.mark.parametrize(
    ("dialect", "path", "answer"),
    [
        ("anthropic", "/v1/messages/count_tokens", {"input_tokens": 42}),
        ("gemini", "/v1/models/test-model:countTokens", {"totalTokens": 42}),
    ],
)
async def test_a_server_that_counts_is_asked(dialect: Dialect, path: str, answer: Any) -> None:
    async with ModelServer([Raw([json.dumps(answer).encode()])]) as server, Asking() as asking:
        found = await asking.model(server.url, dialect=dialect, api_key="k").count(prompt("hello"))
    assert found == Count(42, "told")
    (asked,) = server.requests
    assert asked.path == path
    assert "hello" in asked.content.decode()
    assert not {"stream", "max_tokens"} & asked.body.keys()


@pytest.mark.parametrize("answer", [Failure(404), Raw([b"[]"]), Raw(begin="reset"), Raw([b"<html>"])])
async def test_a_server_that_does_not_count_is_not_needed(answer: Any) -> None:
    async with ModelServer([answer]) as server, Asking() as asking:
        found = await asking.model(server.url, dialect="anthropic").count(prompt("hello"))
    assert (found.sure, found.tokens > 10) == ("guess", True)


async def test_each_answer_makes_the_next_count_surer() -> None:
    async with ModelServer([Reply("ok", usage=(4000, 1))]) as server, Asking() as asking:
        model = asking.model(server.url)
        before = await model.count(prompt(LONG))
        await hear(model, prompt(LONG))
        after = await model.count(prompt(LONG))
    assert (before.sure, after) == ("guess", Count(4000, "calibrated"))


async def test_what_ollama_would_cut_off_without_a_word_is_an_overflow() -> None:
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


async def test_a_server_that_tells_an_overflow_itself_is_asked() -> None:
    async with ModelServer([Reply("ok")]) as server, Asking() as asking:
        heard = await hear(asking.model(server.url, context_window=10), prompt(LONG))
    assert heard.text == "ok"
