"""The services behind the ports of the rooms, by lifetime: of the process, of the session, of the run."""

from dataclasses import field

from agls.assembly.record import SessionLog
from agls.config import AgentDefinition, Config, FolderGrants, GuardedFiles, RunBounds, Seal, Setup
from agls.engine.feature import Feature
from agls.engine.ports import Clock, ModelResolver
from agls.engine.session import Session
from agls.engine.spawning import Spawner
from agls.frozen import frozen
from agls.room.budgets import BudgetRegistry
from agls.room.mode_choices import Choices, SessionChoices
from agls.room.ports import RunInfo, ToolClient
from agls.stores.scratch import Scratch
from agls.stores.storage import Storage
from agls.workspace.workspace import OpenWorkspace


@frozen(kw_only=True)
class ProcessServices:
    """Opened with the process, and shared by all its sessions.

    `choices` are the permission modes that somebody chose, `own_files` the files that say what runs unasked,
    `seal` the mark of what agls wrote. `lasting` is whether the process outlives a run.
    """

    clock: Clock
    storage: Storage
    scratch: Scratch
    client: ToolClient
    budgets: BudgetRegistry
    choices: Choices
    own_files: GuardedFiles
    seal: Seal
    lasting: bool


@frozen(kw_only=True)
class SessionServices:
    """Opened with a session. `children` work for it, `above` has those that it works for."""

    session: Session
    record: SessionLog
    children: Spawner
    above: tuple[Spawner, ...]
    choices: SessionChoices
    grants: FolderGrants


@frozen(kw_only=True)
class RunServices:
    """Made for one run, from the configuration of that moment.

    `scratch` is the session's folder for temporary files ("": none), `built` are the features made so far.
    """

    process: ProcessServices
    session: SessionServices
    setup: Setup
    config: Config
    agent: AgentDefinition
    bounds: RunBounds
    workspace: OpenWorkspace
    models: ModelResolver
    info: RunInfo
    scratch: str
    built: list[Feature] = field(default_factory=list[Feature])
