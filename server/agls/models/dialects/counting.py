"""How many tokens a request has: asked of the server, or estimated from what earlier requests cost."""

from collections.abc import Awaitable, Callable

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import Image, JsonObject, TokenCount, ToolResult, Usage, UserMessage
from agls.models.endpoint import Endpoint

GUESSED = 3.6  # bytes of JSON per token, before anything is known of a model
IMAGE = 1_200  # tokens of an image, about
LEAST = 500  # tokens of a request from which something can be learned


PostJson = Callable[[str, JsonObject], Awaitable[JsonObject]]  # to this URL; {} is no answer
CountTokens = Callable[[PostJson, JsonObject, Endpoint], Awaitable[int | None]]  # of the body of a request


class TokenEstimator:
    """Bytes per token of one model: what its last answer said of the request."""

    def __init__(self) -> None:
        self._rate = GUESSED
        self._learned = False
        self._taught_by = 0  # bytes of the request that it was learned from

    def learn(self, request: ModelRequest, sent: int, usage: Usage) -> None:
        """A request of `sent` bytes cost this. One of about the same size as the last teaches nothing."""
        told = usage.input_tokens or 0
        if told < LEAST or abs(sent - self._taught_by) * 10 < self._taught_by:
            return
        tokens = told - IMAGE * len(_images(request))
        if tokens >= LEAST:
            self._rate = _text_bytes(request, sent) / tokens
            self._learned, self._taught_by = True, sent

    def count(self, request: ModelRequest, sent: int) -> TokenCount:
        """The tokens of a request of `sent` bytes."""
        tokens = round(_text_bytes(request, sent) / self._rate) + IMAGE * len(_images(request))
        return TokenCount(tokens, "calibrated" if self._learned else "guess")


def _images(request: ModelRequest) -> list[Image]:
    images: list[Image] = []
    for message in request.messages:
        if isinstance(message, UserMessage):
            images += [part for part in message.content if isinstance(part, Image)]
        elif isinstance(message, ToolResult):
            images += message.images
    return images


def _text_bytes(request: ModelRequest, sent: int) -> int:
    return max(sent - sum(len(image.data) for image in _images(request)), 1)
