"""Who may do what: every call with an effect passes here, and only the user can widen what passes."""

from agls.engine.ports import Asker, Workspace
from agls.features.permissions.settings import OfAgent, Settings
from agls.modes import complaint_of
from agls.room import Room, RunOption, build_of
from agls.room.exposed import PermissionRules
from agls.room.permission_memory import PermissionMemory
from agls.room.process_ports import ShellFacts
from agls.room.sandbox_ports import CommandSandbox
from agls.room.session_ports import READ_ONLY

MODE = RunOption("mode", is_text=True, complaint=complaint_of)


def not_a_truth(value: object) -> str:
    """**Returns** what is wrong with a value that must be true or false, "" for nothing."""
    return "" if isinstance(value, bool) else "is true or false"


READS = RunOption(READ_ONLY, complaint=not_a_truth)
ROOM = Room(
    "permissions",
    Settings,
    build_of(__name__),
    needs=(Asker, Workspace, PermissionMemory, ShellFacts, CommandSandbox),
    options=(MODE, READS),
    exposes=(PermissionRules,),
    of_agent=(OfAgent, OfAgent.model_construct()),
    has_actions=True,
)
