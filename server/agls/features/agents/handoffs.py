"""Handing the conversation over to another agent, as the agent of the session suggests."""

from collections.abc import Sequence

from pydantic import Field

from agls.engine.actions import ActionContext, ActionError, ActionOutcome, ActionValue
from agls.frozen import frozen
from agls.room.command_prompts import command_prompt
from agls.room.run_ports import Handoff
from agls.room.session_ports import SessionControl
from agls.toolkit import Arguments

NONE = "The agent of this session suggests no other one (`handoffs` in its file)."
UNKNOWN = "It suggests no {!r}. There are: {}."
GO_ON = "Go on with this conversation, as the agent that you are now."


class HandOff(Arguments):
    """Hand this conversation over to another agent: one of those that the session's agent suggests."""

    to: str = Field(default="", description="its name or label; without one the list")


@frozen
class Handoffs:
    """The agents that the agent of a session suggests."""

    suggested: Sequence[Handoff]
    control: SessionControl

    async def labels(self, context: ActionContext) -> Sequence[ActionValue]:
        """Return them."""
        return [ActionValue(each.label, each.agent) for each in self.suggested]

    async def hand_off(self, arguments: HandOff, context: ActionContext) -> ActionOutcome:
        """Let it go on, now and with later prompts, or list them. **Raises** `ActionError`."""
        if not self.suggested:
            raise ActionError(NONE)
        if not arguments.to:
            lines = [f"- {each.label}: `{each.agent}`" for each in self.suggested]
            rows = [
                {"label": each.label, "agent": each.agent, "prompt": each.prompt} for each in self.suggested
            ]
            return ActionOutcome("\n".join(lines), {"handoffs": rows})
        wanted = arguments.to.casefold()
        found = next((h for h in self.suggested if wanted in {h.label.casefold(), h.agent.casefold()}), None)
        if found is None:
            raise ActionError(UNKNOWN.format(arguments.to, ", ".join(h.label for h in self.suggested)))
        await self.control.set({"agent": found.agent})
        text, options = found.prompt or GO_ON, {"agent": found.agent}
        return ActionOutcome("", prompt=command_prompt("agent.handoff", text, options=options))
