"""The failures of model calls, classified into the engine's kinds, each with a hint for the user."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

from agls.engine.facts import Overflowed
from agls.engine.ports import ModelError
from agls.frozen import frozen
from agls.models.endpoint import Endpoint
from agls.models.error_body import ErrorBody, parse_error, requested_wait
from agls.models.overflow import overflow
from agls.regex import regex
from agls.short_text import sentence

USUAL_END = "an address usually ends in /v1"
LISTED = 12  # models named in a hint


@frozen
class Failure:
    """A failed call. `is_retryable`: another try may succeed. `wait`: the requested seconds until then.

    `corrected`: the next try avoids the cause. `codes` are the server's own.
    """

    kind: str
    message: str
    hint: str = ""
    status: int | None = None
    is_retryable: bool = False
    wait: float = 0.0
    corrected: bool = False
    codes: str = ""


class CallFailed(ModelError):
    """A `ModelError` with its `Failure`, which says whether a retry makes sense."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message, kind=failure.kind, hint=failure.hint, status=failure.status)
        self.failure = failure


@frozen
class FailureRule:
    """A kind of failure and its signs: one of the statuses, a pattern of codes, or one of words."""

    kind: str
    statuses: frozenset[int]
    codes: str
    words: str = r"(?!)"
    is_retryable: bool = False

    def matches(self, status: int | None, parsed: ErrorBody) -> bool:
        """Return whether any sign is present. Words count only in client errors (below 500)."""
        if status in self.statuses or re.search(self.codes, parsed.codes):
            return True
        return (status or 400) < 500 and bool(re.search(self.words, parsed.message, re.IGNORECASE))


RULES = (
    FailureRule(
        "quota",
        frozenset({402}),
        r"insufficient_quota|insufficient_balance|billing|exceeded_current_quota",
        r"insufficient (balance|credit|funds)|credit balance is too low|out of credits",
    ),
    FailureRule(
        "contentFilter",
        frozenset(),
        r"content_filter|content_policy|responsibleai|data_inspection|moderation",
        r"content management policy",
    ),
    FailureRule(
        "auth",
        frozenset({401, 403}),
        r"invalid_api_key|authentication|api_key_invalid|unauthori|permission_|accessdenied|expiredtoken",
        r"(invalid|incorrect|missing|wrong|no) api key|api key (is )?(not valid|invalid|missing|expired)",
    ),
    FailureRule(
        "modelNotFound",
        frozenset(),
        r"model_not_found|deploymentnotfound|unknown_model|not_found_error|resourcenotfound",
        r"model\b.{0,200}\b(not found|not exist)|(not a valid|unknown|no such|invalid) model"
        r"|model identifier is invalid",
    ),
    FailureRule(
        "rateLimit",
        frozenset({429}),
        r"rate_?limit|resource_exhausted|too_many_requests|throttling",
        is_retryable=True,
    ),
    FailureRule(
        "overloaded",
        frozenset({503, 529}),
        r"overloaded|unavailable|no_capacity|insufficient_system_resource",
        is_retryable=True,
    ),
    FailureRule(
        "timeout", frozenset({408, 504}), r"request_timeout|deadline_exceeded|modeltimeout", is_retryable=True
    ),
    FailureRule(
        "providerInternal", frozenset({409, 500, 502}), r"server_error|internal|api_error", is_retryable=True
    ),
)


def failure_of(
    status: int | None, headers: Mapping[str, str], body: object, endpoint: Endpoint
) -> Failure | Overflowed:
    """Classify an error response. `status` is `None` for an error inside a 200 response.

    `body` is the text of the response, or the JSON value that held the error. The names of `headers` are in
    lower case.
    """
    parsed = parse_error(body, endpoint)
    if overflowed := overflow(status or parsed.status, parsed, endpoint):
        return overflowed
    kind, is_retryable = _sorted(status or parsed.status, parsed)
    wait = requested_wait(headers, parsed)
    message = sentence(parsed.message or parsed.codes or "it gave no reason")
    failure = Failure(
        kind,
        f"{_place(endpoint)} answered {f'HTTP {status}' if status else 'with an error'}: {message}",
        status=status,
        is_retryable=is_retryable and headers.get("x-should-retry") != "false",
        wait=wait,
        codes=parsed.codes,
    )
    return replace(failure, hint=hint(failure, parsed, endpoint))


def _sorted(status: int | None, parsed: ErrorBody) -> tuple[str, bool]:
    for rule in RULES:
        if rule.matches(status, parsed):
            return rule.kind, rule.is_retryable
    if status == 404 and parsed.data:
        return "modelNotFound", False
    if status is None and not re.search(r"invalid_request|tool_use_failed|validationexception", parsed.codes):
        return "providerInternal", True
    return ("providerInternal", True) if status and status >= 500 else ("badRequest", False)


REMEDIES = {
    "rateLimit": "Ask again in a while, or choose another model.",
    "overloaded": "The server is busy: ask again in a while, or choose another model.",
    "timeout": "The server took too long: ask again, or choose another model.",
    "providerInternal": "The fault is the server's: ask again, or choose another model.",
    "contentFilter": "The provider's filter refused it: put it in other words, or choose another model.",
    "badRequest": "If this model cannot do what was asked (tools, images, an effort), choose another model.",
}
RESPONSES_ONLY = regex(r"/v1/responses|not a chat model", re.IGNORECASE)
BAD_CALL = "The model wrote a call that does not fit its tool: ask again, or choose another model."
BAD_REQUESTS = (  # words of the server, and what to do
    (r"max_completion_tokens", "Leave the output limit of this model unset."),
    (r"max_tokens", "Set output_limit of this model to what the server allows."),
    (r"temperature|top_p", "Leave temperature and top_p of this model unset: it does not take them."),
    (r"thinking|reasoning|effort", "Choose another effort, or none: this model does not take this one."),
    (r"tool", "Choose a model that can use tools."),
    (r"image|vision|multimodal", "This model cannot see images: leave them out, or choose one that can."),
)


