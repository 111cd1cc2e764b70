"""The wiring of the room."""

from agls.engine.feature import Feature
from agls.features.guide.actions import actions
from agls.room import NoSettings
from agls.room.session_ports import SessionOffer


def build(settings: NoSettings, offer: SessionOffer) -> Feature:
    """Build the feature: nothing of it takes part in a run."""
    return Feature(name="guide", actions=actions(offer))
