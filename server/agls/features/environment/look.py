"""Finds out where a session works."""

from agls.engine.ports import Workspace, WorkspaceError
from agls.engine.state import State
from agls.features.environment.settings import Settings
from agls.features.environment.snapshot import (
    Facts,
    editor_lines,
    git_lines,
    machine_lines,
    one_line,
    place_facts,
)
from agls.room.folder_ports import Machine, Repository, RepositoryState, Surroundings

LISTING = "In the folder"


class EnvironmentLook:
    """Looks for one run; `brief` is for models with a small context, `once` names facts of the beginning."""

    once = (LISTING,)

    def __init__(
        self,
        settings: Settings,
        workspace: Workspace,
        place: Surroundings,
        machine: Machine,
        repository: Repository,
        *,
        brief: bool,
    ) -> None:
        self._settings = settings
        self._workspace, self._place = workspace, place
        self.machine, self._repository = machine, repository
        self._asks_git = settings.git and place.trusted
        self._brief = brief
        self._was_known = False

    async def facts(self, state: State, *, first: bool) -> Facts:
        """Return all facts as they are now. Git is only waited for where HEAD or the index changed."""
        mode = self._place.mode_of(state) if "mode" in state.settings else ""
        now = place_facts(self._place, self._workspace.root, self._workspace.roots, mode)
        if not self._brief:
            now |= machine_lines(self.machine())
        now |= git_lines(await self._git(), self._settings.changed)
        if first and self._place.trusted and not self._brief:
            now |= await self._listing()
        return now | editor_lines(self._workspace.focus(), self._workspace.unsaved())

    def head(self) -> Facts:
        """Return where HEAD is, where that is known to have changed since the run began."""
        if not self._asks_git or self._repository.known() is not None:
            return {}
        state = self._repository.head()
        return {"Git": state} if state else {}

    def is_old(self) -> bool:
        """Return whether git should be asked again beside the run: files change without HEAD or the index."""
        return self._asks_git and self._was_known

    async def again(self) -> None:
        """Ask git for the next run."""
        await self._repository.look()

    async def _git(self) -> RepositoryState | None:
        if not self._asks_git:
            return None
        known = self._repository.known()
        self._was_known = known is not None
        return await self._repository.look() if known is None else known

    async def _listing(self) -> Facts:
        most = self._settings.listed
        try:
            entries = await self._workspace.list() if most else ()
        except WorkspaceError:
            return {}
        names = [one_line(entry.name) + ("/" if entry.kind == "dir" else "") for entry in entries]
        more = f", and {len(names) - most} more" if len(names) > most else ""
        return {LISTING: ", ".join(names[:most]) + more} if names else {}
