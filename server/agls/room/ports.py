"""The ports that rooms may ask for in `Room.needs` besides the engine's. The assembly implements them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, Protocol

from agls.diff import Patch
from agls.engine.actions import ActionOutcome
from agls.engine.facts import Compacted, Entry, Transient, Used
from agls.engine.ports import Asker, PathInfo, StoredState, Workspace
from agls.engine.spawning import Spawner
from agls.engine.state import State
from agls.engine.vocabulary import FileChange, FileVersion, JsonObject, Limits, Message, ToolCall, ToolOutcome
from agls.frozen import frozen

Observer = Callable[[Entry | Transient, State], None]
OUTPUT_SCHEMA = "outputSchema"  # the option of a run whose answer must follow a JSON Schema


# --- the run -------------------------------------------------------------------------------------


@frozen(kw_only=True)
class RunInfo:
    """Which run the rooms are built for, as it is known before it begins.

    `state` is that of the session then, `options` are those of the run over those of its session. `works_for`
    is the session for whose call this one works ("": none). `prompt` is the system prompt of the agent ("":
    the built-in one). `model` is the model's name at its server, `advice` what the prompt says of its tools;
    `window` is how many tokens it can see (`None`: not known), `is_small` whether that is little. `lasting`
    is whether the process outlives the run, `answers` whether the last turn is for the answer.
    """

    session_id: str = ""
    run_id: str = ""
    state: State = field(default_factory=State)
    works_for: str = ""
    options: JsonObject = field(default_factory=dict[str, Any])
    prompt: str = ""
    model: str = ""
    advice: str = ""
    window: int | None = None
    is_small: bool = False
    lasting: bool = True
    answers: bool = False

    @property
    def wants_schema(self) -> bool:
        """Whether the answer must follow a JSON Schema."""
        return bool(self.options.get(OUTPUT_SCHEMA))


@frozen
class ToolNames:
    """The names of the tools of all rooms that come before in the order."""

    names: frozenset[str]


@frozen
class Ceilings:
    """What nobody can raise a limit above: `most` of each kind, and `seconds` for a run that is watched."""

    most: Limits
    seconds: float


class Remaining(Protocol):
    """What the running run may still spend, by everything that holds for it."""

    def __call__(self) -> Limits: ...


# --- the session ---------------------------------------------------------------------------------


class SessionRecord(Protocol):
    """The session's record, as far as rooms may use it outside the slots.

    `watch` shows an observer everything from now on and **returns** a function that ends that. `spend`,
    `retitle` and `compact` record what was spent, a title and a summary; all raise `JournalError` when
    another process took the session.
    """

    def entries(self) -> Sequence[Entry]: ...
    def watch(self, observer: Observer) -> Callable[[], None]: ...
    def spend(self, used: Used) -> None: ...
    def retitle(self, title: str) -> None: ...

    async def compact(self, summary: Compacted, messages: Sequence[Message]) -> bool:
        """Put the summary in the place of the beginning of these messages, durably.

        **Returns** whether that was done: it is not while a run is running, or when something was said since.
        """
        ...


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
    for it within `most` bytes, the oldest are removed.
    """

    async def keep(self, name: str, text: str, most: int) -> str: ...


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


USUAL_OUTPUTS = OutputLimits()


# --- the folder ----------------------------------------------------------------------------------


def nothing_above(names: Sequence[str]) -> Sequence[tuple[str, str]]:
    """Stand for a folder without a repository around it."""
    return ()


@frozen
class Surroundings:
    """Where a session works: its clock (Unix time in seconds), its permission mode, its scratch folder.

    `above` returns the paths and texts of files with these names in the folders above, up to the root of the
    repository, of each folder the first. Only of a `trusted` folder may anything be read. `instructions` are
    the user's own.
    """

    now: Callable[[], float]
    mode_of: Callable[[State], str]
    scratch: str = ""
    above: Callable[[Sequence[str]], Sequence[tuple[str, str]]] = nothing_above
    trusted: bool = False
    instructions: str = ""


class Revealer(Protocol):
    """What the user sees. `reveal` shows a file (its path or URI) at a line, from 0; only files.

    `follows` is whether the user wants to see where the agent works.
    """

    @property
    def follows(self) -> bool: ...
    async def reveal(self, path: str, line: int) -> None: ...


