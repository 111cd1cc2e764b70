"""The action of the room: the environment as it is now, every section of it, without values of variables."""

from functools import partial

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.features.environment.look import EnvironmentLook
from agls.toolkit import Arguments, TypedAction, fenced


class ShowEnvironment(Arguments):
    """Show the agent's environment: date, folder, git, system, programs, and the names of the variables."""


def actions(look: EnvironmentLook) -> tuple[Action, ...]:
    """**Returns** the actions of the room."""
    show = partial(show_environment, look)
    return (
        TypedAction(
            name="env",
            title="Show environment",
            arguments=ShowEnvironment,
            work=show,
            aliases=("context-raw", "environment"),
            group="Model and context",
        ),
    )


async def show_environment(
    look: EnvironmentLook, arguments: ShowEnvironment, context: ActionContext
) -> ActionOutcome:
    """**Returns** all facts, and the names of the variables that commands get."""
    facts = dict(await look.facts(context.state, first=True))
    facts["Variables that commands get"] = ", ".join(look.machine().variables)
    lines = "\n".join(f"{name}: {value}" for name, value in facts.items())
    return ActionOutcome(fenced(lines), {"facts": facts})
