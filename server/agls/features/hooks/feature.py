"""The wiring of the room."""

from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.feature import Feature
from agls.features.hooks.actions import actions_of
from agls.features.hooks.agent_hooks import with_agent_hooks
from agls.features.hooks.events import ROOM, EventHooks
from agls.features.hooks.folder_hooks import found_hooks
from agls.features.hooks.hook import hooks_of
from agls.features.hooks.run_hooks import RunHooks
from agls.features.hooks.runner import HookRunner
from agls.features.hooks.settings import Settings
from agls.features.hooks.tool_hooks import ToolHooks
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.hook_ports import HookPorts
from agls.room.offers import Consents
from agls.room.run_ports import CompactionGuard


def build(
    settings: Settings, ports: HookPorts, texts: FolderTexts, consents: Consents, guard: CompactionGuard
) -> Feature:
    """Build the feature of a run; without hooks nothing of it takes part."""
    events = EventHooks(hooks_of(settings), HookRunner(ports), consents)
    found = with_agent_hooks(found_hooks(settings, texts), ports.run, settings)
    actions = FoundActions(partial(actions_of, events, found, consents))
    if not (events.hooks or found.offered):
        return Feature(name=ROOM, actions=actions)
    of_run = RunHooks(events, ports.run, found.offered, consents)
    guard.ask = of_run.before_summary
    return Feature(
        name=ROOM,
        actions=actions,
        around_run=of_run.around_run,
        before_turn=of_run.before_turn,
        around_tool=ToolHooks(events).pass_call,
        before_stop=of_run.before_stop,
        on_fact=of_run.on_fact,
    )
