"""The wiring of the room."""

from agls.features.mentions.settings import Settings


def build(settings: Settings, *needs: object) -> None:
    """Build nothing: the room acts before a prompt is admitted (`expansion.py`) and takes no part in runs."""
