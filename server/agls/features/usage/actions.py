"""What the user may ask: what was used, and what fills the model's context."""

from collections.abc import Mapping

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.limits import Totals
from agls.engine.ports import ModelError
from agls.engine.vocabulary import JsonObject
from agls.features.usage.kinds import shares, sizes_of
from agls.toolkit import Arguments, TypedAction, used_json

SURE = {
    "told": "counted by the server",
    "calibrated": "estimated from what this model's earlier answers were counted at",
    "guess": "a guess, a third more or less",
}


class ShowUsage(Arguments):
    """Show what this session and its last run used: turns, tokens, cost."""


class ContextSize(Arguments):
    """Show what fills the context of the model, by kind."""


def actions() -> tuple[Action, ...]:
    """The actions of the room."""
    return (
        TypedAction(name="usage", title="Show usage", arguments=ShowUsage, work=show_usage),
        TypedAction(name="context", title="Show context", arguments=ContextSize, work=show_context),
    )


async def show_usage(arguments: ShowUsage, context: ActionContext) -> ActionOutcome:
    """Totals of the session, its last run, and whoever spent."""
    state = context.state
    by = {who: used_json(totals) for who, totals in state.used_by.items()}
    data = {"session": used_json(state.total), "run": used_json(state.run), "by": by}
    return ActionOutcome(f"Session: {_words(state.total)}.\n\nLast run: {_words(state.run)}.", data)


async def show_context(arguments: ContextSize, context: ActionContext) -> ActionOutcome:
    """What the next request is made of, in tokens and in characters, and what is free of the model's window.

    The tokens of the kinds are together those of the request, as the model or an estimate counts them.
    """
    try:
        client, request = context.next_request()
    except ModelError as problem:
        known = context.state.context
        sizes = sizes_of(known.system, known.messages)
        return ActionOutcome(
            f"The tokens are not known: {problem}\n\n{_table('Characters', sizes)}", _data(sizes)
        )
    count, window = await client.count(request), client.info.context_window
    sizes = sizes_of(request.system, request.messages, request.tools)
    tokens = shares(sizes, count.tokens)
    free = {"free": max(window - count.tokens, 0)} if window else {}
    of = f"of {window:,} ({count.tokens / window:.0%})" if window else "of a context whose size is not known"
    meter = f"{client.info.name}: {count.tokens:,} tokens {of}; {SURE[count.sure]}."
    data: JsonObject = {"tokens": count.tokens, "sure": count.sure, "window": window, "tokensByKind": tokens}
    return ActionOutcome(f"{meter}\n\n{_table('Tokens', tokens | free)}", {**_data(sizes), **data, **free})


def _data(sizes: Mapping[str, int]) -> JsonObject:
    return {"characters": sum(sizes.values()), "byKind": dict(sizes)}


def _table(unit: str, sizes: Mapping[str, int]) -> str:
    whole = sum(sizes.values()) or 1
    rows = [f"| {kind} | {size:,} | {size / whole:.0%} |" for kind, size in sizes.items()]
    return "\n".join([f"| What | {unit} | Share |", "|---|--:|--:|", *rows])


def _words(totals: Totals) -> str:
    told: JsonObject = used_json(totals)
    cost = "cost unknown" if told["costUsd"] is None else f"${told['costUsd']:.4f}"
    tokens = f"{told['inputTokens']} tokens in, {told['outputTokens']} out"
    return f"{told['turns']} turns, {told['toolCalls']} tool calls, {tokens}, {cost}"
