"""Differences between servers and models of chat completions, as data."""

import re
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from agls.models.dialects.call_ids import ANY, NINE, SHORT, CallIds
from agls.models.endpoint import Endpoint


class ChatServer(NamedTuple):
    """The properties of one server.

    `limit_field` names the output limit. `cache_key`: a key selects the cache of a session.
    `user_after_tool`: a user message may follow a result. `reasons_always`: every answer goes back with its
    `reasoning_content`, an empty one where it is unknown. `thinks_in_text`: the text of `<think>` goes back
    within the answer. `keeps_thinking`: it keeps the reasoning of earlier turns on request. `signs` is the
    place of the thought signature that it expects on calls of other models.
    """

    limit_field: str = "max_tokens"
    cache_key: bool = False
    call_ids: CallIds = ANY
    user_after_tool: bool = True
    reasons_always: bool = False
    thinks_in_text: bool = False
    keeps_thinking: bool = False
    signs: Literal["", "calls", "details"] = ""


DIFFERENCES: tuple[tuple[str, dict[str, Any]], ...] = (  # a pattern of "host/model", and what holds there
    (
        r"^([\w-]+\.)?api\.openai\.com/",
        {"limit_field": "max_completion_tokens", "cache_key": True, "call_ids": SHORT},
    ),
    (r"^[^/]+\.azure\.com/", {"limit_field": "max_completion_tokens", "call_ids": SHORT}),
    (r"^api\.mistral\.ai/", {"cache_key": True}),
    (
        r"^(api|codestral)\.mistral\.ai/|/.*((mi|magi|mini|code|dev)stral|pixtral|mixtral)",
        {"call_ids": NINE, "user_after_tool": False},
    ),
    (r"^(api\.deepseek\.com|api\.moonshot\.(ai|cn)|api\.kimi\.com)/", {"reasons_always": True}),
    (r"/.*minimax-m\d", {"thinks_in_text": True}),
    (r"^(api\.z\.ai|open\.bigmodel\.cn)/", {"keeps_thinking": True}),
    (r"/.*gemini-([3-9]|\d\d)", {"signs": "calls"}),
    (r"^openrouter\.ai/.*gemini-([3-9]|\d\d)", {"signs": "details"}),
)


def chat_server(endpoint: Endpoint) -> ChatServer:
    """Return the properties of this endpoint's server; later differences win."""
    return _server(f"{endpoint.host}/{endpoint.model}".lower())


@lru_cache(maxsize=64)  # every turn asks for it
def _server(place: str) -> ChatServer:
    server = ChatServer()
    for pattern, differences in DIFFERENCES:
        if re.search(pattern, place):
            server = server._replace(**differences)
    return server
