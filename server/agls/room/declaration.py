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
"""**Returns** the pieces that a typed text means besides its words."""


class PromptRefused(Exception):
    """A room does not let a prompt be admitted; the message says why."""


@frozen
class GivenText:
    """What somebody gives to the agent: the text that they typed, and the texts that go with it."""

    text: str
    attached: Sequence[Resource] = ()


AtEnd = Callable[..., Awaitable[None]]
Screen = Callable[..., Awaitable[Sequence[Piece]]]
"""Looks at a `GivenText` before it is admitted. **Returns** what goes with it. **Raises** `PromptRefused`."""


async def admit_anything(settings: object, given: GivenText, *needs: object) -> Sequence[Piece]:
    """Refuse no text, and add nothing."""
    return ()


async def do_nothing_at_end(settings: object, reason: str, *needs: object) -> None:
    """Let a session end."""


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


CheckFiles = Callable[..., Sequence[Finding]]
"""**Returns** what the doctor finds in the files that people wrote for a room (`FolderTexts`)."""


CommandFiles = Callable[[str], Sequence[str]]
"""**Returns** the files of a folder, by their paths in it, that would each make a command of this name."""


def no_command_files(name: str) -> Sequence[str]:
    """Make no commands of files."""
    return ()


def check_no_files(settings: object, texts: object) -> Sequence[Finding]:
    """Find nothing: the room has no such files."""
    return ()


def accept(settings: object, options: Mapping[str, object]) -> None:
    """Accept any options: the room has none."""


class Table(BaseModel):
    """A table of the configuration: what it does not know is refused, and nobody changes it."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)


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


CallKind = Literal["read", "search", "edit", "command", "web", "plan", "helper", "question", "other"]


@frozen
class CallWords:
    """The words for the calls of one tool: "Read" and "Reading", before what a call is about.

    `about` is the argument that says it, "" where no words are needed.
    """

    done: str
    doing: str
    kind: CallKind
    about: str = ""


@frozen
class Arrivals:
    """A fixed place in the order, where rooms stand that arrive while the process runs."""

    name: str


@frozen(eq=False)
class Room(Generic[Section]):
    """A room, as its package declares it.

    `name` is that of its feature and of its table in the configuration, which `settings` describes. `build`
    is called for each run with the settings and then with an implementation of each port in `needs`; `check`
    is called before a run is admitted, and before that `screen` with every text that somebody gives through
    any door, and `expand` with what they typed where it may point at things; `complete` is called while they
    type. `at_end` is called with the reason (`closed`, `exit`) when a session ends that was worked in here.
    Each of these four gets the settings first and the implementations of `needs` last. The doctor
    calls `check_files` with the settings and the texts of the folder. `options` are those that the room
    reads; `notes` says what each kind of its notes shows to clients, and `heading` what stands above what it
    tells the model, for people. Its settings implement each protocol
    (`room/exposed.py`) that it `exposes`: other parts read them by that. `project_files` are names of files
    that it reads once their folder is trusted; of those in one folder the first counts; `command_files`
    are those for a command. The actions of a room
    of the order that `has_actions` are listed in a file: it is not built for their list, unless its
    `actions_vary` with settings or the session. One that is not `in_runs` is built for no run. `tools` are
    the names of the tools that it may offer; `words` says what their calls are called for people.

    `of_agent` is the type of what the definition of an agent may say of the room, under its name, and the
    value where it says nothing: a model is laid over the settings, anything else takes their place. Only the
    user's own files may set a room that is `user_only`, and only the managed file its `managed_keys`. A
    trusted project may make the numbers of one that is `lowered` smaller.
    """

    name: str
    settings: type[Section]
    build: Build
    needs: tuple[type, ...] = ()
    check: Check = accept
    options: tuple[RunOption, ...] = ()
    screen: Screen = admit_anything
    at_end: AtEnd = do_nothing_at_end
    expand: Expand = understand_nothing
    complete: Complete = complete_nothing
    check_files: CheckFiles = check_no_files
    exposes: tuple[type, ...] = ()
    project_files: tuple[str, ...] = ()
    command_files: CommandFiles = no_command_files
    heading: str = ""
    notes: Mapping[str, NoteRow] = field(default_factory=dict[str, NoteRow])
    tools: tuple[str, ...] = ()
    words: Mapping[str, CallWords] = field(default_factory=dict[str, CallWords])
    of_agent: tuple[Any, Any] | None = None
    user_only: bool = False
    managed_keys: tuple[str, ...] = ()
    lowered: bool = False
    has_actions: bool = False
    actions_vary: bool = False
    in_runs: bool = True

    @property
    def has_table(self) -> bool:
        """Whether anything of the room can be set in the configuration."""
        return bool(self.settings.model_fields)
