"""What a critic sees of a run, what it may decide, and the rules by which it decides without a model."""

from typing import Literal

from agls.features.critic.settings import Settings
from agls.frozen import frozen

Occasion = Literal["stalled", "time", "turns"]  # nothing happened; the time, or the turns, are used up


@frozen
class Look:
    """Why the critic was woken: `idle` seconds without activity, for the `fruitless`-th time in a row."""

    occasion: Occasion
    idle: float
    fruitless: int
    elapsed: float
    doing: str


@frozen
class Verdict:
    """What to do: `text` is what a nudge says to the model, or why the run is killed."""

    action: Literal["wait", "nudge", "extend", "kill"]
    text: str = ""


def by_rules(look: Look, settings: Settings) -> Verdict:
    """Return the verdict by rules: a run in which things happen gets more."""
    if look.fruitless >= settings.patience:
        return Verdict("kill", f"Nothing happened for {look.idle:.0f} seconds; {look.doing}.")
    if look.fruitless > 1:
        return Verdict(
            "nudge",
            f"Nothing happened for {look.idle:.0f} seconds: {look.doing}. If that cannot end soon, do it "
            "another way: in smaller steps, or with a time limit.",
        )
    return Verdict("wait" if look.occasion == "stalled" else "extend")
