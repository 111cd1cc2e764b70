"""What the room remembers by: earlier answers, chosen modes, and the state of agls's own files."""

from collections.abc import Sequence
from typing import Protocol

from agls.features.permissions.grants import Grants
from agls.frozen import frozen
from agls.room.mode_choices import SessionChoices


class OwnFiles(Protocol):
    """The user's files that decide what runs unasked. Their digests are compared around each command.

    `begin`, `end` and `look` read files: call them off the event loop. `end` and `look` return what
    changed since the last look, `changed` is all that changed and that the user did not look at since.
    `accept` says that they did; it raises `OSError`.
    """

    @property
    def changed(self) -> Sequence[str]: ...
    def begin(self) -> None: ...
    def end(self, *, lasting: bool) -> Sequence[str]: ...
    def look(self) -> Sequence[str]: ...
    def accept(self) -> None: ...


@frozen
class PermissionMemory:
    """What was allowed before, and whether that can be relied on."""

    grants: Grants
    choices: SessionChoices
    files: OwnFiles
