"""How an attached file stands in a conversation: its id, name, type and size."""

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Sequence

from agls.engine.facts import Admitted
from agls.engine.state import State
from agls.engine.vocabulary import Message, ResourceLink, UserMessage

SCHEME = "attachment:"  # then the name of the kept content
SESSIONS = 16  # whose links are remembered


def link(name: str, media_type: str, size: int, kept: str) -> ResourceLink:
    """A file whose bytes are kept under this name, as the model reads of it."""
    return ResourceLink(f"{SCHEME}{kept}", f"{name} ({media_type}, {size} bytes)")


class Links:
    """What is attached in sessions: each is looked through once, and from there on with every run."""

    def __init__(self) -> None:
        self._known: OrderedDict[str, tuple[Sequence[Message], dict[str, str]]] = OrderedDict()

    def of(self, session_id: str, state: State) -> dict[str, str]:
        """The names of everything attached in the session, by id; what waits to be said is in it."""
        seen, names = self._known.pop(session_id, ((), {}))
        if state.transcript[: len(seen)] != seen:
            seen, names = (), {}
        names.update(_named(state.transcript[len(seen) :]))
        self._known[session_id] = state.transcript, names
        if len(self._known) > SESSIONS:
            self._known.popitem(last=False)
        return {**names, **dict(_named((*state.pending, *state.queue)))}


def _named(messages: Iterable[Message | Admitted]) -> Iterator[tuple[str, str]]:
    for message in messages:
        if isinstance(message, UserMessage | Admitted):
            for part in message.content:
                if isinstance(part, ResourceLink) and part.uri.startswith(SCHEME):
                    yield part.uri.removeprefix(SCHEME), part.name
