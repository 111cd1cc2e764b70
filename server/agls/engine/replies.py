"""One reply of the model: the request, the wrappers, the stream, and the rest of an interrupted one."""

import asyncio
from collections.abc import Callable, Iterable, Set
from contextlib import aclosing
from dataclasses import replace

from agls.engine.facts import (
    Cut,
    Fact,
    Overflowed,
    Replied,
    Retrying,
    TextDelta,
    ThinkingDelta,
    TurnStarted,
    Used,
)
from agls.engine.feature import RunSetup, RunView, wrap_model
from agls.engine.log import Log
from agls.engine.ports import AnswerCancelled, CallModel, ModelClient, ModelError, ModelRequest, Reply, new_id
from agls.engine.prefix_fold import PrefixFold
from agls.engine.state import State
from agls.engine.vocabulary import AssistantMessage, Message, Stop, StopReason, ToolCall, Usage

LOOP = "loop"  # who used what an attempt used that broke off


async def get_reply(log: Log, record: Callable[[Fact], None], run_setup: RunSetup, view: RunView) -> Reply:
    """Send the model the conversation of the state.

    **Raises** `ModelError`; an interrupted answer is a `Cut`.
    """
    client = run_setup.models.resolve(model_name(log.state))
    request = request_of(log.state, run_setup, log.journal.session_id)
    record(TurnStarted(new_id("turn"), client.info.name, client.info.context_window))
    reply = await wrap_model(run_setup.around_model, view, _stream(client, log, record))(request)
    if isinstance(reply, Replied) and reply.tool_calls:
        return with_fresh_ids(reply, _call_ids.of(log.state.transcript))
    return reply


def request_of(state: State, run_setup: RunSetup, session_id: str) -> ModelRequest:
    """Return the next request of a run, as the state stands, before any feature changed it."""
    context, options = state.context, state.settings
    return ModelRequest(
        reply_id=new_id("item"),
        system=context.system,
        messages=context.messages,
        tools=run_setup.shown(state),
        effort=str(options.get("effort", "")),
        session_id=session_id,
    )


def model_name(state: State) -> str:
    """Return the name of the model that is asked next, "" for the default."""
    return state.context.model or str(state.settings.get("model", ""))


def _stream(client: ModelClient, log: Log, record: Callable[[Fact], None]) -> CallModel:
    async def ask(request: ModelRequest) -> Reply:
        text, thinking = "", ""
        try:
            async with aclosing(client.stream(request)) as parts:
                async for part in parts:
                    if isinstance(part, Overflowed) and (text or thinking):
                        record(Cut(request.reply_id, text, thinking, cause="failed"))
                    if isinstance(part, Replied | Overflowed):
                        return part
                    if isinstance(part, Retrying):
                        text, thinking = "", ""  # the deltas of this attempt are void
                        if part.usage:
                            record(Used(LOOP, part.usage, part.cost))
                    text += part.text if isinstance(part, TextDelta) else ""
                    thinking += part.text if isinstance(part, ThinkingDelta) else ""
                    log.show(part)
        except (asyncio.CancelledError, Exception) as error:
            cause = "cancelled" if isinstance(error, asyncio.CancelledError) else "failed"
            used, cost = _used(error)
            record(Cut(request.reply_id, text, thinking, used, cause, cost))
            raise
        record(Cut(request.reply_id, text, thinking, cause="failed"))
        raise ModelError("the answer ended before it was complete", kind="providerInternal")

    return ask


def _used(error: BaseException) -> tuple[Usage, float | None]:
    """Return about what an answer used that left by this error."""
    if isinstance(error, AnswerCancelled | ModelError) and error.usage:
        return error.usage, error.cost
    return Usage(), None


def _with_call_ids(known: set[str], messages: Iterable[Message]) -> set[str]:
    for message in messages:
        if isinstance(message, AssistantMessage):
            known.update(call.call_id for call in message.tool_calls)
    return known


_call_ids = PrefixFold(set[str], _with_call_ids)


def with_fresh_ids(reply: Replied, used: Set[str]) -> Replied:
    """Return the reply with call ids that no earlier one `used`: some providers count from one each time."""
    calls: dict[str, ToolCall] = {}
    for call in reply.tool_calls:
        known = not call.call_id or call.call_id in used or call.call_id in calls
        fresh = replace(call, call_id=new_id("call")) if known else call
        calls[fresh.call_id] = fresh
    return replace(reply, tool_calls=tuple(calls.values()))


def failed(error: ModelError) -> Stop:
    """Return why a run ends that nothing could save from this failure."""
    said = f"{error} {error.hint}".strip()
    about = (error.kind, error.status, error.provider, error.attempts, error.resets_at)
    return Stop(StopReason.MODEL_ERROR, said, *about)
