"""The wiring of the room."""

from functools import partial

from aglet.engine.facts import Answered, Asked, Entry
from aglet.engine.feature import Attempt, Feature, RunView
from aglet.engine.state import State
from aglet.engine.vocabulary import Stop, StopReason
from aglet.features.deadline.timer import Timer


def build(seconds: float) -> Feature:
    """The feature: a run has this many seconds, the time in which a question is open not counted."""
    stop = Stop(StopReason.TIMEOUT, f"The time limit of {seconds:g} seconds is reached.")
    running: list[Timer] = []

    async def around_run(attempt: Attempt, view: RunView) -> Stop:
        if not seconds:
            return stop
        timer = Timer(seconds, partial(view.stop, stop))
        running.append(timer)
        try:
            return await attempt()
        finally:
            running.clear()
            timer.hold()

    def on_fact(entry: Entry, state: State) -> None:
        if isinstance(entry.fact, Asked | Answered):
            for timer in running:
                timer.hold() if state.questions else timer.go_on()

    return Feature(name="deadline", around_run=around_run, on_fact=on_fact)
