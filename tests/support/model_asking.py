"""Asking a model in tests: a request in, the whole of the answer out."""

from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from agls.engine.facts import Overflowed, Replied, Retrying, TextDelta, ThinkingDelta
from agls.engine.ports import ModelClient, ModelError, ModelRequest
from agls.engine.vocabulary import Text, UserMessage
from agls.models.client import HttpModel
from agls.models.endpoint import Endpoint
from agls.models.http.connections import Connections, system_trust
from agls.models.retry import RetryPolicy

ONCE = RetryPolicy(tries=1)
_trusted = cache(system_trust)


def prompt(text: str = "hello", **more: Any) -> ModelRequest:
    """A request with one user message."""
    return ModelRequest("item_reply", "You are a test.", (UserMessage("item_user", (Text(text),)),), **more)


@dataclass(slots=True)
class Heard:
    """What a model said, all of it."""

    text: str = ""
    thinking: str = ""
    deltas: int = 0
    waits: list[Retrying] = field(default_factory=list[Retrying])
    reply: Replied | None = None
    overflow: Overflowed | None = None
    error: ModelError | None = None


async def hear(client: ModelClient, request: ModelRequest | None = None) -> Heard:
    """Ask and listen to the end."""
    heard = Heard()
    try:
        async with aclosing(client.stream(request or prompt())) as parts:
            async for part in parts:
                match part:
                    case TextDelta(_, text):
                        heard.text += text
                        heard.deltas += 1
                    case ThinkingDelta(_, text):
                        heard.thinking += text
                        heard.deltas += 1
                    case Retrying():
                        heard.waits.append(part)
                    case Replied():
                        heard.reply = part
                    case Overflowed():
                        heard.overflow = part
    except ModelError as error:
        heard.error = error
    return heard


class Asking:
    """Makes clients that share one pool; use it as a context manager.

    The certificates are read once for all tests, unless a `fresh` one is wanted.
    """

    def __init__(self, *, fresh: bool = False) -> None:
        self.connections = Connections() if fresh else Connections(_trusted)

    async def __aenter__(self) -> "Asking":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.connections.aclose()

    def model(self, url: str, policy: RetryPolicy = ONCE, **more: Any) -> HttpModel:
        """A client for the server at this URL."""
        endpoint = replace(Endpoint(name="test", model="test-model", base_url=url), **more)
        return HttpModel(endpoint, self.connections, policy)
