"""The `[commands]` section of the configuration."""

from agls.room import Table


class Settings(Table):
    """Commands of one's own: Markdown files that become prompts.

    With `other_tools` the commands that were written for other agents count as well (docs/commands.md).
    """

    enabled: bool = True
    other_tools: bool = True
