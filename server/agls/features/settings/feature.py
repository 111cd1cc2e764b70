"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.features.settings.actions import actions
from agls.room import NoSettings
from agls.room.process_ports import SettingsStore
from agls.room.run_ports import HookPoints


def build(settings: NoSettings, store: SettingsStore, points: HookPoints) -> Feature:
    """Build the feature: nothing of it takes part in a run."""
    return Feature(name="settings", actions=actions(store, points))
