"""Wiring of the room `shell`."""

from dataclasses import replace

from agls.engine.background import Background
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Asker, Effect
from agls.engine.vocabulary import ToolOutcome
from agls.toolkit import TypedTool

from .actions import actions_of
from .command import RunCommand, Shell, command_targets
from .saving import wants_saving
from .settings import Settings
from .tasks import LookAtTask, Watching

EFFECTS = frozenset({Effect.EXECUTES, Effect.WRITES, Effect.NETWORK})


def build(settings: Settings, asker: Asker, background: Background, *, outlives: bool) -> Feature:
    """The shell. The user is asked about unsaved files, if at all, when the command is allowed.

    Commands in the background end with the session or, where `outlives` is false, with their run.
    """
    tool = _tool(Shell(settings, background, save=settings.save_after_edit == "beforeShell"))
    tasks = Watching(background, outlives)
    look = TypedTool(
        name="shell_task", arguments=LookAtTask, work=tasks.look, effects=frozenset(), polls=True
    )

    async def ask(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        call, context = invocation.call, invocation.context
        asks = settings.save_after_edit == "ask" and invocation.tool is tool
        if asks and await wants_saving(asker, context.workspace, call.call_id):
            invocation = replace(invocation, tool=_tool(Shell(settings, background, save=True)))
        return await inner(invocation)

    return Feature(
        name="shell", tools=(tool, look), actions=actions_of(background), around_run=tasks.around_run,
        before_turn=tasks.before_turn, around_tool=ask,
    )  # fmt: skip


def _tool(shell: Shell) -> TypedTool[RunCommand]:
    return TypedTool(
        name="shell",
        arguments=RunCommand,
        work=shell.run,
        effects=EFFECTS,
        targets=command_targets,
        describe=shell.describe,
    )
