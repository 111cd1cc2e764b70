"""The configuration section `ask`."""

from agls.room import Table


class Settings(Table):
    """Whether the model may ask the user; when nobody can answer, it never may."""

    enabled: bool = True
