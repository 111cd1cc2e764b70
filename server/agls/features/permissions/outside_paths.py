"""What the model reads of a path outside that the user did not open, and which one inside may be meant."""

from collections.abc import Sequence
from posixpath import basename, dirname, join

from agls.engine.ports import Effect, Workspace
from agls.features.permissions.rules import PATHS, ResolvedTarget
from agls.names import spelled
from agls.room.missing_paths import meant_inside

OUTSIDE = "{} is outside of the workspace, whose root is {}."
MEANT = " Did you mean {}?"


async def outside_remark(targets: Sequence[ResolvedTarget], workspace: Workspace) -> str:
    """**Returns** a line about the first path outside, "" for none. It looks at nothing outside."""
    for target in targets:
        if target.effect not in PATHS or target.guessed or target.place is None or target.place.inside:
            continue
        path = target.place.shown
        meant = await meant_inside(path, workspace)
        if not meant and target.effect is Effect.WRITES:
            folder = await meant_inside(dirname(path), workspace)
            meant = join(folder, basename(path)) if folder else ""
        told = OUTSIDE.format(spelled(path), workspace.place(".").path)
        return told + (MEANT.format(spelled(meant)) if meant else "")
    return ""
