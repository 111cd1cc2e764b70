"""Which sandbox this machine can have: each way to make one is really tried, once in each process.

Trying a program runs it, so the caller says which one that is: no folder's own `bwrap` is ever tried.
"""

import asyncio
import subprocess  # noqa: TID251 - this package starts processes
import sys
from collections.abc import Sequence
from os import defpath

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.workspace.sandbox import landlock, seccomp
from agls.workspace.sandbox.denied import DeniedFiles, DenyRules
from agls.workspace.sandbox.entrances import bubblewrap, by_landlock
from agls.workspace.sandbox.launcher import Backend, NamesBefore
from agls.workspace.sandbox.residue import Residue

BUBBLEWRAP = "bwrap"
OTHER_SYSTEM = "agls has a sandbox on Linux only"
OTHER_MACHINE = "agls has no filter of system calls for this kind of processor"
NOT_INSTALLED = "bubblewrap is not installed (its program is bwrap)"
REFUSED = "{} cannot make a sandbox here: {}"
OLD_KERNEL = "this kernel has no Landlock of version 3"
SECONDS = 10.0


@frozen
class SandboxState:
    """The ways to make a sandbox that work here, the best first, and what is `missing` for the others."""

    backends: tuple[Backend, ...] = ()
    program: str = ""
    missing: str = ""


class Sandboxes:
    """The sandboxes of a process: how they are made, and what was in their folders before.

    What is taken back is kept in `folder`.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._found: dict[str, SandboxState] = {}
        self._left: list[str] = []
        self._baselines: dict[tuple[str, ...], NamesBefore] = {}
        self._denied: dict[DenyRules, DeniedFiles] = {}

    async def find(self, program: str) -> SandboxState:
        """Return what works here. It was really tried, and what a crash left behind was taken back.

        `program` is the path of bubblewrap's program outside the workspace, "" when there is none.
        """
        if program not in self._found:
            self._found[program] = await asyncio.to_thread(self._look, program)
            self._left += await asyncio.to_thread(Residue(self._folder).clean)
        return self._found[program]

    def after_crash(self) -> Sequence[str]:
        """Return, once, what was found of commands of processes that died."""
        left, self._left = self._left, []
        return left

    @property
    def are_idle(self) -> bool:
        """Whether no command runs in any of them, nor is about to."""
        return all(baseline.is_idle for baseline in tuple(self._baselines.values()))

    def baseline(self, roots: tuple[str, ...]) -> NamesBefore:
        """Return what all sandboxes with these folders share."""
        return self._baselines.setdefault(roots, NamesBefore(roots, Residue(self._folder)))

    def denied(self, rules: DenyRules) -> DeniedFiles:
        """Return what finds the files that these rules deny."""
        return self._denied.setdefault(rules, DeniedFiles(rules))

    def _look(self, program: str) -> SandboxState:
        if sys.platform != "linux":
            return SandboxState(missing=OTHER_SYSTEM)
        if not seccomp.is_known():
            return SandboxState(missing=OTHER_MACHINE)
        own = Backend("bubblewrap", bubblewrap(program, self._folder), has_own_folders=True)
        kernels = Backend("landlock", by_landlock, has_own_folders=False)
        problem = _try(own) if program else NOT_INSTALLED
        if not problem:
            return SandboxState((own,), program)
        is_new = landlock.version() >= landlock.LEAST
        other = _try(kernels) if is_new else OLD_KERNEL
        return SandboxState(() if other else (kernels,), missing=f"{problem}; {other}" if other else problem)


def _try(backend: Backend) -> str:
    """Start a program in the sandbox. **Returns** why that did not work, "" when it did."""
    try:
        entrance = backend.enter((), "", "/", True)
        try:
            done = subprocess.run(
                (*entrance.words, "/bin/sh", "-c", "exit 0"),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                env={"PATH": defpath},
                pass_fds=entrance.descriptors,
                timeout=SECONDS,
                check=False,
            )
        finally:
            entrance.close()
    except (OSError, subprocess.SubprocessError, WorkspaceError) as error:
        return REFUSED.format(backend.name, error)
    words = " ".join(done.stderr.decode(errors="replace").split())[-200:]
    return REFUSED.format(backend.name, words or f"exit code {done.returncode}") if done.returncode else ""
