"""What the user may ask: who worked for this session."""

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.limits import Totals
from agls.features.subagents.lineage import children_of
from agls.toolkit import Arguments, TypedAction


class Subagents(Arguments):
    """Show the helpers of this session: for which call they worked, how that ended, what they used."""


def actions() -> tuple[Action, ...]:
    """Return the actions of the room."""
    return (TypedAction(name="subagents", title="Show helpers", arguments=Subagents, work=show),)


async def show(arguments: Subagents, context: ActionContext) -> ActionOutcome:
    """Return all children, also those of earlier processes."""
    state = context.state
    rows = list[str]()
    told = list[dict[str, object]]()
    for child in children_of(state):
        used = state.used_by.get(child.session_id, Totals()).total_tokens
        status = child.status or "working"
        told.append({**child.returned(), "status": status, "tokens": used})
        rows.append(f"| {child.label} | {child.agent} | {child.session_id} | {status} | {used} |")
    if not rows:
        return ActionOutcome("This session has had no helpers.", {"children": []})
    head = ["| Helper | Agent | Session | Status | Tokens |", "|---|---|---|---|--:|"]
    return ActionOutcome("\n".join([*head, *rows]), {"children": told})
