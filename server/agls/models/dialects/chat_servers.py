"""What single servers and models of chat completions want otherwise than the rest: data, first to last."""

import re
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from agls.models.dialects.call_ids import ANY, NINE, SHORT, CallIds
from agls.models.endpoint import Endpoint


class ChatServer(NamedTuple):
    """How one server is spoken to.

    `limit_field` carries the limit of the output; `cache_key`, whether a key finds the cache of a session.
    `user_after_tool` is whether words of the user may follow a result. `reasons_always`: every answer of the
    assistant goes back with its `reasoning_content`, an empty one where it is unknown. `thinks_in_text`: what
    the model wrote into `<think>` goes back in its text. `keeps_thinking`: it is to be asked to look at the
    reasoning of earlier turns. `signs` is where it wants a thought signature on calls of other models.
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
    """What holds for this endpoint; a later difference counts more."""
    return _server(f"{endpoint.host}/{endpoint.model}".lower())


@lru_cache(maxsize=64)  # every turn asks for it
def _server(place: str) -> ChatServer:
    server = ChatServer()
    for pattern, differences in DIFFERENCES:
        if re.search(pattern, place):
            server = server._replace(**differences)
    return server
