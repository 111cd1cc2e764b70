"""The wiring of the room, and what it says."""

from collections.abc import Sequence
from time import monotonic

from agls.engine.facts import GateFact, Injected
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import new_id
from agls.engine.vocabulary import Stop, StopReason, Text, ToolOutcome, UserMessage
from agls.features.guards.settings import Settings
from agls.features.guards.streaks import ROOM, circle_in, ignored, latest, stretches

NUDGES = 2  # before the run ends
LONG = 5.0  # seconds: a call that takes so long waits for something
ADVICE = (
    " Stop and think about why. Do something else, or say what keeps you from going on. If you wait for "
    "something, let a call wait for it, such as a command that sleeps."
)
LAST = " This is the last warning: the run ends if this continues."
ENDED = (
    " It was warned twice and went on. A new prompt starts a new count; [guards] sets how many are too many."
)


def build(settings: Settings) -> Feature:
    """Return the feature."""
    waited: set[str] = set()

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        began = monotonic()
        try:
            return await inner(invocation)
        finally:
            if invocation.tool.spec.polls or monotonic() - began >= LONG:
                waited.add(invocation.call.call_id)

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        transcript = view.state.transcript
        circle = circle_in(latest(transcript, waited), settings)
        if not circle:
            return ()
        nudges = ignored(stretches(transcript, waited))
        if nudges >= NUDGES:
            return (Stop(StopReason.GUARD, circle + ENDED),)
        text = circle + ADVICE + (LAST if nudges == NUDGES - 1 else "")
        return (Injected((UserMessage(new_id("item"), (Text(text),), ROOM),)),)

    return Feature(name=ROOM, before_turn=before_turn, around_tool=around_tool)
