"""Shell: the tool that runs one command and waits for it."""

from agls.engine.background import Background
from agls.engine.ports import Asker
from agls.features.shell.feature import build
from agls.features.shell.settings import Settings
from agls.room import Room
from agls.room.findings import Finding
from agls.room.ports import OutputLimits, RunInfo

NO_SANDBOX = Finding(
    "sandbox",
    "warn",
    "This version has no sandbox: a command that you allow can do whatever you can.",
    "Keep the modes ask and acceptEdits, which ask before each command; use allowAll only in a container.",
)
ROOM = Room(
    "shell", Settings, build, needs=(Asker, Background, RunInfo, OutputLimits), findings=(NO_SANDBOX,)
)
