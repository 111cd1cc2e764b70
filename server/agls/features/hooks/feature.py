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
from agls.features.hooks.skill_hooks import LateHooks, SkillHooks
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.hook_ports import HookPorts
from agls.room.offers import Consents
from agls.room.run_ports import HookPoints


def build(
    settings: Settings, ports: HookPorts, texts: FolderTexts, consents: Consents, points: HookPoints
) -> Feature:
    """Build the feature of a run; nothing of it takes part until there is a hook."""
    events = EventHooks(hooks_of(settings), HookRunner(ports), consents)
    found = with_agent_hooks(found_hooks(settings, texts), ports.run, settings)
    actions = FoundActions(partial(actions_of, events, found, consents))
    if settings.only_managed and not events.hooks:
        return Feature(name=ROOM, actions=actions)
    of_run = RunHooks(events, ports.run, found.offered, consents)
    of_skills = SkillHooks(events, consents, settings, is_helper=bool(ports.run.works_for))
    late = LateHooks(events, of_run, of_skills, bool(found.offered))
    points.ask = of_run.at_point
    return Feature(
        name=ROOM,
        actions=actions,
        around_run=of_run.around_run,
        before_turn=late.before_turn,
        around_tool=late.around_tool,
        before_stop=late.before_stop,
        on_fact=late.on_fact,
    )
