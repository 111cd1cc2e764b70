"""Wiring of the room `shell`."""

from dataclasses import replace

from aglet.engine.feature import CallTool, Feature, Invocation, RunView
from aglet.engine.ports import Asker, Effect
from aglet.engine.vocabulary import ToolOutcome
from aglet.toolkit import TypedTool

from .command import RunCommand, Shell, command_targets
from .saving import wants_saving
from .settings import Settings

EFFECTS = frozenset({Effect.EXECUTES, Effect.WRITES, Effect.NETWORK})


def build(settings: Settings, asker: Asker) -> Feature:
    """The shell tool. The user is asked about unsaved files, if at all, when the command is allowed."""
    tool = _tool(Shell(settings, save=settings.save_after_edit == "beforeShell"))
    if settings.save_after_edit != "ask":
        return Feature(name="shell", tools=(tool,))

    async def ask(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        call, context = invocation.call, invocation.context
        if invocation.tool is tool and await wants_saving(asker, context.workspace, call.call_id):
            invocation = replace(invocation, tool=_tool(Shell(settings, save=True)))
        return await inner(invocation)

    return Feature(name="shell", tools=(tool,), around_tool=ask)


def _tool(shell: Shell) -> TypedTool[RunCommand]:
    return TypedTool(
        name="shell",
        arguments=RunCommand,
        work=shell.run,
        effects=EFFECTS,
        targets=command_targets,
        describe=shell.describe,
    )
