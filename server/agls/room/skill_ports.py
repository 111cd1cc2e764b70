"""The port that skills work with. The assembly implements it."""

from agls.engine.ports import Workspace
from agls.frozen import frozen
from agls.room.offers import Consents
from agls.room.permission_memory import PermissionMemory
from agls.room.process_ports import KnownAgents
from agls.room.run_ports import RunInfo
from agls.room.session_ports import KnownModels, SessionRecord


@frozen
class SkillPorts:
    """What skills are used with: the run and its workspace, the `agents` that may do one, the models.

    In `memory` folders are opened; the `record` has what a test of one costs. `consents`
    are for the commands that a skill wants run.
    """

    run: RunInfo
    workspace: Workspace
    memory: PermissionMemory
    agents: KnownAgents
    knows_model: KnownModels
    record: SessionRecord
    consents: Consents
