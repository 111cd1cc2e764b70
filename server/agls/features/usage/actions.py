"""What the user may ask: what was used, and what fills the model's context."""

from collections.abc import Iterator, Mapping

from agls.engine.actions import Action, ActionContext, ActionOutcome
from agls.engine.limits import Totals
from agls.engine.ports import ModelError
from agls.engine.vocabulary import JsonObject, TokenCount
from agls.features.usage.kinds import parts_of, shares, sizes_of
from agls.short_text import number_of
from agls.toolkit import Arguments, TypedAction, used_json

MOST = 10  # parts that people are shown
LOOP = "loop"  # what the turns of the session itself used
NO_RUN = "No run began in this session yet"
SURE = {
    "told": "counted by the server",
    "tokenizer": "counted with the tokenizer {}; what the server writes around the texts is estimated",
    "calibrated": "estimated from what this model's earlier answers were counted at",
    "guess": "a guess, a third more or less",
}


class ShowUsage(Arguments):
    """Show what this session and its last run used: turns, tokens and cost."""


class ContextSize(Arguments):
    """Show what fills the model's context, by category."""


def actions() -> tuple[Action, ...]:
    """The actions of the room."""
    return (
        TypedAction(
            "usage", "Show usage", ShowUsage, show_usage, aliases=("cost", "stats"), group="Model and context"
        ),
        TypedAction("context", "Show context", ContextSize, show_context, group="Model and context"),
    )


def sureness(count: TokenCount) -> str:
    """**Returns** who counted, and how sure that is; also why the configured tokenizer did not."""
    if count.sure == "tokenizer":
        return SURE[count.sure].format(count.note)
    return f"{SURE[count.sure]} ({count.note})" if count.note else SURE[count.sure]


async def show_usage(arguments: ShowUsage, context: ActionContext) -> ActionOutcome:
    """Totals of the session, its last run, and whoever spent."""
    state = context.state
    by = {who: used_json(totals) for who, totals in state.used_by.items()}
    data = {"session": used_json(state.total), "run": used_json(state.run), "by": by}
    parts = (f"- {who}: {_words(used)}" for who, used in state.used_by.items() if who != LOOP)
    besides = "\n".join(("\n\nOf the session, besides its own turns:", *parts)) if len(by) > 1 else ""
    run = f"{'This' if state.running else 'Last'} run: {_words(state.run)}" if state.run_id else NO_RUN
    text = f"Session: {_words(state.total)}.\n\n{run}.{besides}" if any(state.total) else f"{run}."
    return ActionOutcome(text, data)


async def show_context(arguments: ContextSize, context: ActionContext) -> ActionOutcome:
    """What the next request is made of, in tokens and in characters, and what is free of the model's window.

    The tokens of the kinds are together those of the request, as the model or an estimate counts them.
    """
    request = await context.next_request()
    sizes = sizes_of(request.system, request.messages, request.tools)
    try:
        client = context.model()
    except ModelError as problem:
        return ActionOutcome(
            f"The tokens are not known: {problem}\n\n{_table('Characters', sizes)}", _data(sizes)
        )
    count, window = await client.count(request), client.info.context_window
    tokens = shares(sizes, count.tokens)
    parts = {
        kind: shares(members, tokens[kind])
        for kind, members in parts_of(request.system, request.messages, request.tools).items()
    }
    free = {"free": max(window - count.tokens, 0)} if window else {}
    of = f"of {window:,} ({count.tokens / window:.0%})" if window else "of a context whose size is not known"
    meter = f"{client.info.name}: {count.tokens:,} tokens {of}; {sureness(count)}."
    data: JsonObject = {"tokens": count.tokens, "sure": count.sure, "window": window, "tokensByKind": tokens}
    data["tokensByPart"] = parts
    data |= {"note": count.note} if count.note else {}
    tables = [_table("Tokens", tokens | free), *_largest(parts)]
    return ActionOutcome("\n\n".join([meter, *tables]), {**_data(sizes), **data, **free})


def _largest(parts: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    """**Yields** a table of the largest parts, where there are any."""
    found = [(size, kind, name) for kind, members in parts.items() for name, size in members.items() if size]
    rows = [f"| {kind} | {name} | {size:,} |" for size, kind, name in sorted(found, reverse=True)[:MOST]]
    if rows:
        yield "\n".join(["| Largest parts | | Tokens |", "|---|---|--:|", *rows])


def _data(sizes: Mapping[str, int]) -> JsonObject:
    return {"characters": sum(sizes.values()), "byKind": dict(sizes)}


def _table(unit: str, sizes: Mapping[str, int]) -> str:
    whole = sum(sizes.values()) or 1
    rows = [f"| {kind} | {size:,} | {size / whole:.0%} |" for kind, size in sizes.items()]
    return "\n".join([f"| What | {unit} | Share |", "|---|--:|--:|", *rows])


def _words(totals: Totals) -> str:
    used: JsonObject = used_json(totals)
    cost = "cost unknown" if used["costUsd"] is None else f"${used['costUsd']:.4f}"
    tokens = f"{used['inputTokens']} tokens in, {used['outputTokens']} out"
    made = f"{number_of(used['turns'], 'turn')}, {number_of(used['toolCalls'], 'tool call')}"
    about = used["estimatedCalls"]
    unsure = f" ({number_of(about, 'call')} estimated)" if about else ""
    return f"{made}, {tokens}{unsure}, {cost}"
