"""The wiring of the room."""

from agls.engine.facts import Answered, Asked, Entry, LimitsChanged
from agls.engine.feature import Attempt, Feature, RunView
from agls.engine.state import State
from agls.engine.vocabulary import Stop, StopReason
from agls.features.deadline.settings import Settings
from agls.timer import Timer

HINT = "Give it more time with --max-seconds, or [budget] max_seconds in the settings."


def build(settings: Settings) -> Feature:
    """Build the feature: a run has the seconds of its limits; while a question is open, time stands still."""
    running: list[Timer] = []

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        if view.state.limits.max_seconds == 0:
            return _too_late(view.state)
        timer = Timer(lambda: view.stop(_too_late(view.state)))
        timer.set(view.state.limits.max_seconds)
        running.append(timer)
        try:
            return await attempt()
        finally:
            running.clear()
            timer.set(None)

    def on_fact(entry: Entry, state: State) -> None:
        if isinstance(entry.fact, Asked | Answered | LimitsChanged):
            for timer in running:
                timer.hold() if state.questions else timer.go_on()
                timer.set(state.limits.max_seconds)

    return Feature(name="deadline", around_run=around_run, on_fact=on_fact)


def _too_late(state: State) -> Stop:
    detail = f"The time limit of {state.limits.max_seconds:g} seconds is reached. {HINT}"
    return Stop(StopReason.TIMEOUT, detail)
