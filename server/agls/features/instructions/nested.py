"""Where a workspace has instruction files: all of it is walked for that, so a run waits for it only once."""

from collections.abc import Callable, Coroutine, Iterable, Sequence
from typing import Any

from agls.engine.ports import Workspace, WorkspaceError

NAMES = ("AGENTS.md", "CLAUDE.md")  # in one folder the first counts alone
FRESH = 10.0  # seconds in which nobody looks again

Aside = Callable[[Coroutine[Any, Any, None]], None]


class Walks:
    """What the last walk of each folder found. Later runs get that, while it is walked again beside them."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, Sequence[str]]] = {}

    async def known(self, workspace: Workspace, now: float, aside: Aside) -> Sequence[str]:
        """The instruction files; `now` is Unix time, `aside` takes work nobody waits for.

        Raises `WorkspaceError`.
        """
        if workspace.root not in self._found:
            self._found[workspace.root] = now, await find(workspace)
        at, found = self._found[workspace.root]
        if not at <= now < at + FRESH:
            self._found[workspace.root] = now, found
            aside(self._look(workspace, now))
        return found

    async def _look(self, workspace: Workspace, now: float) -> None:
        try:
            self._found[workspace.root] = now, await find(workspace)
        except WorkspaceError:
            del self._found[workspace.root]  # the next run says so


async def find(workspace: Workspace) -> list[str]:
    """The instruction files of a workspace, one for each folder. Raises `WorkspaceError`."""
    return nearest([path async for paths in workspace.walk(glob=f"{{{','.join(NAMES)}}}") for path in paths])


def nearest(paths: Iterable[str]) -> list[str]:
    """Of every folder the one instruction file that counts there."""
    chosen: dict[str, str] = {}
    spelled = [path.replace("\\", "/") for path in paths]
    for wanted in NAMES:
        for path in spelled:
            folder, _, name = path.rpartition("/")
            if name == wanted:
                chosen.setdefault(folder, path)
    return sorted(chosen.values())
