"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.facts import GateFact, Injected, Notice, PhaseStarted, Replied
from agls.engine.feature import Feature, RunView
from agls.engine.vocabulary import Stop
from agls.features.continuation.nudges import (
    CONTINUE,
    EMPTY,
    INTERRUPTED,
    ROOM,
    ends_with_a_reply,
    said,
    say,
)
from agls.features.continuation.settings import Settings

HIDDEN_OVERFLOW = Notice(
    "warning",
    "The model answered with nothing, twice",
    "Its context may be full without its server saying so: local servers often cut the prompt silently. "
    "Check the context size the server was started with.",
)


def build(settings: Settings) -> Feature:
    """The feature."""

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        recovering = state.admitted is not None and state.admitted.recovers
        if recovering and state.run.turns == 0 and ends_with_a_reply(state.context.messages):
            return (say(INTERRUPTED),)
        return ()

    async def before_stop(reply: Replied, view: RunView) -> Sequence[Injected | PhaseStarted]:
        transcript = view.state.transcript
        if reply.finish == "length":
            return (say(CONTINUE),) if said(CONTINUE, transcript) < settings.continuations else ()
        if reply.text.strip() or reply.finish in {"refusal", "content_filter"}:
            return ()
        if said(EMPTY, transcript):
            view.show(HIDDEN_OVERFLOW)
            return ()
        return (say(EMPTY),)

    return Feature(name=ROOM, before_turn=before_turn, before_stop=before_stop)
