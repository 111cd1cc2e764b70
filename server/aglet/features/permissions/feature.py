"""The wiring of the room."""

from collections.abc import Sequence

from aglet.engine.facts import GateFact, Notice
from aglet.engine.feature import Feature, RunView
from aglet.engine.ports import Asker, Workspace
from aglet.engine.vocabulary import Stop
from aglet.features.permissions.actions import actions_of
from aglet.features.permissions.gate import Gate
from aglet.features.permissions.grants import ROOM, Grants
from aglet.features.permissions.modes import complaint, is_mode
from aglet.features.permissions.settings import Settings


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
