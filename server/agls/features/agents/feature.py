"""The wiring of the room."""

from agls.engine.actions import FoundActions
from agls.engine.feature import Feature
from agls.prompt_files.agent_store import AgentStore
from agls.room import NoSettings, OnUse
from agls.room.run_ports import RunInfo
from agls.room.session_ports import SessionControl

ACTIONS = OnUse("agls.features.agents.actions", "actions_of")


def build(settings: NoSettings, store: AgentStore, run: RunInfo, control: SessionControl) -> Feature:
    """Build the feature."""
    return Feature(name="agents", actions=FoundActions(lambda: ACTIONS(store, run.handoffs, control)))
