"""The wiring of the room."""

from agls.engine.facts import Replied
from agls.engine.feature import Feature, RunView
from agls.engine.ports import CallModel, ModelRequest, ModelResolver, Reply
from agls.features.history.actions import actions
from agls.features.history.filing import ROOM
from agls.features.history.titles import Record, entitle, needs_title


def build(models: ModelResolver, record: Record, *, titles: bool) -> Feature:
    """The feature of one session; with `titles` the tier `fast` gives it one after the first answer."""

    async def around_model(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
        first = titles and needs_title(view.state)
        reply = await inner(request)
        if first and isinstance(reply, Replied):
            view.spawn(entitle(view, models, record), "session")
        return reply

    return Feature(name=ROOM, actions=actions(), around_model=around_model)
