"""A room's tools and actions as a run calls them: tools in the room's wrapper, and notes are kept."""

from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Literal, NoReturn, TypeVar

from agls.engine.actions import ActionContext, ActionOutcome
from agls.engine.facts import Entry, Noted, RoomFact, Transient
from agls.engine.feature import Feature, Invocation
from agls.engine.ports import Preview, Tool, ToolContext, Workspace
from agls.engine.state import State, fold
from agls.engine.vocabulary import JsonObject, Stop, StopReason, ToolCall, ToolOutcome

Made = TypeVar("Made")


class Toolbox:
    """Calls tools by name; it is also the `RunView` they get. `shown` is what they streamed."""

    def __init__(self, feature: Feature, workspace: Workspace) -> None:
        self.state = State()
        self.shown: list[str] = []
        self._feature, self._workspace = feature, workspace

    async def call(self, name: str, /, **arguments: Any) -> ToolOutcome:
        """Call a tool and give its outcome."""
        tool, context = self.tool(name), self.context()
        invocation = Invocation(ToolCall(context.call_id, name, arguments), tool, context)
        return await self._in_run(lambda: self._feature.around_tool(invocation, self, run_tool))

    async def preview(self, name: str, /, **arguments: Any) -> Preview:
        """What the call would do."""
        context = self.context()
        call = ToolCall(context.call_id, name, arguments)
        return await self._in_run(lambda: self.tool(name).preview(call, context))

    async def act(self, name: str, /, **arguments: Any) -> ActionOutcome:
        """Invoke an action that begins no run and asks no model. **Raises** `ActionError`."""
        action = next(action for action in self._feature.actions if action.spec.name == name)
        note = partial(self.note, self._feature.name)
        never = (_never, _never, _never, _never)
        return await action(
            arguments, ActionContext("ses_1", self.state, self._workspace, note, self.show, *never)
        )

    async def _in_run(self, work: Callable[[], Awaitable[Made]]) -> Made:
        made: list[Made] = []

        async def attempt() -> Stop:
            made.append(await work())
            return Stop(StopReason.END_TURN)

        await self._feature.around_run(attempt, self)
        return made[0]

    def tool(self, name: str) -> Tool:
        """The tool of this name."""
        return next(tool for tool in self._feature.tools if tool.spec.name == name)

    def context(self) -> ToolContext:
        """What a call gets."""
        return ToolContext(self._workspace, "call_1", self.shown.append)

    # --- what features see (`RunView`) ---

    def note(self, feature: str, kind: str, data: JsonObject) -> None:
        """Keep a room's note."""
        self.state = fold(self.state, Entry(self.state.seq + 1, 0.0, Noted(feature, kind, data)))

    def record(self, fact: RoomFact) -> None:
        """No tool records facts."""
        raise AssertionError(fact)

    def show(self, event: Transient) -> None:
        """Nothing is shown here."""

    def stop(self, stop: Stop) -> None:
        """No tool may end the run."""
        raise AssertionError(stop)

    def spawn(self, work: Coroutine[Any, Any, None], scope: Literal["run", "session"]) -> None:
        """No tool starts background work."""
        raise AssertionError(scope)

    async def pass_call(self, call: ToolCall, consent: str = "") -> ToolOutcome:
        """No tool calls others."""
        raise AssertionError(call)


async def run_tool(invocation: Invocation) -> ToolOutcome:
    """The innermost step of a call."""
    return await invocation.tool(invocation.call, invocation.context)


def _never(*_: object) -> NoReturn:
    raise AssertionError("an action that does this is tested in a session")
