"""The wiring of the room."""

from functools import partial

from agls.engine.actions import FoundActions
from agls.engine.feature import Feature
from agls.features.plugins.manifest import manifests
from agls.features.plugins.run_plugins import ROOM, RunPlugins
from agls.features.plugins.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import OnUse
from agls.room.process_ports import PluginShelf
from agls.room.run_ports import RunTools

ACTIONS = OnUse("agls.features.plugins.actions", "actions")


def build(settings: Settings, texts: FolderTexts, tools: RunTools, shelf: PluginShelf) -> Feature:
    """Build the feature of a run; where there is no manifest nothing of it takes part."""
    found = manifests(texts)
    offered = FoundActions(partial(ACTIONS, texts, shelf))
    if not any(not each.problem for each in found):
        return Feature(name=ROOM, actions=offered)
    plugins = RunPlugins(found, tools)
    tools.wanted = True
    return Feature(
        name=ROOM,
        actions=offered,
        around_run=plugins.around_run,
        before_turn=plugins.before_turn,
        around_tool=plugins.around_tool,
        show_tools=plugins.show_tools,
        late_tools=plugins.late_tools,
    )
