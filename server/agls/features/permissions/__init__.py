"""Who may do what: every call with an effect passes here, and only the user can widen what passes."""

from agls.engine.ports import Asker, Workspace
from agls.features.permissions.feature import build
from agls.features.permissions.memory import PermissionMemory
from agls.features.permissions.settings import Settings
from agls.modes import complaint_of
from agls.room import Room, RunOption

MODE = RunOption("mode", is_text=True, complaint=complaint_of)
ROOM = Room("permissions", Settings, build, needs=(Asker, Workspace, PermissionMemory), options=(MODE,))
