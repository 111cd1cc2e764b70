"""Wiring of the room: nothing of it takes part in a run."""

from agls.features.inline_edit.settings import Settings


def build(settings: Settings) -> None:
    """Build nothing: an edit at the cursor is no run (`agls/inline_edit`)."""
