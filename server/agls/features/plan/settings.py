"""The configuration section `plan`."""

from agls.room import Table


class Settings(Table):
    """Whether the model may keep a plan of its work. The user may always write one with `/plan`."""

    enabled: bool = True
