"""The wiring of the room."""

from agls.engine.actions import FoundActions
from agls.engine.feature import Feature
from agls.engine.ports import ModelResolver
from agls.features.repository.commits import Committer
from agls.features.repository.git_commit import CommitTool
from agls.room import NoSettings
from agls.room.folder_ports import GitCommands
from agls.room.offers import Consents
from agls.room.on_use import OnUse
from agls.room.session_ports import SessionFacts, SessionRecord

ACTIONS = OnUse("agls.features.repository.action_list", "actions_of")


def build(
    settings: NoSettings,
    git: GitCommands,
    models: ModelResolver,
    record: SessionRecord,
    facts: SessionFacts,
    consents: Consents,
) -> Feature:
    """Build the feature."""
    return Feature(
        name="repository",
        tools=(CommitTool(Committer(git), consents).tool(),),
        actions=FoundActions(lambda: ACTIONS(git, models, record, facts)),
    )
