"""Every way to fail, told for what it is."""

import json
import time
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest

from agls.engine.facts import Overflowed
from agls.models.endpoint import Endpoint
from agls.models.errors import Failure, failure_of, redirected, with_models
from support.model_overflows import OVERFLOWS

KEY = "sk-abcdef1234567890"
ENDPOINT = Endpoint(
    name="m", model="gpt-x", base_url="https://host.example/v1", api_key=KEY, key_variable="X_KEY"
)


def told(status: int | None, body: Any, endpoint: Endpoint = ENDPOINT, **headers: str) -> Failure:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    failure = failure_of(status, named, body, endpoint)
    assert isinstance(failure, Failure)
    return failure


def message(text: str, **more: Any) -> Any:
    return json.dumps({"error": {"message": text, **more}})


@pytest.mark.parametrize("provider", OVERFLOWS)
def test_a_request_that_does_not_fit_is_an_overflow_with_its_numbers(provider: str) -> None:
    for case in OVERFLOWS[provider]:
        body = case.body if isinstance(case.body, str) else json.dumps(case.body)
        overflowed = failure_of(case.status, {}, body, ENDPOINT)
        assert isinstance(overflowed, Overflowed), case
        assert (overflowed.limit, overflowed.used) == (case.limit, case.used)
        assert overflowed.message


def test_an_overflow_inside_an_answer_is_one() -> None:
    body = {"error": {"code": 400, "message": "9 tokens: too large for model with 8 maximum context length"}}
    assert isinstance(failure_of(None, {}, body, ENDPOINT), Overflowed)


def test_overflow_without_a_limit_takes_the_configured_window() -> None:
    endpoint = replace(ENDPOINT, context_window=1000)
    body = message("prompt too long; exceeded max context length by 50 tokens")
    assert failure_of(400, {}, body, endpoint) == Overflowed(json.loads(body)["error"]["message"], 1000, 1050)


@pytest.mark.parametrize(
    ("status", "body", "kind", "is_retryable"),
    [
        (401, message("Incorrect API key provided"), "auth", False),
        (401, '{"detail": "Invalid API Key"}', "auth", False),
        (403, "Forbidden", "auth", False),
        (400, '{"code":"invalid-argument","error":"Incorrect API key provided."}', "auth", False),
        (400, '[{"error": {"message": "API key not valid", "status": "INVALID_ARGUMENT"}}]', "auth", False),
        (402, message("Payment required"), "quota", False),
        (429, message("You exceeded your quota", code="insufficient_quota"), "quota", False),
        (400, message("Your credit balance is too low"), "quota", False),
        (404, message("The model `x` does not exist", code="model_not_found"), "modelNotFound", False),
        (404, '{"error":"model \'x\' not found"}', "modelNotFound", False),
        (404, message("gone"), "modelNotFound", False),
        (400, message("Model Not Exist"), "modelNotFound", False),
        (404, "404 page not found", "badRequest", False),
        (405, "", "badRequest", False),
        (400, message("bad", code="unsupported_parameter"), "badRequest", False),
        (422, '{"detail": [{"loc": ["body"], "msg": "field required"}]}', "badRequest", False),
        (400, message("filtered", code="content_filter"), "contentFilter", False),
        (429, message("slow down"), "rateLimit", True),
        (429, message("Rate limit reached: maximum context length"), "rateLimit", True),
        (408, "", "timeout", True),
        (504, "<html>", "timeout", True),
        (409, message("conflict"), "providerInternal", True),
        (500, message("model not found in cache"), "providerInternal", True),
        (502, "<html>Bad gateway</html>", "providerInternal", True),
        (599, "", "providerInternal", True),
        (503, "", "overloaded", True),
        (529, message("Overloaded", type="overloaded_error"), "overloaded", True),
        (500, message("Overloaded", type="overloaded_error"), "overloaded", True),
        (None, {"error": {"message": "x", "code": 429}}, "rateLimit", True),
        (None, {"error": {"message": "x", "code": "tool_use_failed"}}, "badRequest", False),
        (None, {"error": "anything"}, "providerInternal", True),
        (None, {"error": {}}, "providerInternal", True),
        (418, "null", "badRequest", False),
        (418, "3", "badRequest", False),
        (418, "[]", "badRequest", False),
    ],
)  # fmt: skip
def test_a_failure_has_its_kind_and_whether_it_may_pass(
    status: int | None, body: Any, kind: str, is_retryable: bool
) -> None:
    failure = told(status, body)
    assert (failure.kind, failure.is_retryable, failure.status) == (kind, is_retryable, status)


