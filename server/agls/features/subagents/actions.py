"""What the user may ask: who can work for this session, and who did."""

from collections.abc import Sequence
from functools import partial

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.limits import Totals
from agls.features.subagents.delegates import HELPER, DelegateSpec
from agls.features.subagents.lineage import children_of
from agls.room.delegation import DELEGATE
from agls.toolkit import Arguments, TypedAction

NONE = "The agent works alone here: there are no helpers (`[subagents]`), or this is one of the deepest."
DEFINE = "To write one: `/agent.create NAME`. `/agent.list` shows their files, and what is wrong with any."


LIKE_ITSELF = "A helper like the agent itself."


class Agents(Arguments):
    """Show the helpers to which the agent can delegate work: the built-in ones and yours."""


class Subagents(Arguments):
    """Show the helpers of this session: the call that each worked for, how it ended, and what it used."""


def actions(palette: Sequence[DelegateSpec]) -> tuple[Action, ...]:
    """Return the actions of the room; the palette is empty where there may be no helpers."""
    return (
        TypedAction("agents", "Show agents", Agents, partial(agents, palette), group="Settings"),
        TypedAction("subagents", "Show helpers", Subagents, show, group="Work"),
    )


async def agents(palette: Sequence[DelegateSpec], arguments: Agents, context: ActionContext) -> ActionOutcome:
    """Return the helpers that there may be."""
    if not palette:
        return ActionOutcome(NONE, {"agents": []})
    tools = [entry.tool if entry.has_tool and entry is not HELPER else DELEGATE for entry in palette]
    known = list(zip(palette, tools, strict=True))
    rows = [f"| {e.name or 'any'} | `{tool}` | {_purpose(e)} |" for e, tool in known]
    data = [{"name": e.name, "tool": tool, "description": e.description} for e, tool in known]
    text = "\n".join(["| Agent | Tool | What it is for |", "|---|---|---|", *rows, "", DEFINE])
    return ActionOutcome(text, {"agents": data})


def _purpose(entry: DelegateSpec) -> str:
    """Return what a helper is for; what the model reads of one without a name says "yourself"."""
    return LIKE_ITSELF if entry is HELPER else entry.description


async def show(arguments: Subagents, context: ActionContext) -> ActionOutcome:
    """Return all children, also those of earlier processes."""
    state = context.state
    rows = list[str]()
    children = list[dict[str, object]]()
    for child in children_of(state):
        used = state.used_by.get(child.session_id, Totals()).total_tokens
        status = child.status or "working"
        children.append({**child.returned(), "status": status, "tokens": used})
        rows.append(f"| {child.label} | {child.agent} | {child.session_id} | {status} | {used} |")
    if not rows:
        return ActionOutcome("This session has had no helpers.", {"children": []})
    head = ["| Helper | Agent | Session | Status | Tokens |", "|---|---|---|---|--:|"]
    return ActionOutcome("\n".join([*head, *rows]), {"children": children})
