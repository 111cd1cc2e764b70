"""Wiring of the room `ask`."""

from agls.engine.feature import Feature
from agls.room.ports import Forms
from agls.toolkit import TypedTool

from .ask_user import AskUser, UserQuestioner
from .settings import Settings


def build(settings: Settings, asker: Forms) -> Feature:
    """The tool `ask_user`, unless nobody can fill in a form or the user does not want to be asked."""
    if not (settings.enabled and asker.takes_forms):
        return Feature(name="ask")
    asking = UserQuestioner(asker)
    tool = TypedTool(
        name="ask_user",
        arguments=AskUser,
        work=asking.ask,
        effects=frozenset(),
        describe=asking.describe,
    )
    return Feature(name="ask", tools=(tool,))
