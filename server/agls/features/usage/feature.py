"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.facts import GateFact, Notice
from agls.engine.feature import Feature, RunView
from agls.engine.vocabulary import Stop
from agls.features.usage.actions import actions
from agls.features.usage.settings import Settings
from agls.features.usage.summary import nearly_used


def build(settings: Settings) -> Feature:
    """The feature of one run."""
    warned: set[str] = set()  # a notice may be lost, so this memory may be, too

    async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        if settings.warn_at < 1 and state.run_id not in warned:
            near = ", ".join(nearly_used(state.limits, state.run, settings.warn_at))
            if near:
                warned.add(state.run_id)
                view.show(Notice("warning", "This run comes near its limits", f"Used: {near}."))
        return ()

    return Feature(name="usage", actions=actions(), before_turn=before_turn)
