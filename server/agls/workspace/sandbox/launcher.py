"""Commands in the sandbox: as by `Processes`, but each starts in bounds, and what it left is looked at."""

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TypeVar

from agls.engine.ports import Command, Finished, WorkspaceError
from agls.frozen import frozen
from agls.workspace.processes import Processes
from agls.workspace.sandbox.entrances import Enter, Entrance
from agls.workspace.sandbox.gateway import ENVIRONMENT, Passage, ReachableHosts
from agls.workspace.sandbox.mounts import Bounds, check_width, views
from agls.workspace.sandbox.names import Marked, ProtectedNames, TooManyFolders
from agls.workspace.sandbox.residue import Residue, new_names
from agls.workspace.sandbox.signs import signs_in

TAKEN = (
    "[Taken back, because the sandbox lets no command make files that other programs obey: {}. "
    "It was moved to {}.]"
)
REFUSED = "[The sandbox did not let a connection through: {}.]"
FEW_FOLDERS = 1_500  # are looked at within five milliseconds
Result = TypeVar("Result")
LEFT = "[Other programs obey these files, and they changed while the command ran: {}]"


@frozen
class Backend:
    """One way to make the sandbox; `has_own_folders` when it has a `/tmp` and a root of its own."""

    name: str
    enter: Enter
    has_own_folders: bool


class NamesBefore:
    """The protected names of some folders, as they were before the first command that runs there now."""

    def __init__(self, roots: tuple[str, ...], residue: Residue) -> None:
        self.roots, self.residue = roots, residue
        self.names = ProtectedNames()
        self.known: Mapping[str, Marked] = {}
        self.running = 0
        self.lock = Lock()

    @property
    def is_idle(self) -> bool:
        """Whether no command runs, nor is about to."""
        if not self.lock.acquire(blocking=False):
            return False
        try:
            return not self.running
        finally:
            self.lock.release()

    def accept(self) -> None:
        """Take what is there now for known: somebody allowed it. Harmless when no command runs."""
        with self.lock:
            if self.running:
                self.known = {**self.known, **self.names.below(self.roots)}


class SandboxedProcesses:
    """Starts commands within the bounds; `stopped` is what the sandbox kept the last of them from."""

    def __init__(
        self,
        processes: Processes,
        backend: Backend,
        bounds: Bounds,
        baseline: NamesBefore,
        hosts: ReachableHosts | None = None,
    ) -> None:
        self._processes, self._backend = processes, backend
        self._bounds, self._baseline = bounds, baseline
        temporary = "/tmp" if backend.has_own_folders else bounds.scratch
        self._changed = {"AGLS_IN_SANDBOX": backend.name, **({"TMPDIR": temporary} if temporary else {})}
        hosts = hosts if backend.has_own_folders else None  # without a network of its own there is no way
        self._changed |= ENVIRONMENT if hosts else {}
        proxies = (name for name in processes.environment if name.upper().endswith("_PROXY"))
        self._unset = frozenset(proxies) - self._changed.keys()
        usual = {name: value for name, value in processes.environment.items() if name not in self._unset}
        self.environment: Mapping[str, str] = {**usual, **self._changed}
        self.stopped: Sequence[str] = ()
        self._entrance, self._hosts = Entrance(), hosts
        self._runs = self._is_over = self._closes = False
        self._early: Sequence[str] = ()

    async def run(self, command: Command, folder: int, cwd: str, output: Callable[[str], None]) -> Finished:
        """Run a command to its end, as `Processes.run` does. **Raises** `WorkspaceError`."""
        self.stopped, self._early = (), ()
        self._is_over = False
        left: Sequence[str] = ()
        check_width(self._bounds)
        passage = Passage(self._hosts.open()) if self._hosts else None
        try:
            await self._do(self._begin, cwd)
            entrance = self._entrance
            inner = passage.words if passage else ()
            descriptors = (*entrance.descriptors, *((passage.descriptor,) if passage else ()))
            command = replace(
                command,
                argv=(*entrance.words, *inner, *command.argv),
                env={**self._changed, **command.env},
                unset=command.unset | self._unset,
            )
            work = self._processes.run(command, folder, cwd, output, others=descriptors)
            finished = await (passage.during(work) if passage else work)
        finally:
            if passage:
                passage.close()
            left = await self._do(self._end)
        refused = [REFUSED.format(each) for each in passage.gateway.refused] if passage else ()
        signs = signs_in(finished, closes=self._closes, hosts=self._hosts.names if self._hosts else ())
        self.stopped = (*left, *refused, *signs)
        if self._backend.has_own_folders:  # its processes end with the first: the others cannot be counted
            finished = replace(finished, left_over=0)
        return replace(finished, remarks=(*finished.remarks, *self.stopped))

    async def _do(self, work: Callable[..., Result], *given: object) -> Result:
        """Do it here when it is quick: on a busy machine a thread is waited for longer than it works."""
        if 0 < self._baseline.names.size <= FEW_FOLDERS:
            return work(*given)
        return await asyncio.to_thread(work, *given)

    def _begin(self, cwd: str) -> None:
        """Look at the names that are there, and open the entrance. **Raises** `WorkspaceError`."""
        baseline = self._baseline
        with baseline.lock:
            if self._is_over:  # cancelled before this thread came to work
                return
            names = baseline.names.below(baseline.roots)
            if baseline.running:
                self._early = self._take_back(names)  # made since a command began that still runs
            else:
                baseline.known = names
            try:
                denied = self._bounds.denied.below(self._bounds.roots)
                seen = views(self._bounds, baseline.known, denied, baseline.names.folders)
                self._closes = "closed" in denied.values()
                where = os.path.realpath(cwd)
                self._entrance = self._backend.enter(
                    seen, self._bounds.temporary, where, self._bounds.sockets
                )
            except OSError as error:
                raise WorkspaceError(f"The sandbox could not be made: {error}.") from error
            baseline.running += 1
            self._runs = True
            baseline.residue.begin(baseline.roots, baseline.known)

    def _end(self) -> Sequence[str]:
        """Take back what commands made and may not. **Returns** what to say of that."""
        baseline = self._baseline
        with baseline.lock:
            self._is_over = True
            if not self._runs:
                return ()
            self._runs = False
            self._entrance.close()
            baseline.running -= 1
            unfinished: Sequence[str] = ()
            try:
                names = baseline.names.below(baseline.roots)
            except TooManyFolders as problem:
                names, unfinished = problem.found, (f"[{problem} Some may be left.]",)
            try:
                return (*self._early, *self._take_back(names), *unfinished)
            finally:
                if not baseline.running:
                    baseline.residue.end()

    def _take_back(self, names: Mapping[str, Marked]) -> Sequence[str]:
        roots = self._baseline.roots
        taken, changed = new_names(self._baseline.known, names, roots)
        where = self._baseline.residue.take(taken, roots)
        said = [TAKEN.format(path, place) for path, place in where.items()]
        left = sorted({*changed, *(path for path in taken if path not in where)})
        return (*said, *((LEFT.format(", ".join(left)),) if left else ()))
