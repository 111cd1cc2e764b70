"""The arguments of the room's actions."""

from pydantic import Field

from agls.toolkit import Arguments

WHICH = "one change (its id, or FILE:NUMBER) or all of a file (its path or URI)"


class ListChanges(Arguments):
    """Show the single changes of the agent that are neither kept nor undone, and where they stand now."""


class Keep(Arguments):
    """Keep changes of the agent: they stay in the file and are not shown any more."""

    change: str = Field(default="", description=WHICH)
    all: bool = Field(default=False, description="every change of the session instead")


class Undo(Arguments):
    """Undo changes of the agent: what stood there before is put back, if nobody changed that place since."""

    change: str = Field(default="", description=WHICH)
    all: bool = Field(default=False, description="every change of the session instead")


class Redo(Arguments):
    """Make changes again that were undone, if nobody changed that place since."""

    change: str = Field(default="", description=WHICH)
    all: bool = Field(default=False, description="every change of the session that was undone instead")
