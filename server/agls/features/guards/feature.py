"""The wiring of the room, and what it says."""

from collections.abc import Sequence

from agls.engine.facts import GateFact, Injected
from agls.engine.feature import Feature, RunView
from agls.engine.ports import new_id
from agls.engine.state import State
from agls.engine.vocabulary import Stop, StopReason, Text, UserMessage
from agls.features.guards.settings import Settings
from agls.features.guards.streaks import ROOM, failures, last_call, lately, repetitions


def build(settings: Settings) -> Feature:
    """The feature."""

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        circle, nudged = find_circle(view.state, settings)
        if not circle:
            return ()
        if nudged:
            return (Stop(StopReason.GUARD, f"{circle} It was told so once and went on."),)
        text = f"{circle} Stop and think about why. Do something else, or say what keeps you from going on."
        return (Injected((UserMessage(new_id("item"), (Text(text),), ROOM),)),)

    return Feature(name=ROOM, before_turn=before_turn)


def find_circle(state: State, settings: Settings) -> tuple[str, bool]:
    """What goes wrong again and again, in plain words ("" if nothing), and whether it was said before."""
    recent, nudged = lately(state.transcript)
    if (times := repetitions(recent)) >= settings.identical_calls:
        return (
            f"The same call of {last_call(recent)} with the same arguments was made {times} times in a row.",
            nudged,
        )
    if (times := failures(recent)) >= settings.failed_calls:
        return f"{times} tool calls failed in a row.", nudged
    return "", nudged
