"""What the room's actions are called with. Names on the wire are in camel case."""

from typing import Literal

from pydantic import ConfigDict, Field
from pydantic.alias_generators import to_camel

from agls.toolkit import Arguments


class Named(Arguments):
    """Arguments with names such as `toItemId`."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True)


class ListCheckpoints(Named):
    """Show the points of this session to which its files can be rewound, and what changed at each."""


class Diff(Named):
    """Show how the agent changed files since a point of the session, or in one call."""

    to_item_id: str | None = Field(default=None, description='since this item, "" for all of the session')
    call_id: str | None = Field(default=None, description="by this call or rewind alone")
    uri: str = Field(default="", description="this file alone")


class RestoreFiles(Named):
    """Rewind the files that the agent changed to a point of the session; the conversation stays.

    What you or somebody else changed since is shown and left alone. The rewind itself can be undone. Of
    what commands changed, only files that were open or touched before in the session can be brought back.
    """

    to_item_id: str | None = Field(default=None, description='the last item to keep, "" for none')
    checkpoint_id: str | None = Field(default=None, description="undo this rewind instead")
    dry_run: bool = Field(default=False, description="only say what would be changed")


class Changes(Named):
    """Show the files that the agent changed in one run, or in the whole session."""

    scope: Literal["run", "session"] = "run"
    run_id: str = Field(default="", description="this run instead of the last one")
    patch: bool = Field(default=False, description="as one patch that `git apply` takes, and nothing else")


class Revert(Named):
    """Undo all changes that the agent made to one file in a run, unless somebody changed it since."""

    uri: str = Field(min_length=1, description="the file, as its URI or its path")
    scope: Literal["run", "session"] = "run"
    run_id: str = Field(default="", description="before this run instead of the last one")
