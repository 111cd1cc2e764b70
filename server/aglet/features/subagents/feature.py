"""The wiring of the room."""

from collections.abc import Callable, Sequence

from aglet.engine.facts import GateFact, Injected
from aglet.engine.feature import Feature, RunView
from aglet.engine.ports import new_id
from aglet.engine.spawning import Spawner
from aglet.engine.vocabulary import Limits, Stop, Text, UserMessage
from aglet.features.subagents.actions import actions
from aglet.features.subagents.lineage import ROOM, settle
from aglet.features.subagents.palette import Entry
from aglet.features.subagents.settings import Settings
from aglet.features.subagents.shares import Shares
from aglet.features.subagents.telling import cut_off
from aglet.features.subagents.tools import Delegating


def build(
    settings: Settings, spawner: Spawner, palette: Sequence[Entry], rest: Callable[[], Limits]
) -> Feature:
    """The feature: the tools as far down as there may be helpers, and the end of what a crash left.

    `rest` is what the run has left to spend, by everything that holds for it.
    """

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        if view.state.run.turns or not (cut := await settle(spawner)):
            return ()
        return (Injected((UserMessage(new_id("item"), (Text(cut_off(cut)),), ROOM),)),)

    deeper = spawner.state.depth < settings.max_depth
    tools = Delegating(settings, Shares(spawner, rest), palette).tools() if deeper else ()
    return Feature(name=ROOM, tools=tuple(tools), actions=actions(), before_turn=before_turn)
