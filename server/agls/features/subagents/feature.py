"""The wiring of the room."""

from collections.abc import Sequence
from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.background import Background
from agls.engine.facts import GateFact, Injected
from agls.engine.feature import Feature, RunView
from agls.engine.ports import new_id
from agls.engine.spawning import Spawner
from agls.engine.vocabulary import Stop, Text, UserMessage
from agls.features.subagents.actions import actions
from agls.features.subagents.background_helpers import BackgroundHelpers, shown_once_used
from agls.features.subagents.conversation import cut_off
from agls.features.subagents.delegates import HELPER, Powers, entries_of
from agls.features.subagents.lineage import ROOM, settle
from agls.features.subagents.settings import Settings
from agls.features.subagents.shares import Shares
from agls.features.subagents.tools import Delegating
from agls.modes import is_mode
from agls.room.folder_ports import Surroundings
from agls.room.process_ports import KnownAgents
from agls.room.run_ports import Remaining


def build(
    settings: Settings,
    spawner: Spawner,
    agents: KnownAgents,
    rest: Remaining,
    surroundings: Surroundings,
    background: Background,
) -> Feature:
    """Build the feature: the tools as far down as there may be helpers, and the end of what a crash left."""
    beside = BackgroundHelpers(background, surroundings.attended and not spawner.state.depth)

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        reports = beside.reports()
        if view.state.run.turns or not (cut := await settle(spawner, beside.calls)):
            return reports
        return (*reports, Injected((UserMessage(new_id("item"), (Text(cut_off(cut)),), ROOM),)))

    def powers() -> Powers:
        mode = surroundings.mode_of(spawner.state)
        return Powers(mode if is_mode(mode) else "ask", agents.only_reads)

    deeper = spawner.state.depth < settings.max_depth
    entries = entries_of(agents) if deeper else ()
    tools = (
        Delegating(settings, Shares(spawner, rest, powers), entries, beside, surroundings.worktrees).tools()
        if deeper
        else ()
    )
    palette = (*entries, HELPER) if deeper and settings.delegate else entries
    return Feature(
        name=ROOM,
        tools=tuple(tools),
        actions=FoundActions(partial(actions, palette)),
        around_run=beside.around_run,
        before_turn=before_turn,
        before_stop=beside.before_stop,
        show_tools=shown_once_used,
    )
