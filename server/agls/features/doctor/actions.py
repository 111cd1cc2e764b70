"""What the user may ask: whether everything a run needs is as it should be."""

from pydantic import Field

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.features.doctor.feedback import feedback
from agls.room.process_ports import Examiner
from agls.toolkit import Arguments, TypedAction


class Doctor(Arguments):
    """Check the model, its key and tools, the proxy, the settings and this machine, and say what to fix."""

    model: str = Field("", description="the model to look at; the default when empty")
    offline: bool = Field(default=False, description="ask nobody over a network")


def actions(examine: Examiner) -> tuple[Action, ...]:
    """The actions of the room."""

    async def look(arguments: Doctor, context: ActionContext) -> ActionOutcome:
        model = arguments.model or str(context.state.options.get("model", ""))
        with context.breakable():
            return await examine(context.workspace, model, arguments.offline)

    doctor = TypedAction("doctor", "Check everything", Doctor, look, group="Settings")
    return (doctor, feedback(examine))
