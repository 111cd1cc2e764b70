"""The names of the files that were attached in a session."""

from collections.abc import Iterable, Iterator

from agls.engine.facts import Admitted
from agls.engine.prefix_fold import PrefixFold
from agls.engine.state import State
from agls.engine.vocabulary import Message, ResourceLink, UserMessage
from agls.room.attachment_links import SCHEME


def names_of(state: State) -> dict[str, str]:
    """Return the names of everything attached in the session, by id; what waits to be said is in it."""
    return {**_attached.of(state.transcript), **dict(_named((*state.pending, *state.queue)))}


def _with_names(names: dict[str, str], messages: Iterable[Message]) -> dict[str, str]:
    names.update(_named(messages))
    return names


_attached = PrefixFold(dict[str, str], _with_names)


def _named(messages: Iterable[Message | Admitted]) -> Iterator[tuple[str, str]]:
    for message in messages:
        if isinstance(message, UserMessage | Admitted):
            for part in message.content:
                if isinstance(part, ResourceLink) and part.uri.startswith(SCHEME):
                    yield part.uri.removeprefix(SCHEME), part.name
