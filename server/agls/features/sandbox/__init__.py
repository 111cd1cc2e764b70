"""Sandbox: commands that nobody was asked about can change the workspace, and nothing else."""

from agls.engine.ports import Asker
from agls.features.sandbox.settings import Settings
from agls.room import Room, build_of
from agls.room.exposed import SandboxUse
from agls.room.sandbox_ports import CommandSandbox

ROOM = Room(
    "sandbox",
    Settings,
    build_of(__name__),
    needs=(Asker, CommandSandbox),
    exposes=(SandboxUse,),
    user_only=True,
)
