"""The memory of permissions: earlier answers, chosen modes, and the state of agls's own files."""

from collections.abc import Callable, Sequence
from typing import Protocol

from agls.engine.ports import Effect
from agls.frozen import frozen
from agls.room.mode_choices import SessionChoices
from agls.room.session_ports import SessionFacts


class Grants(Protocol):
    """Rules the user allowed for this project, kept in the user's state directory, never in the project.

    `load` never raises: what cannot be read grants nothing, and `ignored` says afterwards why a file that
    is there does not count. `save` adds rules durably, `remove` takes them back; both raise `OSError` when
    they cannot. All look at the disk: call them off the event loop. `mark` and `vouch` distinguish what was
    allowed for the session from what something else wrote into its journal.
    """

    @property
    def ignored(self) -> str: ...
    def load(self) -> Sequence[str]: ...
    def save(self, rules: Sequence[str]) -> None: ...
    def remove(self, rules: Sequence[str]) -> None: ...
    def mark(self, rules: Sequence[str]) -> str: ...
    def vouch(self, rules: Sequence[str], mark: str) -> bool: ...


class OwnFiles(Protocol):
    """The user's files that decide what runs unasked. Their digests are compared around each command.

    `begin`, `end` and `look` read files: call them off the event loop. `end` and `look` return what
    changed since the last look, `changed` is all that changed and that the user did not look at since.
    `lasting` is whether something goes on in the background: else `look` finds nothing.
    `accept` says that they did; it raises `OSError`.
    """

    @property
    def changed(self) -> Sequence[str]: ...
    @property
    def lasting(self) -> bool: ...
    def begin(self) -> None: ...
    def end(self, *, lasting: bool) -> Sequence[str]: ...
    def look(self) -> Sequence[str]: ...
    def accept(self) -> None: ...


class Traces(Protocol):
    """What commands left in the workspace that programs run or obey, by path. Call it off the event loop.

    `begin` and `end` stand around each command; `lasting` is whether something goes on in the background, and
    then `look` finds what it left since.
    """

    @property
    def lasting(self) -> bool: ...
    def begin(self) -> None: ...
    def end(self, *, lasting: bool) -> Sequence[str]: ...
    def look(self) -> Sequence[str]: ...


Forbids = Callable[[str, frozenset[Effect]], str]
"""**Returns** why a policy forbids the tool of this name with these effects, "" when none does."""


def forbid_nothing(tool: str, effects: frozenset[Effect]) -> str:
    """Stand for a folder without a policy."""
    return ""


@frozen
class PermissionMemory:
    """What was allowed before, whether that can be relied on, and what no answer can allow."""

    grants: Grants
    choices: SessionChoices
    files: OwnFiles
    traces: Traces
    facts: SessionFacts
    forbids: Forbids = forbid_nothing
