"""What a walk finds, all at once."""

from agls.engine.ports import Workspace


async def found(workspace: Workspace, under: str = "", glob: str = "") -> list[str]:
    """The files below, sorted."""
    return sorted([path async for paths in workspace.walk(under, glob) for path in paths])
