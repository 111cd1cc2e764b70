"""The needs of the engine and its features, as contracts. Other packages implement them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import field
from enum import StrEnum
from functools import cache
from secrets import token_bytes
from typing import Any, Literal, Protocol

from agls.diff import Patch
from agls.engine.facts import Entry, Fact, ModelDelta, Overflowed, Replied
from agls.engine.line_search import FoundLines, LineSearch, MatchingFile
from agls.engine.rests import Rests
from agls.engine.vocabulary import (
    Answer,
    Command,
    Effects,
    FileChange,
    FileVersion,
    Finished,
    Focus,
    JsonObject,
    Message,
    Question,
    SessionRow,
    TokenCount,
    ToolCall,
    ToolOutcome,
    Usage,
)
from agls.frozen import frozen

Part = tuple[int, int]  # of a session: the facts behind which it begins, and with which it ends
_LETTERS = b"abcdefghijklmnopqrstuvwxyz234567" * 8  # one for each byte


def new_id(prefix: str) -> str:
    """Return a fresh identifier such as `run_k3ov…`; 50 random bits."""
    return f"{prefix}_{token_bytes(10).translate(_LETTERS).decode()}"


@cache
def process_id() -> str:
    """Return the identifier of this process; it is made when it is first asked for."""
    return new_id("process")


class Clock(Protocol):
    """Time. `now` is Unix time in seconds (it may jump); `monotonic` never goes back."""

    def now(self) -> float: ...
    def monotonic(self) -> float: ...


Spawn = Callable[[Coroutine[Any, Any, Any]], asyncio.Task[Any]]


# --- the model -----------------------------------------------------------------------------------


class Effect(StrEnum):
    """What a tool may do to the world."""

    READS = "reads"
    WRITES = "writes"
    EXECUTES = "executes"
    NETWORK = "network"


Loading = Literal["always", "auto", "search"]
"""When a model is shown a tool: always, unless all tools together are many, or once it was searched for."""


@frozen
class ToolSpec:
    """A tool as the model sees it; `effects` decide what runs beside it and what is asked.

    `output_limit` is how many characters of its output a model gets at most (`None`: as many as of any tool;
    0: the tool itself gives its output in pages). `load` says when the model is shown it.
    """

    name: str
    description: str
    schema: JsonObject
    effects: frozenset[Effect]
    polls: bool = False  # it looks how something goes on: the same call again is no circle
    output_limit: int | None = None
    load: Loading = "always"


@frozen
class ModelInfo:
    """The known properties of a model; `None` is unknown. Prices are US dollars per million tokens."""

    name: str
    provider: str = ""
    context_window: int | None = None
    output_limit: int | None = None
    input_price: float | None = None
    output_price: float | None = None
    cache_read_price: float | None = None
    cache_write_price: float | None = None
    reasoning_price: float | None = None


def has_prices(model: ModelInfo) -> bool:
    """Return whether it is known what a call of this model costs."""
    return model.input_price is not None and model.output_price is not None


@frozen
class ModelRequest:
    """One question to a model. Deltas of the answer carry `reply_id`, and so does its `Replied`.

    `output_schema` is the JSON Schema that the text of the answer should follow; {} when any will do. The
    caller must check the answer: not every server can be held to a schema. `temperature` and `top_p` count
    before those of the model (`None`: these hold).
    """

    reply_id: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int | None = None
    effort: str = ""
    session_id: str = ""
    output_schema: JsonObject = field(default_factory=dict[str, Any])
    temperature: float | None = None
    top_p: float | None = None


class ModelError(Exception):
    """A model call failed and only the user can do something about it; `hint` says what.

    `kind` is an `ErrorKind`, a word of the wire. The caller adds more; `resets_at` is Unix time. `usage` and
    `cost` are of an answer that had begun, about.
    """

    def __init__(self, message: str, *, kind: str, hint: str = "", status: int | None = None) -> None:
        super().__init__(message)
        self.kind = kind
        self.hint = hint
        self.status = status
        self.provider, self.attempts = "", 0
        self.resets_at: float | None = None
        self.usage: Usage | None = None
        self.cost: float | None = None


class AnswerCancelled(asyncio.CancelledError):
    """The answer was cancelled when it had begun; `usage` and `cost` are about what came of it."""

    def __init__(self, usage: Usage, cost: float | None) -> None:
        super().__init__()
        self.usage, self.cost = usage, cost


Reply = Replied | Overflowed


class ModelClient(Protocol):
    """`stream` yields deltas and then exactly one `Replied` or `Overflowed`, never a reply that did not
    complete; it raises only `ModelError`; closing it closes the connection. `count` never raises.
    A cancel of an answer that has begun may leave `stream` as `AnswerCancelled`.
    `tokens_of` counts texts with a tokenizer on this machine; `None` where there is none that can be used.
    """

    @property
    def info(self) -> ModelInfo: ...
    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply, None]: ...
    async def count(self, request: ModelRequest) -> TokenCount: ...
    async def tokens_of(self, texts: Sequence[str]) -> int | None: ...


class ModelResolver(Protocol):
    """Finds the model for a tier (`fast`, `default`, `strong`), an alias or a name ("": the default).

    **Raises** `ModelError` (kind `modelNotFound`) with the remedy.
    """

    def resolve(self, name: str) -> ModelClient: ...


# --- the journal ---------------------------------------------------------------------------------


class JournalError(Exception):
    """The journal cannot be opened or may no longer be written; the message says why and what to do."""


class NoSuchSession(JournalError):
    """There is no session of this id."""


class JournalBusy(JournalError):
    """Another process writes this session."""


class Journal(Protocol):
    """The durable record of one session.

    `append` is synchronous, ordered, and reaches the operating system before it returns. When the
    disk refuses it keeps the entries in memory, tries again with the next append, and says so in
    `trouble` ("" when all is well). `damage` says what of the journal could not be read when it was
    opened ("" when it was whole), `asked` for which request the session was made. It raises
    `JournalError` only when this process is no longer the writer. `sync` makes everything appended
    survive a power cut; it may begin that `later`, in seconds, together with what is appended meanwhile.

    `of` returns the entries with facts of one kind, which is cheaper than to look for them; one that only a
    newer agls reads is `Unknown` there, too. `rests` returns
    those that were kept with `keep_rests`, as far as they fit the entries: there may be none.

    `parts` returns what was kept with `keep_parts` in this `version`, by the numbers of the facts behind
    which a part of the session begins and with which it ends; only where the facts up to there are still the
    same.
    """

    @property
    def session_id(self) -> str: ...
    @property
    def epoch(self) -> str: ...
    @property
    def trouble(self) -> str: ...
    @property
    def damage(self) -> str: ...
    @property
    def asked(self) -> str: ...
    def append(self, *entries: Entry) -> None: ...
    async def sync(self, later: float = 0.0) -> None: ...
    def entries(self, after: int = 0) -> Sequence[Entry]: ...
    def of(self, kind: type[Fact], after: int = 0) -> Sequence[Entry]: ...
    def rests(self) -> Rests: ...
    def keep_rests(self, rests: Rests) -> None: ...
    def parts(self, version: int) -> Mapping[Part, bytes]: ...
    def keep_parts(self, version: int, parts: Mapping[Part, bytes]) -> None: ...
    def close(self) -> None: ...


class Tail(Journal, Protocol):
    """The journal of a session that another process writes: appending to it raises `JournalBusy`.

    `more` takes in new entries from the disk, and raises `JournalError` when it is not the same journal any
    more. `held` is whether a process writes it.
    """

    def more(self) -> None: ...
    def held(self) -> bool: ...


class Store(Protocol):
    """The place of the journals. `create` and `open` take the write lock.

    `open` and `delete` raise `JournalError` when there is no such session and `JournalBusy` when another
    process has it. `peek` and `follow` read without a lock. `list` is newest first; `search` matches titles
    and messages; `cursor` is an opaque string from the last page. `share` gives a fork what is kept beside
    the entries of another session: it stays when that one is deleted.
    """

    def create(self, session_id: str, asked: str = "") -> Journal: ...
    def open(self, session_id: str) -> Journal: ...
    def peek(self, session_id: str) -> Sequence[Entry]: ...
    def follow(self, session_id: str) -> Tail: ...
    def delete(self, session_id: str) -> None: ...
    def share(self, session_id: str, fork_id: str) -> None: ...
    def list(
        self, *, cwd: str = "", search: str = "", cursor: str = "", limit: int = 50
    ) -> tuple[Sequence[SessionRow], str]: ...


# --- the workspace -------------------------------------------------------------------------------


class WorkspaceError(Exception):
    """A file or process request cannot be done. The message is for the model and says what to do."""


class PathOutside(WorkspaceError):
    """The path leaves the workspace (or could not be proved to stay in it)."""


class Stale(WorkspaceError):
    """The file is not what the caller thought it was: read it again.

    `effects` says what is known of the traces of the attempt.
    """

    def __init__(self, message: str, effects: Effects = "none") -> None:
        super().__init__(message)
        self.effects: Effects = effects


@frozen
class PathInfo:
    """A path, looked at without opening it.

    `shown` is relative to the root where it can be (with /), `path` absolute with links resolved,
    `inside` whether it is in the workspace, `protected` names the danger when other programs
    execute or obey that file ("" otherwise). `marked` says which program runs an ordinary source.
    """

    shown: str
    path: str
    uri: str
    inside: bool
    protected: str = ""
    marked: str = ""


@frozen
class FileText:
    """A text file as it stands now: in the editor's buffer when it is open there, else on disk.

    `text` keeps its line ends; `version.hash` is the SHA-256 of the file's bytes (of the text
    encoded as UTF-8 for a buffer). `dirty` is true when the buffer has unsaved changes, `behind` when
    somebody else changed the disk since. `encoding` is the disk's; it is `guessed` when nothing proves it.
    A dirty buffer is `written` when agents alone made it differ from the disk.
    """

    place: PathInfo
    text: str
    version: FileVersion
    source: Literal["buffer", "disk"]
    dirty: bool = False
    behind: bool = False
    mode: int = 0o644
    encoding: str = "utf-8"
    guessed: bool = False
    written: bool = False


@frozen
class FilePart:
    """Lines of a text file that is too large to be read whole; `last` is its last line (0: not known).

    `version` stands for the content, without a hash of it.
    """

    place: PathInfo
    lines: tuple[str, ...]
    size: int
    version: FileVersion
    last: int = 0


@frozen
class OpenFile:
    """A file that is open for reading as the descriptor `handle`, with its first and its last bytes."""

    handle: int
    place: PathInfo
    head: bytes
    tail: bytes


@frozen
class FoundPart:
    """The place of a text in such a file: its first line (from 1), and the change there as a patch."""

    place: PathInfo
    line: int
    patch: Patch
    version: FileVersion


@frozen
class StoredState:
    """The state of a path: `data` is `None` where there is no file, or for a `problem` in reading it.

    `hash` is the SHA-256 of the bytes, `digest` the same for texts that an editor holds to be the same (""
    for what is no text); `known_as` are all hashes that others use for this content. `stamp` stands for the
    content where it was not read. `edits` is the editor's count of changes, 0 when the file is not open;
    `on_disk` is the hash of the file on the disk ("": no file), `version` is the one that `put` expects.
    `new_folder` is the outermost folder on the way to it that is not there either ("": none).
    """

    place: PathInfo
    data: bytes | None
    problem: str = ""
    stamp: str = ""
    hash: str = ""
    digest: str = ""
    known_as: tuple[str, ...] = ()
    edits: int = 0
    on_disk: str = ""
    version: FileVersion = FileVersion()
    mode: int = 0o644
    new_folder: str = ""


@frozen
class WantedFile:
    """What shall be at a path which is at `expected` (`None`: nothing is there): `text`, or nothing (`None`).

    With a `source` it is what that file becomes: `text` in its encoding, or its bytes, and its mode. With
    `trash` a file that goes is put into the user's trash, where there is one.
    """

    path: str
    text: str | None
    expected: FileVersion | None
    source: str = ""
    trash: bool = False


@frozen
class DirEntry:
    """One entry of a folder; `size` in bytes."""

    name: str
    kind: Literal["file", "dir", "link", "other"]
    size: int = 0


class Workspace(Protocol):
    """The open workspace: the editor's buffers over the disk, and processes started in it.

    Paths are relative to `root` or absolute. Nothing outside the roots is opened unless the path
    was given to `allow` (a permission the user gave). `holds_hidden`: are
    there files that no list shows, in doubt yes. `can_save`: the editor saves when asked. `unsaved` are the
    open documents with unsaved changes, relative to the root, `buffers` their texts; `save` has the editor
    save them as they were then, and gives by path why one was not saved. `focus` is where in the workspace
    the user looks, if the editor reports it, `environment` the variables that commands get. All methods raise
    `WorkspaceError`.
    """

    @property
    def root(self) -> str: ...
    @property
    def roots(self) -> tuple[str, ...]: ...
    @property
    def can_save(self) -> bool: ...

    def place(self, path: str) -> PathInfo: ...
    def holds_hidden(self, path: str) -> bool: ...
    def allow(self, path: str) -> None: ...

    async def read(self, path: str, *, max_bytes: int = 10_000_000) -> FileText:
        """Return the text of a file. Refuses folders, devices, binary files and files over `max_bytes`."""
        ...

    async def read_part(self, path: str, *, first: int, count: int, width: int) -> FilePart:
        """Return lines of a text file of any size from the disk, each cut at `width` characters."""
        ...

    def opened(self, path: str) -> AbstractContextManager[OpenFile]:
        """Open a file of any size on the disk for reading; it is closed behind the block."""
        ...

    async def find_part(self, path: str, old: str, new: str) -> FoundPart:
        """Return the change that `new` in the place of `old` would be, in a text file of any size."""
        ...

    async def replace_part(self, path: str, old: str, new: str, *, expected: FileVersion) -> FileChange:
        """Put `new` in the place of `old`, which must stand there once, byte by byte. **Raises** `Stale`."""
        ...

    async def read_each(self, *paths: str) -> Sequence[FileText | WorkspaceError | None]:
        """Read these files, looked up in one go.

        **Returns** for each its text, its problem, or `None` when it is absent.
        """
        ...

    async def write(
        self, path: str, text: str, *, expected: FileVersion | None, label: str = ""
    ) -> FileChange:
        """Make the file's text exactly this, through the editor when it is open there.

        `expected` is what the caller last saw, `None` for "must not exist". A difference raises
        `Stale` and changes nothing. Encoding, BOM, mode and links of an existing file are kept.
        """
        ...

    async def change(self, files: Sequence[WantedFile], *, label: str = "") -> Sequence[FileChange]:
        """Make all of these so, in this order, or none: what was done is taken back when one cannot be.

        Raises `Stale`, whose `effects` say whether anything could not be taken back.
        """
        ...

    async def list(self, path: str = "") -> Sequence[DirEntry]: ...

    def walk(self, under: str = "", glob: str = "", exclude: str = "") -> AsyncGenerator[Sequence[str]]:
        """Yield the files below that fit the glob, in portions: unsaved ones too, none ignored, no links.

        What fits `exclude`, and what is in a folder that does, is left out.
        """
        ...

    async def search(self, wanted: LineSearch, report: Callable[[MatchingFile], None] = ...) -> FoundLines:
        """Search lines of files. Each file is reported once, as soon as it is found."""
        ...

    @property
    def environment(self) -> Mapping[str, str]: ...
    def unsaved(self) -> Sequence[str]: ...
    def buffers(self) -> Sequence[FileText]: ...
    async def save(self, files: Sequence[FileText], session_id: str, reason: str) -> Mapping[str, str]: ...
    def focus(self) -> Focus | None: ...

    def which(self, program: str) -> str:
        """Return the absolute path of a program outside the workspace, "" when there is none."""
        ...

    async def run(self, command: Command, output: Callable[[str], None]) -> Finished:
        """Run a command to its end and pass its output to `output`.

        Cancelling the task ends the whole tree.
        """
        ...


# --- tools and questions -------------------------------------------------------------------------


@frozen
class ToolContext:
    """Everything a call gets besides its arguments; `show` streams text to the user."""

    workspace: Workspace
    call_id: str
    show: Callable[[str], None]


@frozen
class Target:
    """One thing a call would touch: a path for reads and writes, the exact command, a host."""

    effect: Effect
    value: str


@frozen
class Preview:
    """The intended effect of a call, for the person who must allow it.

    `subject` is what the wire shows: `{"type": "command", "command", "cwd"}`, `{"type": "edit", "changes"}`
    or `{"type": "tool", "name", "input"}`. `problem` says why the call would fail as it is ("" when it may
    succeed): then there is nothing to allow. `essence` is what must still be so after a yes, where that is
    less than the whole subject.
    """

    title: str
    subject: JsonObject
    targets: tuple[Target, ...] = ()
    problem: str = ""
    essence: JsonObject | None = None


class Tool(Protocol):
    """Something the model may call.

    `__call__` returns failures as an outcome; an exception all the same is contained by the engine.
    Cancelling the task must end everything that the call started. `preview` has no effect and never raises.
    """

    @property
    def spec(self) -> ToolSpec: ...
    async def preview(self, call: ToolCall, context: ToolContext) -> Preview: ...
    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome: ...


class Asker(Protocol):
    """Puts a question to the human and waits. With nobody `available` it is `unanswered` at once."""

    @property
    def available(self) -> bool: ...
    async def ask(self, question: Question) -> Answer: ...


CallModel = Callable[[ModelRequest], Awaitable[Reply]]
