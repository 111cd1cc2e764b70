"""The settings of rooms that other parts of the server read, each by a protocol that one room `exposes`.

`Config.exposed` finds the room. So the world, the checks and the doors name none.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal, Protocol, Self, runtime_checkable

from agls.engine.ports import Effect
from agls.engine.vocabulary import JsonObject, Limits
from agls.modes import Mode
from agls.room.budgets import Allowance
from agls.room.mcp_ports import GivenServer
from agls.room.session_ports import OutputLimits


@runtime_checkable
class PermissionRules(Protocol):
    """The mode that sessions begin in, and the rules as the user wrote them."""

    @property
    def mode(self) -> Mode: ...
    @property
    def allow(self) -> Sequence[str]: ...
    @property
    def ask(self) -> Sequence[str]: ...
    @property
    def deny(self) -> Sequence[str]: ...

    def hidden(self) -> tuple[str, ...]:
        """**Returns** the files that no list shows: regular expressions (form C, folded case) for names."""
        ...

    def locked(self) -> tuple[str, ...]:
        """**Returns** the files that may not be changed, in the same way."""
        ...

    def outside(self) -> tuple[str, ...]:
        """**Returns** the absolute paths that may not be read, with wildcards."""
        ...

    def denial_of(self, tool: str) -> str:
        """**Returns** which rule denies the tool of a server by its name, "" when none does."""
        ...

    def closed_hosts(self) -> tuple[str, ...]:
        """**Returns** the hosts that no command may reach; `*` is every one."""
        ...


@runtime_checkable
class ToolPolicy(Protocol):
    """The policies of the administrator, the user and trusted folders."""

    def denial(self, texts: Any, tool: str, effects: frozenset[Effect]) -> str:
        """**Returns** why the tool of this name with these effects may not run, "" when it may.

        `texts` is the port `FolderTexts`: it reads the files of the folder.
        """
        ...


@runtime_checkable
class ServerReading(Protocol):
    """The servers of tools in the settings, and how those are read that a client brings with a session."""

    def missing(
        self, folder: str, environment: Mapping[str, str], keys: Collection[str]
    ) -> Mapping[str, str]:
        """**Returns** what is missing for each of the user's servers to start in a folder, "" for nothing.

        The `keys` of models are no values of `environment` that a server gets.
        """
        ...

    def unanswered(
        self,
        texts: Any,
        environment: Mapping[str, str],
        given: Callable[[str], Mapping[str, str]],
    ) -> Mapping[str, Sequence[str]]:
        """**Returns** which inputs each server of a folder's files lacks, and how they are given.

        `texts` are the `FolderTexts` of the folder, `given` returns what a user gave for a folder's inputs.
        """
        ...

    def read_given(self, servers: Sequence[JsonObject]) -> Sequence[GivenServer]:
        """**Returns** each of them, or what is wrong with it."""
        ...


@runtime_checkable
class SandboxUse(Protocol):
    """Which commands run in the sandbox (`use`), and which hosts they may reach."""

    @property
    def use(self) -> Literal["off", "default", "always"]: ...
    @property
    def hosts(self) -> tuple[str, ...]: ...
    @property
    def private_hosts(self) -> tuple[str, ...]: ...
    @property
    def unix_sockets(self) -> bool: ...


@runtime_checkable
class SpendingLimits(Protocol):
    """What may be spent: by a run, and by whatever is larger than a run."""

    @property
    def limits(self) -> Limits: ...
    @property
    def limits_cost(self) -> bool: ...

    def allowance(self, policy: Self, who: str) -> Allowance:
        """**Returns** the allowance of a caller by these settings and by the managed file's above them."""
        ...


@runtime_checkable
class SmallContext(Protocol):
    """Which models can see little."""

    def applies(self, window: int | None) -> bool:
        """**Returns** whether a context of so many tokens is small; `None` is one that is not known."""
        ...


@runtime_checkable
class ModelAdvice(Protocol):
    """What the system prompt says of the tools to one model."""

    def advice(self, model: str, *, is_small: bool) -> str:
        """**Returns** the words for the model of this name, "" for none."""
        ...


@runtime_checkable
class ScratchChoice(Protocol):
    """Whether sessions have a folder for temporary files."""

    @property
    def enabled(self) -> bool: ...


@runtime_checkable
class RunCeiling(Protocol):
    """The most seconds (`ceiling`) that a run with a critic can get."""

    @property
    def ceiling(self) -> float: ...


@runtime_checkable
class OutputShare(Protocol):
    """How much of an output a model gets."""

    def limits(self, window: int | None) -> OutputLimits:
        """**Returns** the limits for a model that can see so many tokens."""
        ...


@runtime_checkable
class ProbePatience(Protocol):
    """How many `seconds` a model may take for an answer before a check calls that a failure."""

    @property
    def seconds(self) -> float: ...


@runtime_checkable
class InlineModels(Protocol):
    """The model for edits at the cursor, and the one that `completes` while `completion` is on."""

    @property
    def model(self) -> str: ...
    @property
    def completion(self) -> bool: ...
    @property
    def completes(self) -> str: ...


@runtime_checkable
class AttachmentSize(Protocol):
    """The largest file that can be attached (`max_bytes`)."""

    @property
    def max_bytes(self) -> int: ...


@runtime_checkable
class StartChoice(Protocol):
    """What an editor does at its `start` with runs that were interrupted."""

    @property
    def start(self) -> Literal["ask", "auto", "never"]: ...


@runtime_checkable
class PageBounds(Protocol):
    """What a page of the web may cost: bytes, seconds, and for how many seconds it is remembered.

    The `private_hosts` may be on a network that is not public.
    """

    @property
    def max_bytes(self) -> int: ...
    @property
    def timeout_s(self) -> float: ...
    @property
    def cache_s(self) -> float: ...
    @property
    def private_hosts(self) -> Sequence[str]: ...


@runtime_checkable
class InstructionLimits(Protocol):
    """Which instruction files count, and how many characters of them: of all together, and of each."""

    @property
    def project_files(self) -> bool: ...
    @property
    def claude_home(self) -> bool: ...
    @property
    def limit(self) -> int: ...
    @property
    def file_limit(self) -> int: ...


@runtime_checkable
class NamedPackages(Protocol):
    """The installed Python packages that the user named (`python`), each with its settings."""

    @property
    def python(self) -> Mapping[str, Mapping[str, Any]]: ...
