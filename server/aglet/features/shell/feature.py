"""Wiring of the room `shell`."""

from aglet.engine.feature import Feature
from aglet.engine.ports import Effect
from aglet.toolkit import TypedTool

from .command import RunCommand, Shell, command_targets
from .settings import Settings

EFFECTS = frozenset({Effect.EXECUTES, Effect.WRITES, Effect.NETWORK})


def build(settings: Settings) -> Feature:
    """The shell tool."""
    shell = Shell(settings)
    tool = TypedTool(
        name="shell",
        arguments=RunCommand,
        work=shell.run,
        effects=EFFECTS,
        targets=command_targets,
        describe=shell.describe,
    )
    return Feature(name="shell", tools=(tool,))
