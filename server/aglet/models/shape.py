"""A request whose answer must be JSON of a given shape."""

from dataclasses import dataclass, field
from typing import Any

from aglet.engine.ports import ModelRequest
from aglet.engine.vocabulary import JsonObject

NAME = "answer"  # what OpenAI's dialects call the shape


@dataclass(frozen=True, slots=True)
class ShapedRequest(ModelRequest):
    """A `ModelRequest` with the JSON Schema that the text of the answer has to follow."""

    shape: JsonObject = field(default_factory=dict[str, Any])


def shape_of(request: ModelRequest) -> JsonObject:
    """The wanted shape; {} when any answer will do."""
    return request.shape if isinstance(request, ShapedRequest) else {}
