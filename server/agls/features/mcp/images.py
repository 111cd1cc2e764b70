"""Images that servers send."""

from collections.abc import Sequence

from agls.engine.vocabulary import Image
from agls.pictures import Unshowable, other_image, whole_picture


def seen(name: str, data: bytes) -> tuple[str, Sequence[Image]]:
    """**Returns** what is said of an image, and the image where models can see it."""
    try:
        found = whole_picture(name, data)
    except Unshowable as problem:
        return str(problem), []
    if found:
        return found.words, [found.image]
    return other_image(name, data) or f"[{name}: {len(data):,} bytes that are no image]", []