def test_a_server_that_says_not_to_ask_again_is_not_asked_again() -> None:
    assert not told(500, "x", x_should_retry="false").is_retryable


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"retry_after": "7"}, "", 7.0),
        ({"retry_after": "1", "retry_after_ms": "2500"}, "", 2.5),
        ({"retry_after": "1", "retry_after_ms": "0"}, "", 1.0),
        ({"retry_after": "soon"}, "", 0.0),
        ({"retry_after": "Wed, 21 Oct 2015 07:28:00 GMT"}, "", 0.0),
        ({"retry_after": "315360000"}, "", 315360000.0),
        ({}, message("x", details=[{"retryDelay": "48s"}, {"other": 1}]), 48.0),
        ({}, message("x", details="text"), 0.0),
    ],
)
def test_the_wait_that_the_server_asks_for_is_read(
    headers: dict[str, str], body: str, seconds: float
) -> None:
    assert told(429, body, **headers).wait == seconds


def test_a_date_to_wait_for_becomes_seconds() -> None:
    wait = told(429, "", retry_after=formatdate(time.time() + 60, usegmt=True)).wait
    assert 55 < wait <= 60


def test_the_upstream_reason_of_a_gateway_is_shown() -> None:
    failure = told(429, message("Provider returned error", metadata={"raw": "rate-limited upstream"}))
    assert "Provider returned error: rate-limited upstream" in failure.message


@pytest.mark.parametrize(
    ("status", "body", "words"),
    [
        (401, "", "X_KEY"),
        (402, "", "host.example"),
        (404, message("no"), "gpt-x"),
        (404, "not here", "https://host.example/v1"),
        (400, message("Use 'max_completion_tokens' instead."), "output limit"),
        (400, message("max_tokens: 32000 > 8192, the maximum allowed number"), "output_limit"),
        (400, message("model x does not support tools"), "can use tools"),
        (400, message("x does not support thinking"), "another effort"),
        (400, message("image input is not supported"), "leave them out"),
        (400, message("no"), "another model"),
        (408, "", "took too long"),
        (500, "", "server's"),
        (503, "", "busy"),
        (400, message("no", code="content_filter"), "other words"),
    ],
)
def test_a_hint_says_what_to_do(status: int, body: str, words: str) -> None:
    assert words in told(status, body).hint


def test_without_a_key_the_hint_says_where_to_put_one() -> None:
    nameless = replace(ENDPOINT, api_key="", key_variable="")
    where = "enter one for host.example, or name its variable with api_key_env."
    assert told(401, "", nameless).hint == f"No key was sent: {where}"
    assert told(401, "", replace(ENDPOINT, api_key="")).hint == (
        "No key was sent. Set the environment variable X_KEY."
    )


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("bad key", "bad key."),
        ("Too bad!", "Too bad!"),
        ("bad key (code 7)", "bad key (code 7)."),
        ("bad key (see the log.)", "bad key (see the log.)"),
        ("the reason:\n", "the reason."),
    ],
)
def test_error_text_of_the_server_ends_with_a_full_stop(said: str, written: str) -> None:
    assert told(401, message(said)).message == f"m (host.example) answered HTTP 401: {written}"


def test_a_hint_for_a_key_from_the_configuration_names_the_model() -> None:
    assert "'m'" in told(401, "", replace(ENDPOINT, key_variable="")).hint


def test_a_rate_limit_says_how_long() -> None:
    assert "60 seconds" in told(429, "", retry_after="60").hint
    assert "another model" in told(429, "").hint


def test_keys_control_characters_and_endless_texts_are_never_shown() -> None:
    endpoint = replace(ENDPOINT, headers={"X-Token": "very-secret-token"})
    text = f"wrong key {KEY} and very-secret-token, sk-proj-Other_1234567890\x1b[31m\nred " + "long " * 500
    failure = told(401, message(text), endpoint)
    for secret in (KEY, "very-secret-token", "sk-proj-Other_1234567890", "\x1b", "\n"):
        assert secret not in failure.message
    assert len(failure.message) < 700
    assert KEY not in repr(endpoint) and "very-secret-token" not in repr(endpoint)


def test_an_unknown_model_is_answered_with_the_names_the_server_has_likeliest_first() -> None:
    failure = told(404, message("no such model"))
    names = [f"model-{n}" for n in range(20)] + ["gpt-x1"]
    hint = with_models(failure, names, ENDPOINT).hint
    assert "The server has: gpt-x1, model-0," in hint
    assert "and 9 more." in hint
    assert with_models(failure, [], ENDPOINT) == failure


def test_a_redirect_names_the_target_without_its_query() -> None:
    failure = redirected("https://evil.example/v1?key=1", 307, ENDPOINT)
    assert "https://evil.example/v1" in failure.message
    assert "key=1" not in failure.message
    assert not failure.is_retryable
    assert "another address" in redirected("", 302, ENDPOINT).message
