"""What the user may choose for the session: its model, the effort, what runs unasked, its folders."""

from collections.abc import Sequence
from typing import get_args

from pydantic import Field

from agls.efforts import EFFORTS, unusual
from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome, ActionValue
from agls.frozen import frozen
from agls.modes import MODES, Mode
from agls.room.folder_ports import Surroundings
from agls.room.session_ports import SessionControl
from agls.toolkit import Arguments, TypedAction

CHOICES = (*EFFORTS, "default")
ABOUT: dict[Mode, str] = {
    "ask": "everything with an effect needs your permission",
    "acceptEdits": "files of the workspace are changed without a question",
    "plan": "only reading; the model makes a plan",
    "allowAll": "everything in the workspace runs without a question",
}
assert set(ABOUT) == set(get_args(Mode))


class ChooseModel(Arguments):
    """Show the available models, or choose one for this session, from its next run on."""

    name: str = Field(default="", description="a configured model or tier, or `default`")


class ChooseEffort(Arguments):
    """Show how much the model thinks, or set it for this session."""

    level: str = Field(default="", description=", ".join(CHOICES))


class ChooseMode(Arguments):
    """Show the permission mode, which says what runs without a question, or set it for this session."""

    mode: Mode | None = None


class AddFolder(Arguments):
    """Add a folder in which the agent may work, from the next run on."""

    path: str = Field(min_length=1)


def choice_actions(control: SessionControl, place: Surroundings) -> tuple[Action, ...]:
    """Return the actions on what holds for the session."""
    handlers = ChoiceActions(control, place)
    model = "Model and context"
    return (
        TypedAction(
            "model",
            "Choose the model",
            ChooseModel,
            handlers.model,
            aliases=("models",),
            group=model,
            choices={"name": handlers.names},
        ),
        TypedAction(
            "effort",
            "Choose the effort",
            ChooseEffort,
            handlers.effort,
            group=model,
            choices={"level": efforts},
        ),
        TypedAction("mode", "Choose the permission mode", ChooseMode, handlers.mode, group="Settings"),
        TypedAction("add-dir", "Add a folder", AddFolder, handlers.folder, group="Conversation"),
    )


async def efforts(context: ActionContext) -> Sequence[ActionValue]:
    """Return the usual efforts; a server may know others."""
    return [ActionValue(each) for each in CHOICES]


@frozen
class ChoiceActions:
    """Do the actions on what holds for the session."""

    control: SessionControl
    place: Surroundings

    async def names(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return the models that can be chosen."""
        return [ActionValue(model.name, model.provider) for model in self.control.models()]

    async def model(self, arguments: ChooseModel, context: ActionContext) -> ActionOutcome:
        """Choose a model, or list them. **Raises** `ActionError`."""
        if arguments.name:
            await self.control.set({"model": None if arguments.name == "default" else arguments.name})
            return ActionOutcome(f"The next run asks {_of(arguments.name)}.", {"model": arguments.name})
        models = self.control.models()
        chosen = str(context.state.options.get("model", ""))
        now = chosen or (models[0].name if models else "")
        lines = [
            f"- {'**' * (m.name == now)}{m.name}{'**' * (m.name == now)}{_window(m.context_window)}"
            for m in models
        ]
        head = f"The model is {now}." if now else "No model is configured: agls config set model NAME"
        data = {"model": now, "chosen": bool(chosen), "models": [model.name for model in models]}
        return ActionOutcome("\n".join([head, *(["", *lines] if lines else ())]), data)

    async def effort(self, arguments: ChooseEffort, context: ActionContext) -> ActionOutcome:
        """Choose the effort, or show it. **Raises** `ActionError`."""
        if not arguments.level:
            now = str(context.state.options.get("effort", "")) or "default"
            return ActionOutcome(f"The effort is {now}. There are: {', '.join(CHOICES)}.", {"effort": now})
        if not arguments.level.isalnum():
            raise ActionError(f"An effort is one word, such as {', '.join(CHOICES)}.")
        level = arguments.level.lower() if arguments.level.lower() in CHOICES else arguments.level
        await self.control.set({"effort": None if level == "default" else level})
        remark = "" if level == "default" else unusual(level)
        text = f"The effort of the next run is {level}. {remark}".strip()
        return ActionOutcome(text, {"effort": level})

    async def mode(self, arguments: ChooseMode, context: ActionContext) -> ActionOutcome:
        """Choose the mode, or show it. **Raises** `ActionError`."""
        if arguments.mode:
            await self.control.set({"mode": arguments.mode})
            return ActionOutcome(
                f"The mode is {arguments.mode}: {ABOUT[arguments.mode]}.", {"mode": arguments.mode}
            )
        now = self.place.mode_of(context.state)
        lines = [f"- {'**' * (mode == now)}{mode}{'**' * (mode == now)}: {ABOUT[mode]}" for mode in MODES]
        return ActionOutcome("\n".join([f"The mode is {now}.", "", *lines]), {"mode": now})

    async def folder(self, arguments: AddFolder, context: ActionContext) -> ActionOutcome:
        """Add the folder. **Raises** `ActionError`."""
        real = await self.control.folder(arguments.path)
        return ActionOutcome(f"The agent works in {real} as well, from the next run on.", {"path": real})


def _of(name: str) -> str:
    return "the default model" if name == "default" else f"the model {name}"


def _window(tokens: int | None) -> str:
    return f": {tokens:,} tokens" if tokens else ""
