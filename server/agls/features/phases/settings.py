"""The phases of an agent, as its definition says them."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import AfterValidator, Field, PositiveInt

from agls.regex import regex
from agls.room import Table

PLACE = regex(r"\{\{\s*([^{}]*?)\s*\}\}")
INPUT = "input"
OUTPUT = regex(r"phases\.([\w-]+)\.output")


class PhaseSettings(Table):
    """One phase of an agent's runs. What is not said is the agent's.

    `prompt` is the task of the phase; in it `{{input}}` stands for what the run was asked and
    `{{phases.NAME.output}}` for the last words of an earlier phase. `system` follows the agent's system
    prompt, with the same places. `tier` is a tier or model, `tools` are the names of the only tools,
    `max_turns` is how many times the model may be asked; then the next phase begins.
    """

    name: Annotated[str, Field(pattern=r"^[\w-]+$", max_length=40)]
    prompt: Annotated[str, Field(min_length=1)]
    system: str = ""
    tier: str = ""
    tools: tuple[str, ...] | None = None
    max_turns: PositiveInt | None = None


def in_order(phases: tuple[PhaseSettings, ...]) -> tuple[PhaseSettings, ...]:
    """Return the phases as they are.

    **Raises** `ValueError`: a name is used twice, a prompt wants what is not there.
    """
    before: list[str] = []
    for phase in phases:
        if phase.name in before:
            raise ValueError(f"there are two phases called {phase.name!r}; give each a name of its own")
        for place in (*_wrong_places(phase.prompt, before), *_wrong_places(phase.system, before)):
            earlier = "".join(f", {{{{phases.{name}.output}}}}" for name in before)
            raise ValueError(
                f"phase {phase.name!r}: {{{{{place}}}}} is nothing that is known then; "
                f"there is {{{{{INPUT}}}}}{earlier}"
            )
        before.append(phase.name)
    return phases


Phases = Annotated[tuple[PhaseSettings, ...], AfterValidator(in_order)]


def _wrong_places(prompt: str, before: list[str]) -> Iterator[str]:
    for place in PLACE.findall(prompt):
        phase = OUTPUT.fullmatch(place)
        if place != INPUT and not (phase and phase[1] in before):
            yield place
