"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.facts import GateFact, Injected, PhaseStarted, Replied
from agls.engine.feature import Attempt, Feature, RunView
from agls.engine.vocabulary import Stop, StopReason
from agls.features.continuation.nudges import (
    CONTINUE,
    EMPTY,
    INTERRUPTED,
    ROOM,
    ends_with_a_reply,
    ends_without_a_word,
    said,
    say,
)
from agls.features.continuation.settings import Settings

NO_ANSWER = Stop(
    StopReason.MODEL_ERROR,
    "The model answered with nothing, twice. Its context may be full without its server saying so: local "
    "servers often cut the prompt silently. Check the context size the server was started with.",
    "emptyAnswer",
)


def build(settings: Settings) -> Feature:
    """The feature."""

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        stop = await attempt()
        silent = stop.reason is StopReason.END_TURN and ends_without_a_word(view.state.transcript)
        return NO_ANSWER if silent else stop

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
        return () if said(EMPTY, transcript) else (say(EMPTY),)

    return Feature(name=ROOM, around_run=around_run, before_turn=before_turn, before_stop=before_stop)
