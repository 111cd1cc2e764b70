"""Whom a run may hand work to: each entry becomes a tool of its own, beside `delegate`."""

from collections.abc import Mapping, Sequence
from dataclasses import field

from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.names import camel
from agls.room.ports import KnownAgents

KEPT = ("agent", "model", "mode", "effort", "caller")  # options that a child has of its parent


@frozen
class DelegateSpec:
    """Somebody who can be handed work: an agent now, a skill as well when there are skills (`KINDS`).

    `kind` and `name` make the name of the tool. `options` are what sets the child's session apart; one that
    is "" is not taken over from the parent.
    """

    kind: str
    name: str
    description: str
    options: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def tool(self) -> str:
        """The name of its tool, such as `agent__reviewer`."""
        return f"{self.kind}__{self.name}"


PLAN = "delegate"  # the tool for several at once
KINDS = ("agent", "skill")  # of entries
HELPER = DelegateSpec("agent", "", "a helper like yourself")  # who is named by nobody


def entries_of(agents: KnownAgents) -> tuple[DelegateSpec, ...]:
    """Return an entry for each of these agents; one with a model of its own works with that."""
    own: Mapping[str, str] = {"model": ""}
    return tuple(
        DelegateSpec(
            one.kind, one.name, one.description, {"agent": one.name, **(own if one.has_tier else {})}
        )
        for one in agents.agents
    )


def chosen(palette: Sequence[DelegateSpec], name: str) -> DelegateSpec | None:
    """Return the entry of this name, by itself or as its tool.

    `None` when there is none. "" is a plain helper.
    """
    return next((entry for entry in (HELPER, *palette) if name in {entry.name, entry.tool}), None)


def hands_over(tool: str) -> bool:
    """Return whether the tool of this name hands work to helpers."""
    return tool == PLAN or tool.startswith(tuple(f"{kind}__" for kind in KINDS))


def options_of(entry: DelegateSpec, state: State, left: Mapping[str, float]) -> JsonObject:
    """Return the options of a child's session: its own, those of its parent, and its limits."""
    kept = {name: state.settings[name] for name in KEPT if name in state.settings}
    asked = {"parentRun": state.run_id} | {camel(name): limit for name, limit in left.items()}
    options = {**kept, **entry.options, **asked}
    return {name: value for name, value in options.items() if value != ""}
