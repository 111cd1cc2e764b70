"""What the user may ask: make the conversation shorter now, and how much of the model's window is used."""

from functools import partial

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome
from agls.engine.ports import ModelError, ModelResolver
from agls.features.compaction.bounds import bounds_of
from agls.features.compaction.compactor import Need, cut_of, summarised
from agls.features.compaction.settings import Settings
from agls.features.compaction.sizes import Ruler
from agls.features.compaction.summary import Unwritten
from agls.room.ports import SessionRecord
from agls.toolkit import Arguments, TypedAction

SMALL = "There is nothing to summarise yet: the conversation is short."
CHANGED = "Something was said meanwhile, so nothing was changed. Try again when no run is active."


class Compact(Arguments):
    """Summarise the conversation, except its end and the user's words; `focus` says what matters most."""

    focus: str = ""


class TokenBudget(Arguments):
    """Show how much of the model's window the next request fills, and where its limits are."""


def actions(
    settings: Settings, models: ModelResolver, session: SessionRecord, *, schema: bool
) -> tuple[Action, ...]:
    """Return the actions of the room."""
    compact = partial(shorten, settings, models, session)
    budget = partial(show_budget, settings, schema)
    return (
        TypedAction(name="compact", title="Compact", arguments=Compact, work=compact, when="idle"),
        TypedAction(name="token-budget", title="Show token budget", arguments=TokenBudget, work=budget),
    )


async def shorten(
    settings: Settings,
    models: ModelResolver,
    session: SessionRecord,
    arguments: Compact,
    context: ActionContext,
) -> ActionOutcome:
    """Put a summary in the place of the beginning. When there is none, nothing is changed."""
    messages, tokens = context.state.context.messages, Ruler().tokens(context.state)
    need = Need("asked", tokens, tokens, pressing=True, words=context.state.words)
    cut = cut_of(messages, need)
    if cut is None:
        raise ActionError(SMALL)
    try:
        with context.breakable():
            fact = await summarised(models, settings.tier, cut, need, session.spend, arguments.focus)
    except Unwritten as problem:
        raise ActionError(f"The conversation could not be summarised: {problem}. It is as it was.") from None
    if not await session.compact(fact, messages):
        raise ActionError(CHANGED)
    text = f"Summarised: about {fact.tokens_before:,} tokens before, {fact.tokens_after:,} now."
    return ActionOutcome(text, {"tokensBefore": fact.tokens_before, "tokensAfter": fact.tokens_after})


async def show_budget(
    settings: Settings, schema: bool, arguments: TokenBudget, context: ActionContext
) -> ActionOutcome:
    """Return the tokens of the next request beside the bounds of its model."""
    try:
        client, request = context.next_request()
    except ModelError as problem:
        raise ActionError(f"{problem} {problem.hint}".strip()) from None
    count, window = await client.count(request), client.info.context_window
    if not window:
        text = (
            f"About {count.tokens:,} tokens. How many {client.info.name} can take is not known: name it as "
        )
        return ActionOutcome(text + "context_window of the model.", {"tokens": count.tokens, "window": None})
    bounds = bounds_of(window, settings.at, schema=schema)
    rows = {
        "Next request": count.tokens,
        "Room is made from": bounds.threshold,
        "Warning from": bounds.soft,
        "No more than": bounds.hard,
        "Kept for the answer": bounds.reserve,
        "Window": window,
    }
    table = "\n".join(
        ["| Tokens | |", "|---|--:|", *(f"| {what} | {size:,} |" for what, size in rows.items())]
    )
    data = {
        "tokens": count.tokens,
        "sure": count.sure,
        "window": window,
        "reserve": bounds.reserve,
        "hard": bounds.hard,
        "soft": bounds.soft,
        "threshold": bounds.threshold,
    }
    return ActionOutcome(table, data)
