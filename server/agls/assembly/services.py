"""The services behind the ports of the rooms, by lifetime: of the process, of the session, of the run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import ref

from agls.assembly.consent_answers import SessionAnswers
from agls.assembly.record import SessionLog
from agls.config import (
    AgentDefinition,
    AllowedTools,
    Config,
    FolderGrants,
    GuardedFiles,
    RunBounds,
    Seal,
    Setup,
)
from agls.engine.feature import Feature
from agls.engine.ports import Clock, ModelResolver
from agls.engine.session import Session
from agls.engine.spawning import Spawner
from agls.engine.vocabulary import Stop, StopReason
from agls.frozen import frozen
from agls.instruction_files import Surveys
from agls.language_servers import LanguageServers
from agls.room.budgets import BudgetRegistry
from agls.room.mcp_ports import GivenServer, ServerCalls
from agls.room.mode_choices import Choices, SessionChoices
from agls.room.process_ports import SettingsStore, ToolClient
from agls.room.run_ports import HookPoints, RunInfo
from agls.room.session_ports import SessionControl
from agls.stores.scratch import Scratch
from agls.stores.storage import Storage
from agls.web.access import WebAccess
from agls.workspace.git_state import GitStates
from agls.workspace.processes import Processes
from agls.workspace.sandbox.on_use import SandboxesOnUse
from agls.workspace.workspace import OpenWorkspace

if TYPE_CHECKING:
    from agls.mcp_servers import SharedServers

MISSING = "{} has no consent, and nobody is there to give it."


@dataclass
class MissingConsents:
    """Collects their names; with `ends_run` the first of them ends the run that needs it."""

    ends_run: bool = False
    names: list[str] = field(default_factory=list[str])

    def add(self, name: str) -> Stop | None:
        """Add an offer. **Returns** why the run ends, `None` when it goes on."""
        self.names.append(name)
        return Stop(StopReason.GUARD, MISSING.format(name)) if self.ends_run else None


@frozen(kw_only=True)
class ProcessServices:
    """Opened with the process, and shared by all its sessions.

    `choices` are the permission modes that somebody chose, `own_files` the files that say what runs unasked,
    `seal` the mark of what agls wrote. `surveys` and `git_states` are what is known of instruction files and
    of repositories, `door` is what the user works with ("": no editor), `language_servers` and
    `mcp_servers` are those that it started, `given_servers` those that clients brought, by session;
    `sandboxes` are those of commands, `consent_answers` what users answered about offers for now,
    `missing_consents` are of offers that were not used, `broken_packages` what is wrong with Python packages
    that take part. `lasting` is whether the process outlives a run.
    """

    clock: Clock
    storage: Storage
    scratch: Scratch
    client: ToolClient
    budgets: BudgetRegistry
    choices: Choices
    own_files: GuardedFiles
    seal: Seal
    web: WebAccess
    processes: Processes
    lasting: bool
    given_servers: dict[str, Sequence[GivenServer]]
    language_servers: LanguageServers
    mcp_servers: Callable[[], "SharedServers"]
    sandboxes: SandboxesOnUse
    broken_packages: Callable[[], Mapping[str, str]]
    surveys: Surveys = field(default_factory=Surveys)
    consent_answers: SessionAnswers = field(default_factory=SessionAnswers)
    git_states: GitStates = field(default_factory=GitStates)
    missing_consents: MissingConsents = field(default_factory=MissingConsents)
    door: str = ""


@frozen(kw_only=True)
class SessionServices:
    """Opened with a session. `children` work for it, `above` has those that it works for."""

    session: Session
    record: SessionLog
    children: Spawner
    above: tuple[Spawner, ...]
    choices: SessionChoices
    grants: FolderGrants
    control: SessionControl
    settings: SettingsStore


class PointsOfRun:
    """The `HookPoints` of a run, held by the rooms alone: what answers there refers back to the run."""

    def __init__(self) -> None:
        self._held: Callable[[], HookPoints | None] = lambda: None

    def get(self) -> HookPoints:
        """Return those that a room holds, or new ones."""
        points = self._held() or HookPoints()
        self._held = ref(points)
        return points


@frozen(kw_only=True)
class RunServices:
    """Made for one run, from the configuration of that moment.

    `folder` is that of the session: there is what its user wrote for agents, and it `is_trusted`, or not.
    `workspace` is where the run works: the same, or a worktree of its repository.
    `scratch` is the session's folder for temporary files ("": none), `tools` are those that its agent may
    have (`None`: all), `built` are the features made so far, `server_calls` those of rooms to MCP servers.
    """

    process: ProcessServices
    session: SessionServices
    setup: Setup
    config: Config
    agent: AgentDefinition
    bounds: RunBounds
    workspace: OpenWorkspace
    folder: OpenWorkspace
    is_trusted: bool
    models: ModelResolver
    info: RunInfo
    scratch: str
    tools: AllowedTools | None = None
    built: list[Feature] = field(default_factory=list[Feature])
    server_calls: ServerCalls = field(default_factory=ServerCalls)
    points: PointsOfRun = field(default_factory=PointsOfRun)

    def fits(self, session: Session, config: Config, scratch: str) -> bool:
        """Return whether what is next in the session may work with this workspace.

        It may when nothing happened since but that a prompt was admitted.
        """
        if self.session.session is not session or self.config is not config or self.scratch != scratch:
            return False
        before, now = self.info.state, session.state
        return now.seq - before.seq <= 1 and (before.cwd, before.roots) == (now.cwd, now.roots)
