"""Wiring of the room `shell`."""

from dataclasses import replace

from agls.engine.actions import FoundActions
from agls.engine.background import Background
from agls.engine.feature import Attempt, CallTool, Feature, Invocation, RunView
from agls.engine.ports import Asker, Effect
from agls.engine.vocabulary import Stop, ToolOutcome
from agls.room.process_ports import HeldKeys
from agls.room.run_ports import RunInfo
from agls.room.whole_outputs import WholeOutputs
from agls.toolkit import TypedTool

from .actions import actions_of
from .buffer_saver import BufferSaver
from .command import RunCommand, Shell, arguments_for, command_targets
from .settings import Settings
from .state import SessionShell
from .state_actions import state_actions
from .tasks import LookAtTask, Watching

EFFECTS = frozenset({Effect.EXECUTES, Effect.WRITES, Effect.NETWORK})


def build(
    settings: Settings,
    asker: Asker,
    background: Background,
    run: RunInfo,
    secrets: HeldKeys,
    outputs: WholeOutputs,
) -> Feature:
    """Build the shell. When a command is allowed, the editor saves what it shall see (`buffer_saver.py`).

    Commands in the background end with the session or, where the process does not outlive it, with their run.
    """
    session = SessionShell(secrets, settings.environment_bytes)
    shell = Shell(settings, background, session, outputs)
    tool, saving = _tool(shell), BufferSaver(settings, asker, run.session_id)
    tasks = Watching(background, run.lasting)
    look = TypedTool(
        name="shell_task", arguments=LookAtTask, work=tasks.look, effects=frozenset(), polls=True
    )

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        session.see(view)
        return await tasks.around_run(attempt, view)

    async def save(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if invocation.tool is not tool:
            return await inner(invocation)
        session.see(view)
        workspace, call_id = invocation.context.workspace, invocation.call.call_id
        saved = await saving.before_command(workspace, call_id, view)
        outcome = await inner(replace(invocation, tool=_tool(replace(shell, saved=saved))))
        return replace(outcome, changes=(*saved.changes, *outcome.changes))

    return Feature(
        name="shell",
        tools=(tool, look),
        actions=FoundActions(lambda: (*actions_of(shell), *state_actions())),
        around_run=around_run,
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
