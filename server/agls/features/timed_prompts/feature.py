"""The wiring of the room."""

from agls.engine.actions import FoundActions
from agls.engine.background import Background
from agls.engine.feature import Feature
from agls.features.timed_prompts.actions import TimedPromptActions
from agls.features.timed_prompts.record import ROOM
from agls.features.timed_prompts.settings import Settings
from agls.room.folder_ports import Surroundings
from agls.room.session_ports import SessionControl, SessionOffer, SessionRecord


def build(
    settings: Settings,
    background: Background,
    control: SessionControl,
    record: SessionRecord,
    offer: SessionOffer,
    place: Surroundings,
) -> Feature:
    """Build the feature: nothing of it takes part in a run."""
    handlers = TimedPromptActions(settings, background, control, record, offer, place)
    return Feature(name=ROOM, actions=FoundActions(handlers.all))
