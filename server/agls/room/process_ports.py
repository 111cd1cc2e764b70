"""Ports to what lives as long as the process. The assembly implements them."""

from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from typing import Literal, Protocol

from agls.engine.actions import ActionOutcome
from agls.engine.ports import Workspace
from agls.engine.vocabulary import (
    JsonObject,
    ToolCall,
    ToolOutcome,
)
from agls.frozen import frozen


@frozen
class SettingRow:
    """A setting that holds: who said it (`source`, "default" for nobody), and `where`."""

    key: str
    value: object
    source: str
    where: str


class SettingsStore(Protocol):
    """The settings of the user and of the folder. All methods raise `ActionError` with the remedy.

    `rows` are those that hold, all or of one name or table. `file` is where the user's, or the folder's, are;
    `set` and `unset` change it, and **return** what to say of it. What decides about keys, addresses and what
    runs unasked is refused: a person says that at a terminal. `reload` reads all files again, those of
    instructions, commands and rules too, and **returns** the settings that hold otherwise (a `value` of
    `None`: it is gone).
    """

    def rows(self, key: str = "") -> Sequence[SettingRow]: ...
    def file(self, *, project: bool = False) -> str: ...
    def set(self, key: str, text: str, *, project: bool = False) -> str: ...
    def unset(self, key: str, *, project: bool = False) -> str: ...
    def reload(self) -> Sequence[SettingRow]: ...


class ShellFacts(Protocol):
    """What the disk says of a command before it runs. Nothing is run; call it off the event loop.

    `is_foreign`: does the program that a shell finds under this name, started in this folder, lie outside the
    workspace? `obeyed` is the first file with one of these names in a folder or above it ("": none), `expand`
    gives the names that a shell puts in the place of a pattern, `programs_of_git` why git might run other
    programs in a folder ("": it will not), `held_below` the first file with such a name in a folder or below
    ("": none in the folders that it looked into, the upper ones first; a folder has `/` behind its name),
    `below` everything in a folder and below as `(path, kind)`, a link as one, `tracked` the names of what git
    keeps there. `is_top` is whether it is the top folder of a repository. They raise `WorkspaceError`.
    """

    def is_foreign(self, program: str, folder: str) -> bool: ...
    def obeyed(self, folder: str, names: Iterable[str]) -> str: ...
    def expand(self, pattern: str, folder: str) -> Sequence[str]: ...
    def programs_of_git(self, folder: str) -> str: ...
    def held_below(self, folder: str, is_meant: Callable[[str], bool]) -> str: ...
    def tracked(self, folder: str) -> Iterable[str]: ...
    def is_top(self, folder: str) -> bool: ...
    def below(self, folder: str) -> Iterable[tuple[str, Literal["file", "folder", "link"]]]: ...


class KeptKeys(Protocol):
    """The API keys that the user keeps, by host; no key is ever shown. All methods raise `ActionError`.

    `rows` **returns** the hosts with a key and where it is kept, `known` the addresses of providers and
    models by their names, `host` the host of one of these, of an address, or of a host's name. `remove`
    **returns** whether there was a key to forget.
    """

    def rows(self) -> Sequence[tuple[str, str]]: ...
    def known(self) -> Mapping[str, str]: ...
    def host(self, name: str) -> str: ...
    def remove(self, host: str) -> bool: ...


class TrustedFolders(Protocol):
    """The folders that the user trusts. `forget` raises `ActionError`; it **returns** whether one was.

    `all` are those that are trusted from now on; `trusts` is also true for one that an editor trusts.
    `end_servers` ends the MCP servers of a folder that is not trusted any more, and of those below.
    """

    def all(self) -> Sequence[str]: ...
    def trusts(self, folder: str) -> bool: ...
    def forget(self, folder: str) -> bool: ...
    def end_servers(self, folder: str) -> None: ...


class HeldKeys(Protocol):
    """The user's keys, as far as they are known now."""

    def __call__(self) -> Iterable[str]: ...


class Post(Protocol):
    """Sends JSON to an address and **returns** the HTTP status. **Raises** `OSError`."""

    def __call__(self, url: str, body: bytes, /) -> Awaitable[int]: ...


class AuditFile(Protocol):
    """Adds a record to the audit: with the bytes of a full file, and the files kept. **Raises** `OSError`."""

    def __call__(self, record: JsonObject, max_bytes: int, keep: int, /) -> None: ...


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

    `kind` and `name` make the name of its tool, where it `has_tool`; a model is shown that of one from a file
    (`may_wait`) only while there are few. It works in this `mode` at most ("": its caller's). One for
    the `background` is never waited for; one that `is_isolated` works in a git worktree of its own.
    """

    name: str
    description: str
    has_tier: bool = False
    kind: str = "agent"
    has_tool: bool = True
    may_wait: bool = False
    mode: str = ""
    effort: str = ""
    background: bool = False
    is_isolated: bool = False


@frozen
class KnownAgents:
    """All of them. With `only_reads` the run's own agent may only read, and so may whoever works for it."""

    agents: tuple[AgentEntry, ...] = ()
    only_reads: bool = False


@frozen
class OfferedTool:
    """A tool as the client describes it; `schema` is a JSON Schema of an object.

    `own` is a tool of the program that holds the agent: its answers are not marked as those of others.
    """

    name: str
    description: str
    schema: JsonObject
    reads_only: bool = False
    own: bool = False


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


@frozen
class InstalledPlugin:
    """An installed plugin: where it came from, the digest of its files, whether it `is_on`.

    `problem` says why it cannot be used ("": it can), `remarks` what is wrong with it all the same, `unused`
    what it has that is of no use here, and `missing` which of its options need a value.
    """

    name: str
    source: str
    digest: str
    is_on: bool
    version: str = ""
    description: str = ""
    problem: str = ""
    remarks: Sequence[str] = ()
    unused: Sequence[str] = ()
    missing: Sequence[str] = ()


@frozen
class PythonPlugin:
    """An entry point of an installed Python package; it `is_on` when the user named it.

    `place` is its module and room. `problem` says why it cannot be used ("": it can), `fix` what to do.
    """

    name: str
    package: str
    version: str
    place: str
    is_on: bool
    problem: str = ""
    fix: str = ""


class PluginShelf(Protocol):
    """The plugins that the user installed; all look at the disk.

    `all` **returns** them by name, `python` those that are Python packages, `powers` what one brings, line
    by line. `switch` and `remove` raise `ActionError` for one that is not there. All count from the next run.
    """

    def all(self) -> Sequence[InstalledPlugin]: ...
    def python(self) -> Sequence[PythonPlugin]: ...
    def powers(self, name: str) -> Sequence[str]: ...
    def switch(self, name: str, *, on: bool, values: Mapping[str, str]) -> None: ...
    def remove(self, name: str) -> None: ...
