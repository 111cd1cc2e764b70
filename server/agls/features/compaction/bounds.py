"""How much of a model's window a request may fill. Pure."""

from agls.frozen import frozen

LEAST_RESERVE, LARGEST_RESERVE = 1_024, 4_096  # tokens for the answer: a sixteenth of the window, in between
SCHEMA = 256  # tokens more when the answer must follow a schema
LEAST_MARGIN, LARGEST_MARGIN = 1_024, 13_000  # tokens below the hard limit: a tenth of the window, in between


@frozen
class TokenBounds:
    """Tokens of a request: over `threshold` room is made, over `soft` a warning, `hard` is the end."""

    window: int
    reserve: int
    hard: int
    soft: int
    threshold: int


def bounds_of(window: int, share: float, *, schema: bool) -> TokenBounds:
    """Return the bounds for a window of so many tokens."""
    reserve = min(max(window // 16, LEAST_RESERVE), LARGEST_RESERVE) + (SCHEMA if schema else 0)
    hard = max(window - reserve, 1)
    soft = max(hard - min(max(window // 10, LEAST_MARGIN), LARGEST_MARGIN), 1)
    return TokenBounds(window, reserve, hard, soft, min(int(window * share), soft))