class FileSnapshots(Protocol):
    """Files as bytes; an open document counts as it would be saved. All methods raise `WorkspaceError`.

    `put` changes an open document by one edit, a file that is not open atomically, and raises `Stale` when
    it is no longer at `expected` (hash "": absent). `None` is no file. `changed_at` **returns** when each was
    changed last on the disk (Unix time in seconds), 0 for what is not there.
    """

    def open_documents(self) -> list[str]: ...
    def changed_at(self, paths: Sequence[str]) -> Sequence[float]: ...
    async def look(self, path: str, max_bytes: int) -> StoredState: ...
    async def diff(self, path: str, before: bytes | None, after: bytes | None) -> Patch: ...
    async def put(
        self, path: str, data: bytes | None, expected: FileVersion, *, mode: int = ..., label: str = ...
    ) -> FileChange: ...


class Uncommitted(Protocol):
    """**Returns** what is not committed in the folder, "" where that is not known or must not be asked."""

    async def __call__(self) -> str: ...


class Diagnostics(Protocol):
    """**Returns** the files that the editor shows something wrong in, with it (LSP 3.17, Diagnostic)."""

    async def __call__(self) -> Sequence[tuple[PathInfo, Sequence[JsonObject]]]: ...


class BlobStore(Protocol):
    """Bytes by the SHA-256 of them (hex). All methods raise `OSError` with a message for the user.

    `collect` removes what no session names any more, at most once a day.
    """

    async def keep(self, data: bytes) -> str: ...
    async def read(self, name: str) -> bytes: ...
    async def collect(self, max_age: float, max_bytes: int) -> int: ...


# --- the process ---------------------------------------------------------------------------------


class HeldKeys(Protocol):
    """The user's keys, as far as they are known now."""

    def __call__(self) -> Iterable[str]: ...


class Post(Protocol):
    """Sends JSON to an address and **returns** the HTTP status. **Raises** `OSError`."""

    def __call__(self, url: str, body: bytes, /) -> Awaitable[int]: ...


class AuditFile(Protocol):
    """Adds a line to the audit: with the bytes of a full file, and the files kept. **Raises** `OSError`."""

    def __call__(self, line: str, max_bytes: int, keep: int, /) -> None: ...


@frozen
class Tiers:
    """The `names` of the configured tiers; `of` is the tier or model that runs with these options ask for."""

    names: frozenset[str]
    of: Callable[[Mapping[str, object]], str]


class Examiner(Protocol):
    """Looks at everything: the workspace, the model ("" is the default), and whether nobody may be asked."""

    def __call__(self, workspace: Workspace, model: str, offline: bool, /) -> Awaitable[ActionOutcome]: ...


@frozen
class Leftovers:
    """Removes what a crash left behind; each of `clean` raises `OSError` or `WorkspaceError`."""

    clean: tuple[Callable[[], Awaitable[object]], ...]


@frozen
class AgentEntry:
    """An agent that the run may hand work to; `has_tier` is whether it has a model of its own.

    `kind` and `name` make the name of its tool.
    """

    name: str
    description: str
    has_tier: bool = False
    kind: str = "agent"


@frozen
class KnownAgents:
    """All of them."""

    agents: tuple[AgentEntry, ...] = ()


@frozen
class OfferedTool:
    """A tool as the client describes it; `schema` is a JSON Schema of an object."""

    name: str
    description: str
    schema: JsonObject
    reads_only: bool = False


class ToolClient(Protocol):
    """The way to the client that brings tools.

    `tools` are those for one run of a session ("" when there is none). `call` asks it and waits for its
    answer, as an outcome whatever happens; cancelling withdraws the question.
    """

    def tools(self, session_id: str, run_id: str) -> Sequence[OfferedTool]: ...
    async def call(self, session_id: str, run_id: str, call: ToolCall) -> ToolOutcome: ...


class NoClient:
    """A client without tools."""

    def tools(self, session_id: str, run_id: str) -> Sequence[OfferedTool]:
        """Return no tools."""
        return ()

    async def call(self, session_id: str, run_id: str, call: ToolCall) -> ToolOutcome:
        """Refuse: no tool can be called."""
        return ToolOutcome("The client that brought this tool is gone.", status="failed")


NO_CLIENT = NoClient()
