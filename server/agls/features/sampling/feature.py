"""The wiring of the room."""

from dataclasses import replace

from agls.engine.facts import Notice
from agls.engine.feature import Feature, RunView
from agls.engine.ports import CallModel, ModelError, ModelRequest, Reply, new_id
from agls.features.sampling.settings import Settings
from agls.regex import regex

ROOM, REFUSED = "sampling", "refused"  # the kind of the notes in journals
_ABOUT_SAMPLING = regex(r"temperature|top_p|topP")
TITLE = "This model takes no temperature"
TEXT = "It refused the temperature or top_p of the agent, so it is asked without them in this session."


def build(settings: Settings) -> Feature | None:
    """Build the feature of a run for which something is set."""
    if settings.temperature is None and settings.top_p is None:
        return None

    async def around_model(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
        if view.state.notes.get(ROOM):
            return await inner(request)
        sampled = replace(request, temperature=settings.temperature, top_p=settings.top_p)
        try:
            return await inner(sampled)
        except ModelError as problem:
            if problem.kind != "badRequest" or not _ABOUT_SAMPLING.search(str(problem)):
                raise
            view.note(ROOM, REFUSED, {})
            view.show(Notice("info", TITLE, TEXT))
            return await inner(replace(request, reply_id=new_id("item")))

    return Feature(name=ROOM, around_model=around_model)
