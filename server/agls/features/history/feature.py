"""The wiring of the room."""

from agls.engine.actions import FoundActions
from agls.engine.facts import Replied
from agls.engine.feature import Feature, RunView
from agls.engine.ports import CallModel, ModelRequest, ModelResolver, Reply
from agls.features.history.actions import actions
from agls.features.history.settings import Settings
from agls.features.history.titles import TIER, entitle, needs_title
from agls.room.process_ports import Tiers
from agls.room.session_metadata import ROOM
from agls.room.session_ports import SessionRecord


def build(settings: Settings, models: ModelResolver, session: SessionRecord, tiers: Tiers) -> Feature:
    """Build the feature of one session; the tier `fast`, if there is one, gives it a title."""
    titles = settings.titles and TIER in tiers.names

    async def around_model(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
        first = titles and needs_title(view.state)
        reply = await inner(request)
        if first and isinstance(reply, Replied):
            view.spawn(entitle(view, models, session), "session")
        return reply

    return Feature(name=ROOM, actions=FoundActions(actions), around_model=around_model)
