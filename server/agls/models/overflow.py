"""Recognises errors that mean a full context, and reads the limit and the size of the request from them."""

import re

from agls.engine.facts import Overflowed, Replied
from agls.models.endpoint import Endpoint
from agls.models.error_body import ErrorBody
from agls.regex import regex

CODES = regex(
    r"context_length_exceeded|context_window_exceeded|exceed_context_size|too_many_(prompt_)?tokens"
    r"|request_too_large|string_above_max_length"
)
WORDS = regex(
    r"(maximum|max) (context|prompt) length|exceed\w* (the |your |this )?(model'?s? |available |max )*"
    r"(context|token limit)|context (window|length|limit) exceed|context[_ ]length[_ ]exceeded"
    r"|(prompt|input) is too long|prompt too long|too many tokens|request too large"
    r"|input token count .*exceeds|token limit exceeded|greater than the context length"
    r"|context the overflows|length of all messages is too long|reduce the length of the (messages|input)"
    r"|exceeds the limit of \d+|too large for model with \d+ maximum context"
    r"|longer than the (model'?s )?context length|input tokens exceed"
    r"|cannot exceed the (total )?tokens? limit|`inputs` tokens \+ `max_new_tokens` must be",
    re.IGNORECASE,
)
NUMBERS = tuple(
    regex(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"maximum (?:context|prompt) length is (?P<limit>\d+).+?"
        r"(?:requested|resulted in|has|contains)\D{0,9}(?P<used>\d+)",
        r"contains (?P<used>\d+) tokens.*?with (?P<limit>\d+) maximum context",
        r"(?P<used>\d+) \+ \d+ > (?P<limit>\d+)",
        r"token count of (?P<used>\d+) exceeds the limit of (?P<limit>\d+)",
        r"token limit: (?P<limit>\d+) \(requested: (?P<used>\d+)",
        r"\((?P<used>\d+) tokens\) is longer.*?\((?P<limit>\d+)",
        r"too long: (?P<used>\d+), model maximum context length: (?P<limit>\d+)",
        r"must be <= (?P<limit>\d+). Given: (?P<used>\d+)",
        r"input tokens (?P<used>\d+) cannot exceed.*?limit (?P<limit>\d+)",
        r"(?P<used>\d+) tokens > (?P<limit>\d+) maximum",
        r"token count \((?P<used>\d+)\).*?\((?P<limit>\d+)\)",
        r"exceeded by (?P<over>\d+) tokens.*?limit for this model is (?P<limit>\d+)",
        r"keep the first (?P<used>\d+) tokens.*?only (?P<limit>\d+)",
        r"limit:? (?P<limit>\d+), requested:? (?P<used>\d+)",
        r"\((?P<used>\d+) tokens\) exceeds the available context size \((?P<limit>\d+)",
        r"context length by (?P<over>\d+)",
        r"(?:length is|limit of|token limit:?) (?P<limit>\d+)",
    )
)
NEARLY = 0.99  # of a window: what a server leaves of a prompt that it cuts to fit
HIDDEN = "{} answered with nothing to a request that fills its whole context."
TOO_LARGE = "The server says that the request is too large."
SILENT = "The server refused the request without a reason, as some do when the prompt is too long."


def overflow(status: int | None, error: ErrorBody, endpoint: Endpoint) -> Overflowed | None:
    """Return the overflow that this error means; `None` when it means something else."""
    if status in {400, 413} and not error.message and not error.codes and not error.is_page:
        return Overflowed(SILENT, endpoint.context_window)
    if status in {401, 402, 403, 404} or (status == 429 and "request too large" not in error.message.lower()):
        return None
    if "throttling" in error.codes:  # Bedrock's "too many tokens" of a minute
        return None
    if status != 413 and not CODES.search(error.codes) and not WORDS.search(error.message):
        return None
    limit, used = _numbers(error, endpoint.context_window)
    return Overflowed(error.message or error.codes or TOO_LARGE, limit, used)


def silent_overflow(reply: Replied, endpoint: Endpoint) -> Overflowed | None:
    """Return the overflow behind an empty reply to a request that fills the context window; else `None`."""
    window, used = endpoint.context_window, reply.usage.input_tokens
    if reply.text.strip() or reply.tool_calls or not window or used is None or used < NEARLY * window:
        return None
    return Overflowed(HIDDEN.format(endpoint.name), window, used)


def _numbers(error: ErrorBody, window: int | None) -> tuple[int | None, int | None]:
    data = error.data or {}
    limit, used = _count(data.get("n_ctx")), _count(data.get("n_prompt_tokens"))
    if limit and used:
        return limit, used
    found = next((match for pattern in NUMBERS if (match := pattern.search(error.message))), None)
    groups = found.groupdict() if found else {}
    limit = _count(groups.get("limit")) or window
    over = _count(groups.get("over"))
    return limit, limit + over if limit and over else _count(groups.get("used"))


def _count(value: object) -> int | None:
    return int(str(value)) if str(value).isdigit() else None
