"""What the user may ask: what was used, and what fills the model's context."""

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.context import Context
from agls.engine.limits import Totals
from agls.engine.ports import ModelError
from agls.engine.vocabulary import AssistantMessage, JsonObject, Message, Resource, Text, UserMessage
from agls.features.usage.summary import summary
from agls.toolkit import Arguments, TypedAction

SURE = {
    "told": "counted by the server",
    "calibrated": "estimated from what this model's earlier answers were counted at",
    "guess": "a guess, a third more or less",
}


class Usage(Arguments):
    """Show what this session and its last run used: turns, tokens, cost."""


class ContextSize(Arguments):
    """Show what fills the context of the model, by kind."""


def actions() -> tuple[Action, ...]:
    """The actions of the room."""
    return (
        TypedAction(name="usage", title="Show usage", arguments=Usage, work=show_usage),
        TypedAction(name="context", title="Show context", arguments=ContextSize, work=show_context),
    )


async def show_usage(arguments: Usage, context: ActionContext) -> ActionOutcome:
    """Totals of the session, its last run, and whoever spent."""
    state = context.state
    by = {who: summary(totals) for who, totals in state.used_by.items()}
    data = {"session": summary(state.total), "run": summary(state.run), "by": by}
    return ActionOutcome(f"Session: {_words(state.total)}.\n\nLast run: {_words(state.run)}.", data)


async def show_context(arguments: ContextSize, context: ActionContext) -> ActionOutcome:
    """The tokens of the next request and how sure they are, and its characters by kind, tools left out."""
    sizes = sizes_of(context.state.context)
    whole = sum(sizes.values())
    rows = [f"| {kind} | {size} | {size / (whole or 1):.0%} |" for kind, size in sizes.items()]
    table = "\n".join(["| What | Characters | Share |", "|---|--:|--:|", *rows])
    meter, data = await _meter(context)
    return ActionOutcome(f"{meter}\n\n{table}", {"characters": whole, "byKind": sizes, **data})


async def _meter(context: ActionContext) -> tuple[str, JsonObject]:
    """How full the context of the model is, in words and numbers."""
    try:
        client, request = context.next_request()
    except ModelError as problem:
        return f"The tokens are not known: {problem}", {}
    count, window = await client.count(request), client.info.context_window
    data: JsonObject = {"tokens": count.tokens, "sure": count.sure, "window": window}
    share = (
        f"of {window:,} ({count.tokens / window:.0%})" if window else "of a context whose size is not known"
    )
    return f"{client.info.name}: {count.tokens:,} tokens {share}; {SURE[count.sure]}.", data


def sizes_of(context: Context) -> dict[str, int]:
    """Characters by kind; what a room put in stands under its name."""
    sizes = {
        "system": len(context.system),
        "user": 0,
        "assistant": 0,
        "thinking": 0,
        "calls": 0,
        "results": 0,
    }
    for message in context.messages:
        for kind, size in _sizes(message).items():
            sizes[kind] = sizes.get(kind, 0) + size
    return sizes


def _sizes(message: Message) -> dict[str, int]:
    match message:
        case UserMessage():
            texts = [part.text for part in message.content if isinstance(part, Text | Resource)]
            return {message.origin: sum(map(len, texts))}
        case AssistantMessage():
            calls = sum(len(call.name) + len(str(call.arguments)) for call in message.tool_calls)
            return {"assistant": len(message.text), "thinking": len(message.thinking), "calls": calls}
        case _:
            return {"results": len(message.text)}


def _words(totals: Totals) -> str:
    told: JsonObject = summary(totals)
    cost = "cost unknown" if told["costUsd"] is None else f"${told['costUsd']:.4f}"
    tokens = f"{told['inputTokens']} tokens in, {told['outputTokens']} out"
    return f"{told['turns']} turns, {told['toolCalls']} tool calls, {tokens}, {cost}"
