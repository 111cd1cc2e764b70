"""Wiring of the room `sandbox`."""

from agls.engine.feature import Feature
from agls.engine.ports import Asker
from agls.features.sandbox.gate import SandboxGate
from agls.features.sandbox.settings import Settings
from agls.room.sandbox_ports import CommandSandbox


def build(settings: Settings, asker: Asker, sandbox: CommandSandbox) -> Feature | None:
    """Build the room; it has no part in a run when the sandbox is switched off."""
    if settings.use == "off":
        return None
    return Feature(name="sandbox", around_tool=SandboxGate(settings, asker, sandbox).pass_call)
