"""The actions of the room, which most runs do not need."""

from collections.abc import Sequence

from agls.engine.actions import Action
from agls.engine.ports import ModelResolver
from agls.features.repository.commit import CommitActions
from agls.features.repository.prompts import PromptActions
from agls.room.folder_ports import GitCommands
from agls.room.session_ports import SessionFacts, SessionRecord


def actions_of(
    git: GitCommands, models: ModelResolver, record: SessionRecord, facts: SessionFacts
) -> Sequence[Action]:
    """Return the actions."""
    commits = CommitActions(git, models, record.spend, facts)
    return commits.action(), *PromptActions(git).actions()
