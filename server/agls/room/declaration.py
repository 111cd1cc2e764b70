"""The declaration of a room: everything that must know rooms is derived from it."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import field
from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from agls.engine.feature import Feature
from agls.engine.note_items import NoteRow
from agls.engine.vocabulary import Resource, ResourceLink
from agls.frozen import frozen
from agls.room.findings import Finding

Build = Callable[..., Feature | None]
"""Makes a room's feature for one run of its settings and what it needs; `None` when it has no part in it."""


Check = Callable[[Any, Mapping[str, object]], object]
"""Raises `ValueError` when a run with these settings and options could not begin."""


CompletionKind = Literal["file", "folder", "symbol", "source", "command", "argument", "value"]
Piece = Resource | ResourceLink
Expand = Callable[..., Awaitable[Sequence[Piece]]]
"""**Returns** the pieces that a text which somebody typed means besides its words, in these settings."""


async def understand_nothing(settings: object, text: str, *needs: object) -> Sequence[Piece]:
    """Find nothing in a text but its words."""
    return ()


@frozen
class Typing:
    """A prompt that somebody is typing, and where the cursor is in it."""

    text: str
    cursor: int


@frozen(kw_only=True)
class Completion:
    """What may take the place of the text from `start` up to `end`, which are offsets into it.

    The kinds are those of protocol#agentcomplete.
    """

    label: str
    kind: CompletionKind
    text: str
    start: int
    end: int
    detail: str = ""


@frozen
class Completions:
    """The best ways to go on, the best first; `more` says that there are others."""

    items: Sequence[Completion] = ()
    more: bool = False


Complete = Callable[..., Awaitable[Completions]]
"""**Returns** the ways to go on with a prompt that somebody is typing, in these settings."""


async def complete_nothing(settings: object, typing: Typing, *needs: object) -> Completions:
    """Know no way to go on."""
    return Completions()


def accept(settings: object, options: Mapping[str, object]) -> None:
    """Accept any options: the room has none."""


class Table(BaseModel):
    """A table of the configuration: what it does not know is refused, and nobody changes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class NoSettings(Table):
    """Nothing can be set: the room has no table in the configuration."""


Section = TypeVar("Section", bound=BaseModel)


def any_value(value: object) -> str:
    """Find nothing wrong with any value."""
    return ""


@frozen
class RunOption:
    """An option of sessions and runs, which a client writes by this name (protocol#options).

    `complaint` **returns** what is wrong with a value whatever the configuration says, "" for nothing; what
    can only be judged with it is for `Room.check`. The value of one that `is_text` is text.
    """

    name: str
    is_text: bool = False
    complaint: Callable[[object], str] = any_value


@frozen
class Arrivals:
    """A fixed place in the order, where rooms stand that arrive while the process runs."""

    name: str


@frozen(eq=False)
class Room(Generic[Section]):
    """A room, as its package declares it.

    `name` is that of its feature and of its table in the configuration, which `settings` describes. `build`
    is called for each run with the settings and then with an implementation of each port in `needs`; `check`
    is called before a run is admitted, `expand` before that with what somebody typed, `complete` while they
    type; both have the settings before it and the implementations of `needs` behind it. `options` are those
    that the room reads; `notes` says what each kind of its notes shows to clients, `findings` what the doctor
    says of the room.

    `of_agent` is the type of what the definition of an agent may say of the room, under its name, and the
    value where it says nothing: a model is laid over the settings, anything else takes their place. Only the
    user's own files may set a room that is `user_only`. A trusted project may make the numbers of one that is
    `lowered` smaller.
    """

    name: str
    settings: type[Section]
    build: Build
    needs: tuple[type, ...] = ()
    check: Check = accept
    options: tuple[RunOption, ...] = ()
    expand: Expand = understand_nothing
    complete: Complete = complete_nothing
    findings: tuple[Finding, ...] = ()
    notes: Mapping[str, NoteRow] = field(default_factory=dict[str, NoteRow])
    of_agent: tuple[Any, Any] | None = None
    user_only: bool = False
    lowered: bool = False

    @property
    def has_table(self) -> bool:
        """Whether anything of the room can be set in the configuration."""
        return bool(self.settings.model_fields)
