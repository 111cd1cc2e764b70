"""How an attached file stands in a conversation: its id, name, type and size. Pure."""

from aglet.engine.state import State
from aglet.engine.vocabulary import ResourceLink, UserMessage

SCHEME = "attachment:"  # then the name of the kept content


def link(name: str, media_type: str, size: int, kept: str) -> ResourceLink:
    """A file whose bytes are kept under this name, as the model reads of it."""
    return ResourceLink(f"{SCHEME}{kept}", f"{name} ({media_type}, {size} bytes)")


def links_in(state: State) -> dict[str, str]:
    """The names of everything attached in the session, by id; what waits to be said is in it."""
    said = [m for m in (*state.transcript, *state.pending) if isinstance(m, UserMessage)]
    links = [part for m in (*said, *state.queue) for part in m.content if isinstance(part, ResourceLink)]
    kept = (part for part in links if part.uri.startswith(SCHEME))
    return {part.uri.removeprefix(SCHEME): part.name for part in kept}
