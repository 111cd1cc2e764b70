"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.features.worktrees.action import UseWorktree, WorktreeAction
from agls.room import NoSettings
from agls.room.folder_ports import Surroundings
from agls.room.session_ports import SessionControl
from agls.toolkit import TypedAction


def build(settings: NoSettings, control: SessionControl, place: Surroundings) -> Feature:
    """Build the feature: nothing of it takes part in a run."""
    handler = WorktreeAction(control, place.worktrees)
    action = TypedAction(
        "worktree",
        "Work in a git worktree",
        UseWorktree,
        handler.use,
        aliases=("worktrees",),
        group="Conversation",
        outside=True,
        choices={"name": handler.names, "remove": handler.names},
    )
    return Feature(name="worktrees", actions=(action,))
