"""Ports to the session. The assembly implements them."""

from collections.abc import Callable, Sequence
from typing import Protocol

from agls.engine.actions import ActionSpec
from agls.engine.facts import Compacted, Entry, Expanded, Noted, Transient, Used
from agls.engine.note_items import NoteItem
from agls.engine.ports import Asker, ModelInfo, ToolSpec
from agls.engine.spawning import Spawner
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Message, Resource, ResourceLink, SessionRow
from agls.frozen import frozen

READ_ONLY = "readOnly"  # the option of a run that may only read
JUDGES = "judges"  # the option of a session that decides for a hook: it reads, and asks nobody
# Which protected files the command is for that began a run. Only actions can set it: no client may send it.
NAMED_FILES = "namedFiles"
# Which tools a command's file suggests to use unasked: {"by": whose words these are, "tools": [...]}.
# Questions show it, and it allows nothing. Only actions can set it.
SUGGESTED_TOOLS = "suggestedTools"
Observer = Callable[[Entry | Transient, State], None]


class SessionRecord(Protocol):
    """The session's record, as far as rooms may use it outside the slots.

    `shown` **returns** what a note of a room shows. `watch` shows an observer everything from now on and
    **returns** a function that ends that. `spend`, `retitle` and `compact` record what was spent, a title
    and a summary; all raise `JournalError` when another process took the session.
    """

    def entries(self) -> Sequence[Entry]: ...
    def watch(self, observer: Observer) -> Callable[[], None]: ...
    def shown(self, note: Noted) -> Sequence[NoteItem]: ...
    def spend(self, used: Used) -> None: ...
    def retitle(self, title: str) -> None: ...

    async def compact(self, fact: Compacted | Expanded, messages: Sequence[Message]) -> bool:
        """Put a summary in the place of the beginning of these messages, or undo one, durably.

        **Returns** whether that was done: it is not while a run is running, or when something was said since.
        """
        ...


@frozen
class RewoundConversation:
    """A rewind: how many `messages` the model sees no more, and what it says of `files` (Markdown)."""

    checkpoint_id: str
    messages: int
    files: str = ""


class SessionControl(Protocol):
    """The session as a whole, in the hands of its user. All methods raise `ActionError` with the remedy.

    `set` sets options of the session, `None` takes one back; `by_user`: a person chose them. `folder` adds a
    folder and **returns** its real path. `rewind` goes back to an item ("" for the beginning), of the
    conversation alone or with the files, or to before the rewind `undo`; `fork` makes a session with all
    that was said, `others` are the sessions of the folder (or those that a text is found in), `stop` cancels
    what runs. `apart` makes a session that works in a worktree of this folder. `export` **returns** the
    session in a format. `type` does what somebody means who types this: it **returns** the run that a
    prompt, or a command that makes one, began. `meaning` **returns** what a typed text points at.
    """

    async def set(self, options: JsonObject, *, by_user: bool = False) -> None: ...
    async def folder(self, path: str) -> str: ...
    async def rewind(self, item_id: str, *, files: bool = False, undo: str = "") -> RewoundConversation: ...
    async def fork(self, title: str = "") -> str: ...
    async def others(self, search: str = "") -> Sequence[SessionRow]: ...
    def stop(self) -> str: ...
    async def export(self, form: str) -> bytes: ...
    async def type(self, text: str) -> str: ...
    async def meaning(self, text: str) -> Sequence[Resource | ResourceLink]: ...
    async def apart(self, folder: str, title: str) -> str: ...
    def models(self) -> Sequence[ModelInfo]: ...


class ModeControl(Protocol):
    """The permission mode of the session. `change` raises `ActionError`; `by_user`: a person chose it."""

    def of(self, state: State) -> str: ...
    async def change(self, mode: str, *, by_user: bool) -> None: ...


@frozen
class Approval:
    """Who says whether a plan is approved, and the mode that changes when it is."""

    asker: Asker
    mode: ModeControl


@frozen
class SessionOffer:
    """What the session offers to its user and to the model, as it is asked for: it costs what a run costs."""

    actions: Callable[[], Sequence[ActionSpec]]
    tools: Callable[[], Sequence[ToolSpec]]


class SessionFacts(Protocol):
    """The facts of the session: `entries` **returns** those after a number and raises `JournalError`."""

    def entries(self, after: int = 0) -> Sequence[Entry]: ...


@frozen
class Ancestors:
    """The sessions that this one works for directly: one or none."""

    sessions: tuple[Spawner, ...] = ()


class Forms(Asker, Protocol):
    """An asker that may have somebody who can fill in forms."""

    @property
    def takes_forms(self) -> bool: ...


class ScratchFolder(Protocol):
    """The session's folder for temporary files. `make` makes it when it is not there; it raises `OSError`."""

    async def make(self) -> None: ...


class OutputFolder(Protocol):
    """Where long outputs of the session's tools are kept whole.

    `keep` **returns** the path of the new file, "" where nothing is kept, and raises `OSError`. To make room
    for it within `most` bytes, the oldest are removed. `extend` writes at the end of a file of so many bytes,
    of a new one with 0. It **returns** the path, "" when the file is not so long, and raises `OSError`.
    """

    async def keep(self, name: str, text: str, most: int) -> str: ...
    async def extend(self, name: str, data: bytes, size: int) -> str: ...


@frozen
class OutputLimits:
    """How much of an output the model of this run gets, and how much is kept for whoever reads on.

    `window` is the share of what it can see, in characters (`None`: not known how much that is), `usual` the
    limit of a tool that has none of its own; `kept` is in bytes, of one output and of all of a session.
    """

    window: int | None = None
    usual: int = 60_000
    kept: int = 4_000_000
    kept_in_all: int = 64_000_000

    def within(self, limit: int) -> int:
        """Return a limit in characters, lowered to what the model can take."""
        return limit if self.window is None else min(limit, self.window)

    def of(self, limit: int | None) -> int:
        """Return the limit for a tool with this one of its own, in characters."""
        return self.within(self.usual if limit is None else limit)


@frozen
class KnownModels:
    """**Returns** whether a session can ask for a model or tier by this name."""

    knows: Callable[[str], bool]

    def __call__(self, name: str) -> bool:
        """Look it up."""
        return self.knows(name)


USUAL_OUTPUTS = OutputLimits()


@frozen
class TakenNames:
    """**Returns** the names and aliases of the actions of all rooms that come before in the order."""

    names: Callable[[], frozenset[str]]

    def __call__(self) -> frozenset[str]:
        """Look at the actions now."""
        return self.names()
