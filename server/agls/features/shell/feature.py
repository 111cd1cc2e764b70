"""Wiring of the room `shell`."""

from dataclasses import replace

from agls.engine.background import Background
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Asker, Effect
from agls.engine.vocabulary import ToolOutcome
from agls.room.ports import USUAL_OUTPUTS, OutputLimits, RunInfo
from agls.toolkit import TypedTool

from .actions import actions_of
from .buffer_saver import BufferSaver
from .command import RunCommand, Shell, arguments_for, command_targets
from .settings import Settings
from .tasks import LookAtTask, Watching

EFFECTS = frozenset({Effect.EXECUTES, Effect.WRITES, Effect.NETWORK})


def build(
    settings: Settings,
    asker: Asker,
    background: Background,
    run: RunInfo,
    limits: OutputLimits = USUAL_OUTPUTS,
) -> Feature:
    """Build the shell. When a command is allowed, the editor saves what it shall see (`saving.py`).

    Commands in the background end with the session or, where the process does not outlive it, with their run.
    """
    shell = Shell(settings, background, max(settings.output_bytes, limits.kept))
    tool, saving = _tool(shell), BufferSaver(settings, asker, run.session_id)
    tasks = Watching(background, run.lasting)
    look = TypedTool(
        name="shell_task", arguments=LookAtTask, work=tasks.look, effects=frozenset(), polls=True
    )

    async def save(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if invocation.tool is not tool:
            return await inner(invocation)
        workspace, call_id = invocation.context.workspace, invocation.call.call_id
        saved = await saving.before_command(workspace, call_id, view)
        outcome = await inner(replace(invocation, tool=_tool(replace(shell, saved=saved))))
        return replace(outcome, changes=(*saved.changes, *outcome.changes))

    return Feature(
        name="shell",
        tools=(tool, look),
        actions=actions_of(background),
        around_run=tasks.around_run,
        before_turn=tasks.before_turn,
        around_tool=save,
    )


def _tool(shell: Shell) -> TypedTool[RunCommand]:
    settings = shell.settings
    return TypedTool(
        name="shell",
        arguments=arguments_for(settings.timeout_s, settings.max_timeout_s, settings.task_timeout_s),
        work=shell.run,
        effects=EFFECTS,
        targets=command_targets,
        describe=shell.describe,
        output_limit=settings.output_bytes,
    )
