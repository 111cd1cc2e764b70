"""What the user may do about what commands leave behind: see it, and put it back."""

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.toolkit import Arguments, TypedAction, fenced

from .state import FOLDER, VARIABLES, state_of

ROOT = "the root of the workspace"
BACK = "Commands begin in the root of the workspace again, with the usual variables."


class ShowState(Arguments):
    """Show the folder in which the agent's next command starts, and the variables that the agent set."""


class ResetState(Arguments):
    """Let the agent's next command start in the root of the workspace, with the usual variables."""


def state_actions() -> tuple[Action, ...]:
    """Return the actions."""
    return (
        TypedAction(name="shell.state", title="Show the shell's state", arguments=ShowState, work=_show),
        TypedAction(name="shell.reset", title="Reset the shell's state", arguments=ResetState, work=_reset),
    )


async def _show(arguments: ShowState, context: ActionContext) -> ActionOutcome:
    now = state_of(context.state)
    lines = [f"unset {name}" if value is None else f"{name}={value}" for name, value in now.variables.items()]
    folder = f"The next command begins in {now.folder or ROOT}."
    text = "\n\n".join([folder, *([fenced("\n".join(lines))] if lines else [])])
    return ActionOutcome(text, {"folder": now.folder, "variables": dict(now.variables)})


async def _reset(arguments: ResetState, context: ActionContext) -> ActionOutcome:
    now = state_of(context.state)
    if now.folder:
        context.note(FOLDER, {"folder": ""})
    if now.variables:
        context.note(VARIABLES, {"variables": {}})
    return ActionOutcome(BACK)
