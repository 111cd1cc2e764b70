"""An attached file as it stands in a conversation: a link with its id, name, type and size."""

from agls.engine.vocabulary import ResourceLink

SCHEME = "attachment:"  # then the name of the kept content


def link(name: str, media_type: str, size: int, kept: str) -> ResourceLink:
    """**Returns** the link to a file whose bytes are kept under the name `kept`, as the model reads it."""
    return ResourceLink(f"{SCHEME}{kept}", f"{name} ({media_type}, {size} bytes)")
