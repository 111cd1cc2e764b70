"""The wiring of the room."""

from agls.engine.actions import FoundActions
from agls.engine.feature import Feature
from agls.features.policy.actions import policy_action
from agls.features.policy.manifests import policies
from agls.features.policy.run_policy import ROOM, RunPolicy
from agls.features.policy.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts


def build(settings: Settings, texts: FolderTexts) -> Feature:
    """Build the feature of a run; where no policy says anything nothing of it takes part."""
    held = policies(settings, texts)
    actions = FoundActions(lambda: (policy_action(held),))
    if held.is_empty:
        return Feature(name=ROOM, actions=actions)
    policy = RunPolicy(held)
    return Feature(
        name=ROOM,
        actions=actions,
        around_run=policy.around_run,
        before_turn=policy.before_turn,
        around_tool=policy.around_tool,
        show_tools=policy.show_tools,
    )
