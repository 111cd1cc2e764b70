"""What a user adds to a model's requests: sampling, members of the body, a query in the address."""

from typing import Any

import pytest

from agls.models.dialects.dialect import dialect_of, merged
from agls.models.endpoint import DialectName, Endpoint
from agls.models.errors import Failure, failure_of
from support.model_asking import Asking, hear, prompt
from support.model_dialects import SAMPLED
from support.model_faults import QUICK, raw
from support.model_server import Failure as Refused
from support.model_server import ModelServer


def at(body: Any, place: str) -> Any:
    for name in place.split("."):
        body = body[name]
    return body


async def test_sampling_and_own_members_are_sent_where_the_dialect_has_them(dialect: DialectName) -> None:
    own = {"temperature": 0.0, "top_p": 0.5, "extra_body": {"provider": {"order": ["a"]}, "seed": 7}}
    async with ModelServer([raw(dialect), raw(dialect)]) as server, Asking() as asking:
        for more in (own, {}):
            model = asking.model(server.url, dialect=dialect, **more)
            assert (await hear(model, prompt(max_output_tokens=50, effort="low"))).reply
        first, plain = (post.body for post in server.posts)
    assert [at(first, place) for place in SAMPLED[dialect]] == [0.0, 0.5]
    assert (first["provider"], first["seed"]) == ({"order": ["a"]}, 7)
    assert list(first)[-1] == list(plain)[-1], "the conversation stays last"
    assert "temperature" not in str(plain) and "seed" not in plain


def test_own_members_are_joined_with_ours_and_replace_them() -> None:
    ours = {"options": {"num_ctx": 1, "deep": {"a": 1}}, "stream_options": {"include_usage": True}}
    more = {"options": {"num_ctx": 2, "deep": {"b": 2}}, "stream_options": None}
    assert merged(ours, more) == {"options": {"num_ctx": 2, "deep": {"a": 1, "b": 2}}, "stream_options": None}


QUERY = "?api-version=2024-10-21"


@pytest.mark.parametrize(
    ("dialect", "base_url", "url"),
    [
        (
            "chat",
            f"https://h/openai/deployments/d{QUERY}",
            f"https://h/openai/deployments/d/chat/completions{QUERY}",
        ),
        ("chat", f"https://h/v1/{QUERY}", f"https://h/v1/chat/completions{QUERY}"),
        ("responses", f"https://h/openai/v1{QUERY}", f"https://h/openai/v1/responses{QUERY}"),
        ("anthropic", f"https://h{QUERY}", f"https://h/v1/messages{QUERY}"),
        ("gemini", "https://h?x=1", "https://h/v1beta/models/m:streamGenerateContent?alt=sse&x=1"),
        ("ollama", "http://h/v1?x=1", "http://h/api/chat"),
    ],
)
def test_query_of_an_address_stands_behind_the_path(dialect: DialectName, base_url: str, url: str) -> None:
    endpoint = Endpoint(name="m", model="m", base_url=base_url, dialect=dialect)
    assert dialect_of(endpoint).url(endpoint) == url


@pytest.mark.parametrize(
    ("key", "header", "value"),
    [("k" * 9, "api-key", "k" * 9), ("eyJtoken", "Authorization", "Bearer eyJtoken")],
)
def test_key_of_azure_stands_in_its_own_header(key: str, header: str, value: str) -> None:
    endpoint = Endpoint(name="m", base_url="https://me.openai.azure.com/openai/v1", api_key=key)
    assert dialect_of(endpoint).sent_headers(endpoint) == {header: value}


# --- waits ---------------------------------------------------------------------------------------

WAITS = [
    ("Rate limit reached for gpt-5. Please try again in 20s. Visit the page", 20.0),
    ("Limit 6000, Used 5900. Please try again in 1m2.5s.", 62.5),
    ("Please try again in 350ms.", 0.35),
    ("Please retry after 12 seconds.", 12.0),
    ("Please retry in 36.5s", 36.5),
    ("You can try again in 6h0m1s", 21_601.0),
    ("Too many requests, please wait 2 minutes and 3 seconds", 120.0),
    ("Try again in about 1 hour", 3_600.0),
    ("Please retry after 3 attempts", 0.0),
    ("You may try again later. The limit is 20s", 0.0),
]


@pytest.mark.parametrize(("words", "seconds"), WAITS)
def test_wait_that_the_words_name_is_read(words: str, seconds: float) -> None:
    failure = failure_of(429, {}, {"error": {"message": words}}, Endpoint(name="m"))
    assert isinstance(failure, Failure)
    assert (failure.kind, failure.wait) == ("rateLimit", pytest.approx(seconds))


async def test_wait_of_a_header_counts_more_than_that_of_the_words() -> None:
    header = Refused(429, "Try again in 90s.", headers={"Retry-After": "7"})
    async with (
        ModelServer([header, Refused(429, "Try again in 90s."), raw("chat")]) as server,
        Asking() as asking,
    ):
        heard = await hear(asking.model(server.url, QUICK))
    assert heard.reply and [wait.delay for wait in heard.waits] == [7.0, 90.0]


def test_sampling_that_a_model_does_not_take_names_the_setting() -> None:
    words = "Unsupported parameter: 'temperature' is not supported with this model."
    failure = failure_of(400, {}, {"error": {"message": words}}, Endpoint(name="m"))
    assert isinstance(failure, Failure)
    assert "Leave temperature and top_p of this model unset" in failure.hint
