"""The wiring of the room."""

from collections.abc import Iterator, Sequence

from agls.engine.actions import FoundActions
from agls.engine.facts import GateFact, Notice
from agls.engine.feature import Feature, RunView
from agls.engine.limits import Totals, limited_kinds
from agls.engine.vocabulary import Limits, Stop
from agls.features.usage.actions import actions
from agls.features.usage.settings import Settings


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

    return Feature(name="usage", actions=FoundActions(actions), before_turn=before_turn)


def nearly_used(limits: Limits, totals: Totals, share: float) -> Iterator[str]:
    """The limits of which at least this share is used, in words: `8 of 10 turns`."""
    for kind, limit in limited_kinds(limits):
        used = kind.used(totals)
        if limit and used >= share * limit:
            yield f"{used:g} of {limit:g} {kind.label}"
