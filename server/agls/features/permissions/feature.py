"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.facts import GateFact, Notice
from agls.engine.feature import Feature, RunView
from agls.engine.ports import Asker, Workspace
from agls.engine.vocabulary import Stop
from agls.features.permissions.actions import actions_of
from agls.features.permissions.gate import Gate
from agls.features.permissions.grants import ROOM, Grants
from agls.features.permissions.modes import complaint, is_mode
from agls.features.permissions.settings import Settings


def build(settings: Settings, asker: Asker, workspace: Workspace, grants: Grants) -> Feature:
    """The feature. Raises `ValueError` for a rule that cannot be read."""
    gate = Gate(settings, asker, workspace, grants)
    return Feature(
        name=ROOM,
        actions=actions_of(settings, grants),
        before_turn=_say_when_unknown,
        around_tool=gate.pass_call,
    )


async def _say_when_unknown(view: RunView) -> Sequence[Stop | GateFact]:
    """Say at the start of a run that its mode is none of this version's, and that `ask` holds instead."""
    mode = view.state.settings.get("mode", "ask")
    if view.state.run.turns == 0 and not is_mode(mode):
        view.show(Notice("warning", "Permissions are asked for each call", f"{complaint(mode)}."))
    return ()
