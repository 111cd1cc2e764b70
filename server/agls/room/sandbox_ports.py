"""Ports to the sandbox that commands run in. The assembly implements them."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from agls.engine.ports import Workspace


class Confined(Protocol):
    """A workspace whose commands run in the sandbox; `stopped` says what it kept the last of them from."""

    @property
    def workspace(self) -> Workspace: ...
    @property
    def stopped(self) -> Sequence[str]: ...


class CommandSandbox(Protocol):
    """The sandbox for the commands of a run.

    `missing` **returns** why there is none here, "" when there is one; `unavailable` the same, and also that
    it is switched off; `lacking` why it is a narrower one than it could be; `after_crash`, once, what
    commands of processes that died had left. `remark` **returns** what a question about a command says of it;
    one that is `confined` may run in it only. `enter` makes one in which the workspace and these other
    folders may be changed. `accept` takes the files that other programs obey for wanted, as they are now:
    when something outside of it was allowed. `obeyed` **returns** the digests of the files that a command
    names, runs or obeys in a folder, by their names; that of the folder is where it leads.
    """

    async def missing(self) -> str: ...
    async def lacking(self) -> str: ...
    def after_crash(self) -> Sequence[str]: ...
    async def unavailable(self) -> str: ...
    async def remark(self, *, confined: bool = False) -> str: ...
    def enter(self, writable: Sequence[str]) -> Confined: ...
    async def accept(self, writable: Sequence[str]) -> None: ...
    async def obeyed(self, command: str, folder: str) -> Mapping[str, str]: ...
