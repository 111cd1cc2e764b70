"""Hooks around a call: before it, where they may refuse or change it, and behind it."""

from dataclasses import replace

from agls.engine.feature import Advice, CallTool, Invocation, PermissionAnswer, RunView
from agls.engine.vocabulary import JsonObject, Question, ToolCall, ToolOutcome
from agls.features.hooks.answers import HookAnswer
from agls.features.hooks.events import EventHooks
from agls.features.hooks.settings import Event
from agls.features.hooks.spelling import names_of, our_arguments, their_arguments
from agls.frozen import frozen
from agls.terminal_codes import without_marks

REFUSED = "Not run: the hook {} refused it. {}"
REQUEST: Event = "PermissionRequest"
AFTER: dict[str, Event] = {"completed": "PostToolUse", "failed": "PostToolUseFailure"}


@frozen
class ToolHooks:
    """Lets the hooks see each call of a run. What they change is what the user is asked about."""

    hooks: EventHooks

    async def pass_call(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Let the call run as the hooks want it, or not at all."""
        name = invocation.call.name
        before = await self.hooks.answer("PreToolUse", names_of(name), as_input(invocation.call), view)
        if before.decision == "deny" or before.stop:
            return ToolOutcome(
                REFUSED.format(before.by, before.reason).strip(), status="rejected", refused_by="hook"
            )
        outcome = await inner(self._answering(_changed(invocation, before), view))
        event = AFTER.get(outcome.status)
        if event is None:
            return _with_context(outcome, before)
        said = response(outcome.text, outcome.status)
        if outcome.is_error:
            said = {"error": without_marks(outcome.text)}
        data = {**as_input(_changed(invocation, before).call), **said}
        after = await self.hooks.answer(event, names_of(name), data, view)
        return _with_context(_with_context(outcome, before), after)

    def _answering(self, invocation: Invocation, view: RunView) -> Invocation:
        """Return the call with hooks that see the question about it before the user does."""
        if not self.hooks.has(REQUEST):
            return invocation

        async def before_question(question: Question) -> PermissionAnswer | None:
            call = invocation.call
            rules = [option.rule for option in question.options if option.rule]
            data: JsonObject = {**as_input(call), "permission_suggestions": rules, "message": question.reason}
            answer = await self.hooks.answer(REQUEST, names_of(call.name), data, view)
            if answer.decision not in {"allow", "deny"} and not answer.stop:
                return None
            allows = answer.decision == "allow" and not answer.stop
            return PermissionAnswer(f"the hook {answer.by}", answer.reason, allows=allows)

        return replace(invocation, before_question=before_question)


def as_input(call: ToolCall) -> JsonObject:
    """Return a call as hooks get it: in the spelling of other products, and in ours beside."""
    return {
        "tool_name": names_of(call.name)[-1],
        "tool_input": their_arguments(call.name, call.arguments),
        "tool_use_id": call.call_id,
        "agls_tool": {"name": call.name, "input": call.arguments},
    }


def response(text: str, status: str) -> JsonObject:
    """Return what a call gave, as hooks get it: the marks around what a program printed are the model's."""
    return {"tool_response": {"output": without_marks(text), "status": status}}


def _changed(invocation: Invocation, answer: HookAnswer) -> Invocation:
    if answer.arguments is not None:
        arguments = our_arguments(invocation.call.name, answer.arguments)
        invocation = replace(invocation, call=replace(invocation.call, arguments=arguments), preview=None)
    if answer.decision in {"ask", "allow"}:
        asked = answer.decision == "ask"
        invocation = replace(invocation, advice=Advice(f"the hook {answer.by}", answer.reason, asks=asked))
    return invocation


def _with_context(outcome: ToolOutcome, answer: HookAnswer) -> ToolOutcome:
    """Return the outcome with what hooks want the model to read: in it, so that results stay in order."""
    text = outcome.text if answer.output is None else answer.output
    said = [answer.context, answer.reason if answer.decision == "deny" else ""]
    more = "\n".join(f"[The hook {answer.by} says: {each}]" for each in said if each)
    return replace(outcome, text="\n\n".join(filter(None, (text, more))))
