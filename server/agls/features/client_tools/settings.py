"""The `[client_tools]` section of the configuration."""

from agls.room import Table


class Settings(Table):
    """Whether the model may use the tools that the client brings."""

    enabled: bool = True
