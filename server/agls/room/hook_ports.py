"""The port that hooks run with. The assembly implements it."""

from collections.abc import Callable

from agls.engine.facts import Transient, Used
from agls.engine.ports import ModelResolver, Spawn, Workspace
from agls.engine.spawning import Spawner
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.room.folder_ports import WORKTREE
from agls.room.mcp_ports import ServerCalls
from agls.room.run_ports import RunInfo
from agls.room.session_ports import JUDGES, ModeControl, OutputFolder
from agls.room.web_ports import ServiceCaller


@frozen
class HookPorts:
    """What a hook is run with: the run that it sees, its mode, its workspace, the way to services.

    In `files` the conversation is kept for it. Of `models` one may be the judge; `spend` records what that
    cost. What a room does while no run is there has `note`, `show` and `spawn` of the session in the place of
    those of a run; `servers` are there in runs. One of the `children` may judge. What records something
    **raises** `JournalError`.
    """

    run: RunInfo
    mode: ModeControl
    workspace: Workspace
    call_service: ServiceCaller
    files: OutputFolder
    models: ModelResolver
    spend: Callable[[Used], None]
    note: Callable[[str, str, JsonObject], None]
    show: Callable[[Transient], None]
    spawn: Spawn
    servers: ServerCalls
    children: Spawner

    @property
    def judges(self) -> bool:
        """Whether this run decides for a hook of another one."""
        return self.run.options.get(JUDGES) is True

    @property
    def works_in(self) -> str:
        """The folder in which calls have their paths: that of the workspace, or a worktree of it."""
        return str(self.run.options.get(WORKTREE, "")) or self.workspace.root
