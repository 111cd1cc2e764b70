"""The arguments of the room's actions."""

from pydantic import Field

from agls.toolkit import Arguments

WHICH = "one change (its id, or FILE:NUMBER) or all of a file (its path or URI)"


class ListChanges(Arguments):
    """Show the agent's changes that you have neither kept nor undone, one by one, and where each is now."""


class Keep(Arguments):
    """Keep changes of the agent: they stay in the file and are no longer shown for review."""

    change: str = Field(default="", description=WHICH)
    all: bool = Field(default=False, description="every change of the session instead")


class Undo(Arguments):
    """Undo changes of the agent: the earlier text comes back, unless somebody changed that place since."""

    change: str = Field(default="", description=WHICH)
    all: bool = Field(default=False, description="every change of the session instead")


class Redo(Arguments):
    """Redo changes that were undone, unless somebody changed that place since."""

    change: str = Field(default="", description=WHICH)
    all: bool = Field(default=False, description="every change of the session that was undone instead")
