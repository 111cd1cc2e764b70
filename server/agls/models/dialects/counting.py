"""The number of tokens of a request: counted by the server, or estimated from earlier requests."""

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
    """Estimates tokens from the bytes per token that the model's last answer reported."""

    def __init__(self) -> None:
        self._rate = GUESSED
        self._learned = False
        self._taught_by = 0  # bytes of the request that it was learned from

    def learn(self, request: ModelRequest, sent: int, usage: Usage) -> None:
        """Learn the rate from a request of `sent` bytes, unless it is about as large as the last."""
        reported = usage.input_tokens or 0
        if reported < LEAST or abs(sent - self._taught_by) * 10 < self._taught_by:
            return
        tokens = reported - IMAGE * len(_images(request))
        if tokens >= LEAST:
            self._rate = _text_bytes(request, sent) / tokens
            self._learned, self._taught_by = True, sent

    def count(self, request: ModelRequest, sent: int) -> TokenCount:
        """Return the estimated tokens of a request of `sent` bytes."""
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
