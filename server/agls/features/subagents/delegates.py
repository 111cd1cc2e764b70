"""Whom a run may hand work to: each entry becomes a tool of its own, beside `delegate`."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import field

from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.modes import Mode, is_mode, is_wider
from agls.names import camel
from agls.room.denied_tools import DENIED_TOOLS, denied_in
from agls.room.folder_ports import WORKTREE
from agls.room.process_ports import KnownAgents
from agls.room.session_ports import READ_ONLY

KEPT = (
    "agent",
    "model",
    "mode",
    "effort",
    "caller",
    READ_ONLY,
    WORKTREE,
)  # options that a child has of its parent


@frozen
class DelegateSpec:
    """Somebody who can be handed work: an agent now, a skill as well when there are skills (`KINDS`).

    `kind` and `name` make the name of the tool, where it `has_tool`; the others are named to `delegate`. That
    of one that `may_wait` is shown only while there are few. One for the `background` is never waited for.
    `options` are what sets the child's session apart; one that is "" is not taken over from the parent. It
    works in this `mode` at most ("": that of its parent); one that `is_isolated` in a worktree of its own.
    """

    kind: str
    name: str
    description: str
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    has_tool: bool = True
    may_wait: bool = False
    mode: str = ""
    background: bool = False
    is_isolated: bool = False

    @property
    def tool(self) -> str:
        """The name of its tool, such as `agent__reviewer`."""
        return f"{self.kind}__{self.name}"


HELPER = DelegateSpec("agent", "", "a helper like yourself")  # who is named by nobody


_entries: deque[tuple[KnownAgents, tuple[DelegateSpec, ...]]] = deque(maxlen=8)  # most runs know the same


def entries_of(agents: KnownAgents) -> tuple[DelegateSpec, ...]:
    """Return an entry for each of these agents; one with a model of its own works with that."""
    for known in _entries:
        if known[0] is agents:
            return known[1]
    made = _entries_of(agents)
    _entries.append((agents, made))
    return made


def _entries_of(agents: KnownAgents) -> tuple[DelegateSpec, ...]:
    own: Mapping[str, str] = {"model": ""}
    return tuple(
        DelegateSpec(
            one.kind,
            one.name,
            one.description,
            {
                "agent": one.name,
                **(own if one.has_tier else {}),
                **({"effort": one.effort} if one.effort else {}),
            },
            one.has_tool,
            one.may_wait,
            one.mode,
            one.background,
            one.is_isolated,
        )
        for one in agents.agents
    )


def chosen(palette: Sequence[DelegateSpec], name: str) -> DelegateSpec | None:
    """Return the entry of this name, by itself or as its tool.

    `None` when there is none. "" is a plain helper.
    """
    return next((entry for entry in (HELPER, *palette) if name in {entry.name, entry.tool}), None)


@frozen
class Powers:
    """What whoever works for this run may do at most: its permission `mode`, and whether it `only_reads`."""

    mode: Mode = "ask"
    only_reads: bool = False

    def options(self, entry: DelegateSpec) -> JsonObject:
        """Return the options that keep an entry within them. Its own mode counts where it is stricter."""
        narrower = is_mode(entry.mode) and is_wider(self.mode, entry.mode)
        return {
            **({"mode": entry.mode} if narrower else {}),
            **({READ_ONLY: True} if self.only_reads else {}),
        }


def options_of(entry: DelegateSpec, state: State, left: Mapping[str, float], powers: Powers) -> JsonObject:
    """Return the options of a child's session: its own, those of its parent, and its limits."""
    kept = {name: state.settings[name] for name in KEPT if name in state.settings}
    denied = denied_in(state)
    asked = {"parentRun": state.run_id} | {camel(name): limit for name, limit in left.items()}
    without = {DENIED_TOOLS: denied} if denied else {}
    options = {**kept, **entry.options, **powers.options(entry), **asked, **without}
    return {name: value for name, value in options.items() if value != ""}