def hint(failure: Failure, parsed: ErrorBody, endpoint: Endpoint) -> str:
    """Return what the user can do about the failure."""
    if endpoint.dialect == "chat" and RESPONSES_ONLY.search(parsed.message):
        setting = endpoint.setting('dialect = "responses"')
        return f"This model wants the Responses API. {setting}"
    match failure.kind:
        case "auth":
            return _about_the_key(endpoint)
        case "quota":
            return f"The account at {endpoint.host} has nothing left to spend: add credit."
        case "modelNotFound":
            named = "" if endpoint.model == endpoint.name else f" of the model {endpoint.name!r}"
            return f"Check the name {endpoint.model!r}{named}."
        case "rateLimit" if failure.wait:
            return f"The server asks to wait {failure.wait:.0f} seconds."
        case "badRequest":
            return _about_the_request(failure, parsed, endpoint)
        case kind:
            return REMEDIES[kind]


def _about_the_request(failure: Failure, parsed: ErrorBody, endpoint: Endpoint) -> str:
    if "tool_use_failed" in parsed.codes:
        return BAD_CALL
    if parsed.is_page or failure.status in {404, 405}:
        return (
            f"Check {endpoint.given_address} and dialect ({endpoint.dialect}): "
            f"{USUAL_END}, and most servers speak chat."
        )
    found = (do for words, do in BAD_REQUESTS if re.search(words, parsed.message, re.IGNORECASE))
    return next(found, REMEDIES["badRequest"])


def _about_the_key(endpoint: Endpoint) -> str:
    if endpoint.credential.hint:
        return endpoint.credential.hint
    if endpoint.key_place:
        return f"Check the key for {endpoint.host} in {endpoint.key_place}, or enter another one there."
    match bool(endpoint.api_key), endpoint.key_variable:
        case True, "":
            return f"Check the API key configured for the model {endpoint.name!r}."
        case True, variable:
            return f"Check the key in the environment variable {variable}."
        case False, "":
            return f"No key was sent: enter one for {endpoint.host}, or name its variable with api_key_env."
        case _, variable:
            return f"No key was sent. Set the environment variable {variable}."


def with_models(failure: Failure, names: Sequence[str], endpoint: Endpoint) -> Failure:
    """Return the failure with the names of the server's models in its hint, the most similar first."""
    if not names:
        return failure
    close = get_close_matches(endpoint.model, names, n=3, cutoff=0.5)
    listed = [*close, *(name for name in names if name not in close)]
    more = f" and {len(listed) - LISTED} more" if len(listed) > LISTED else ""
    return replace(failure, hint=f"{failure.hint} The server has: {', '.join(listed[:LISTED])}{more}.")


def redirected(location: str, status: int, endpoint: Endpoint) -> Failure:
    """Return the failure of a redirect, which is never followed: the key belongs to one host."""
    target = location.partition("?")[0][:200] or "another address"
    place = endpoint.address_place or "base_url"
    return Failure(
        "network",
        f"{_place(endpoint)} sends its requests on to {target}.",
        f"It was not followed, because the key belongs to {endpoint.host}. If you trust it, change {place}.",
        status,
    )


def web_page(endpoint: Endpoint) -> Failure:
    """Return the failure of HTML in place of an answer: a captive portal, a proxy's login, a wrong path."""
    return Failure(
        "network",
        f"{_place(endpoint)} answered with a web page instead of a model's answer.",
        f"A login page is in between, or {endpoint.given_address} is wrong: {USUAL_END}.",
    )


def malformed(endpoint: Endpoint, what: str) -> Failure:
    """Return the failure of an answer that cannot be parsed; `what` completes the sentence."""
    return Failure(
        "providerInternal", f"{_place(endpoint)} {what}.", REMEDIES["providerInternal"], is_retryable=True
    )


def too_large(endpoint: Endpoint) -> Failure:
    """Return the failure of an oversized answer: an endless stream, or a decompression bomb."""
    message = f"{_place(endpoint)} sent more than an answer can be."
    return Failure("providerInternal", message, REMEDIES["providerInternal"])


def timed_out(endpoint: Endpoint) -> Failure:
    """Return the failure of an answer that exceeded `timeout`."""
    return Failure(
        "timeout",
        f"The answer of {_place(endpoint)} was not complete after {endpoint.timeout:g} seconds.",
        f"If its answers may take longer: {endpoint.setting(f'timeout = {endpoint.timeout * 2:g}')}",
    )


def incomplete(endpoint: Endpoint) -> Failure:
    """Return the failure of an answer that ended before it was complete."""
    return Failure(
        "network",
        f"The answer of {_place(endpoint)} broke off before it was complete.",
        "Nothing of it was carried out. Ask again, or ask to go on.",
        is_retryable=True,
    )


def empty_answer(endpoint: Endpoint) -> Failure:
    """Return the failure of an empty success, LM Studio's response to a prompt that does not fit."""
    return Failure(
        "network",
        f"{_place(endpoint)} sent an empty answer.",
        "Local servers do this when the prompt is longer than their context length: raise that.",
    )


def _place(endpoint: Endpoint) -> str:
    return f"{endpoint.name} ({endpoint.host})" if endpoint.host else endpoint.name
