"""Which files a workspace has: all of it is walked for that, so a run does not wait for it twice."""

from collections.abc import Callable, Coroutine, Sequence
from typing import Any

from aglet.engine.ports import Workspace, WorkspaceError

FRESH = 10.0  # seconds in which nobody looks again

Aside = Callable[[Coroutine[Any, Any, None]], None]


class Walks:
    """What the last walk of each folder found. Later runs get that, while it is walked again beside them."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[float, Sequence[str]]] = {}

    async def files(self, workspace: Workspace, now: float, aside: Aside) -> Sequence[str]:
        """The files; `now` is Unix time, `aside` takes work nobody waits for. Raises `WorkspaceError`."""
        if workspace.root not in self._found:
            self._found[workspace.root] = now, await workspace.files()
        at, found = self._found[workspace.root]
        if not at <= now < at + FRESH:
            self._found[workspace.root] = now, found
            aside(self._look(workspace, now))
        return found

    async def _look(self, workspace: Workspace, now: float) -> None:
        try:
            self._found[workspace.root] = now, await workspace.files()
        except WorkspaceError:
            del self._found[workspace.root]  # the next run says so
