"""Images that servers send."""

from collections.abc import Sequence

from agls.engine.vocabulary import Image
from agls.pictures import TooLarge, other_image, picture


def seen(name: str, data: bytes) -> tuple[str, Sequence[Image]]:
    """**Returns** what is said of an image, and the image where models can see it."""
    try:
        found = picture(name, data)
    except TooLarge as problem:
        return str(problem), []
    if found:
        return found.words, [found.image]
    return other_image(name, data) or f"[{name}: {len(data):,} bytes that are no image]", []
