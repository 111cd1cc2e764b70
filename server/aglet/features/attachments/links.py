"""How an attached file stands in a conversation: its id, name, type and size. Pure."""

from collections.abc import Iterable, Iterator
from itertools import chain

from aglet.engine.state import State
from aglet.engine.vocabulary import Content, ResourceLink, UserMessage

SCHEME = "attachment:"  # then the name of the kept content


def link(name: str, media_type: str, size: int, kept: str) -> ResourceLink:
    """A file whose bytes are kept under this name, as the model reads of it."""
    return ResourceLink(f"{SCHEME}{kept}", f"{name} ({media_type}, {size} bytes)")


def links_in(state: State) -> dict[str, str]:
    """The names of everything attached in the session, by id; what waits to be said is in it."""
    said = (m.content for m in (*state.transcript, *state.pending) if isinstance(m, UserMessage))
    waiting = (admitted.content for admitted in state.queue)
    return dict(_links(chain.from_iterable(chain(said, waiting))))


def _links(parts: Iterable[Content]) -> Iterator[tuple[str, str]]:
    for part in parts:
        if isinstance(part, ResourceLink) and part.uri.startswith(SCHEME):
            yield part.uri.removeprefix(SCHEME), part.name
