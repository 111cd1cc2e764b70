"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.facts import GateFact, Injected
from agls.engine.feature import Feature, RunView
from agls.engine.ports import new_id
from agls.engine.spawning import Spawner
from agls.engine.vocabulary import Stop, Text, UserMessage
from agls.features.subagents.actions import actions
from agls.features.subagents.conversation import cut_off
from agls.features.subagents.delegates import entries_of
from agls.features.subagents.lineage import ROOM, settle
from agls.features.subagents.settings import Settings
from agls.features.subagents.shares import Shares
from agls.features.subagents.tools import Delegating
from agls.room.ports import KnownAgents, Remaining


def build(settings: Settings, spawner: Spawner, agents: KnownAgents, rest: Remaining) -> Feature:
    """Build the feature: the tools as far down as there may be helpers, and the end of what a crash left."""

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        if view.state.run.turns or not (cut := await settle(spawner)):
            return ()
        return (Injected((UserMessage(new_id("item"), (Text(cut_off(cut)),), ROOM),)),)

    deeper = spawner.state.depth < settings.max_depth
    tools = Delegating(settings, Shares(spawner, rest), entries_of(agents)).tools() if deeper else ()
    return Feature(name=ROOM, tools=tuple(tools), actions=actions(), before_turn=before_turn)
