"""The wiring of the room."""

from agls.diff import read_patch
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Effect
from agls.engine.vocabulary import FileChange, ToolOutcome
from agls.features.follow_along.settings import Settings
from agls.room.folder_ports import Revealer


def build(settings: Settings, screen: Revealer) -> Feature | None:
    """Build the feature: files are shown as they are read or about to be changed, then the changes."""
    if not (settings.enabled and screen.follows):
        return None

    async def follow(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        targets = invocation.preview.targets if invocation.preview else ()
        for target in targets:
            if target.value and target.effect in {Effect.READS, Effect.WRITES}:
                await screen.reveal(target.value, 0)
        outcome = await inner(invocation)
        for change in outcome.changes:
            await screen.reveal(change.uri, _first_line(change))
        return outcome

    return Feature(name="follow_along", around_tool=follow)


def _first_line(change: FileChange) -> int:
    hunks = read_patch(change.patch)
    return hunks[0].line if hunks else 0
