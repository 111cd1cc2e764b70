"""The policy of one run: what it refuses and limits, and what it says."""

from collections.abc import Sequence
from dataclasses import replace

from agls.engine.facts import GateFact, Injected, LimitsChanged, Notice
from agls.engine.feature import Attempt, CallTool, Invocation, RunView
from agls.engine.ports import ToolSpec, new_id
from agls.engine.state import State
from agls.engine.vocabulary import Stop, Text, ToolOutcome, UserMessage
from agls.features.policy.manifests import Policies

ROOM = "policy"
DENIED = "Not run: {}. Do not try another way to do the same."
GUIDANCE = "<policy>\n{}\n</policy>"


class RunPolicy:
    """The policy of one run."""

    def __init__(self, held: Policies) -> None:
        self._held = held

    async def around_run(self, attempt: Attempt, view: RunView) -> Stop:
        """Show the user the texts for the end of a run, however it ends."""
        stop = await attempt()
        for text in self._held.after_turn():
            view.show(Notice("info", "Policy", text))
        return stop

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Keep the limits, and begin a run with the texts that the model does not see yet."""
        facts: list[Stop | GateFact] = []
        if (limits := self._held.limited(view.state.limits)) != view.state.limits:
            facts.append(LimitsChanged(limits))
        if view.state.run.turns:
            return facts
        for problem in self._held.problems:
            view.show(Notice("warning", "A policy is not followed", problem))
        text = GUIDANCE.format("\n".join(self._held.before_prompt()))
        if self._held.before_prompt() and not _is_seen(text, view.state):
            facts.append(Injected((UserMessage(new_id("item"), (Text(text),), ROOM),)))
        return facts

    async def around_tool(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Refuse a tool that is forbidden, and put the texts for after it behind its result."""
        name = invocation.call.name
        if reason := self._held.denial(name, invocation.tool.spec.effects):
            return ToolOutcome(DENIED.format(reason), status="rejected", refused_by="policy")
        outcome = await inner(invocation)
        texts = self._held.after_tool(name)
        return replace(outcome, text="\n\n".join((outcome.text, *texts))) if texts else outcome

    def show_tools(self, tools: Sequence[ToolSpec], state: State) -> Sequence[ToolSpec]:
        """Leave out what is forbidden, and say in a description what shall be known before a call."""
        return [self._guided(tool) for tool in tools if not self._held.denial(tool.name, tool.effects)]

    def _guided(self, tool: ToolSpec) -> ToolSpec:
        texts = self._held.before_tool(tool.name)
        return replace(tool, description="\n".join((tool.description, *texts))) if texts else tool


def _is_seen(text: str, state: State) -> bool:
    said = (each for each in state.context.messages if isinstance(each, UserMessage) and each.origin == ROOM)
    return any(each.content == (Text(text),) for each in said)
