"""The configuration section `files`."""

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """How much of a file the model gets to see at once."""

    read_lines: int = Field(
        default=2_000, ge=1, description="lines read_file gives when no limit is asked for"
    )
    read_characters: int = Field(
        default=60_000, ge=1_000, description="characters one read_file gives at most"
    )
    trash: bool = Field(
        default=True, description="whether files that the agent deletes go to your trash, where there is one"
    )
    line_characters: int = Field(default=2_000, ge=80, description="characters shown of one long line")
