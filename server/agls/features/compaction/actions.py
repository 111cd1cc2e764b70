"""What the user may ask: make the conversation shorter now, and how much of the model's window is used."""

from functools import partial

from agls.engine.actions import Action, ActionContext, ActionError, ActionOutcome
from agls.engine.facts import Compacted
from agls.engine.ports import ModelError, ModelResolver
from agls.features.compaction.bounds import bounds_of
from agls.features.compaction.compactor import Need, cut_of, summarised
from agls.features.compaction.gate import objection_of
from agls.features.compaction.report import outcome_of
from agls.features.compaction.settings import Settings
from agls.features.compaction.sizes import Ruler, believed, bytes_of_a_token
from agls.features.compaction.summary import Unwritten
from agls.features.compaction.touched_files import touched_in
from agls.features.compaction.undoing import client_of, summary_in, undo_summary
from agls.room.run_ports import HookPoints
from agls.room.session_ports import SessionRecord
from agls.toolkit import Arguments, TypedAction

NEVER = "Nothing of this session was summarised yet. /compact does it now."
SMALL = "There is nothing to summarise yet: the conversation is short."
CHANGED = "Something was said meanwhile, so nothing was changed. Try again when no run is active."


class Compact(Arguments):
    """Summarise the conversation, except its end and your own messages; `focus` says what matters most.

    `/compact undo` undoes the last summary.
    """

    focus: str = ""


class ShowCompaction(Arguments):
    """Show the last summary: its text, why it was made, the size before and after, and what was kept."""


class UndoCompaction(Arguments):
    """Undo the last summary: the model sees again what it replaced, and everything since."""


class TokenBudget(Arguments):
    """Show how much of the model's context window the next request fills, and where the limits are."""


def actions(
    settings: Settings,
    models: ModelResolver,
    session: SessionRecord,
    points: HookPoints,
    *,
    schema: bool,
) -> tuple[Action, ...]:
    """Return the actions of the room."""
    undo = partial(undo_summary, settings, schema, session)

    async def compact(arguments: Compact, context: ActionContext) -> ActionOutcome:
        if arguments.focus.strip().casefold() == "undo":
            return await undo(UndoCompaction(), context)
        return await shorten(settings, models, session, points, arguments, context)

    budget = partial(show_budget, settings, schema)
    return (
        TypedAction(
            name="compact",
            title="Compact",
            arguments=Compact,
            work=compact,
            when="idle",
            group="Model and context",
            screened=True,
        ),
        TypedAction(
            name="compaction.show",
            title="Show last summary",
            arguments=ShowCompaction,
            work=partial(show, session),
            group="Model and context",
        ),
        TypedAction(
            name="compaction.undo",
            title="Undo last summary",
            arguments=UndoCompaction,
            work=undo,
            when="idle",
            group="Model and context",
        ),
        TypedAction(
            name="token-budget",
            title="Show token budget",
            arguments=TokenBudget,
            work=budget,
            aliases=("budget",),
            group="Model and context",
        ),
    )


async def shorten(
    settings: Settings,
    models: ModelResolver,
    session: SessionRecord,
    points: HookPoints,
    arguments: Compact,
    context: ActionContext,
) -> ActionOutcome:
    """Put a summary in the place of the beginning. When there is none, nothing is changed."""
    messages, client = context.state.context.messages, client_of(context)
    tokens = (await Ruler().size(believed(context.state), client)).tokens
    files = touched_in(session.entries(), context.state.cwd, session.shown)
    per_token = await bytes_of_a_token(messages, client)
    room = (
        bounds_of(client.info.context_window, settings.at, schema=False).soft
        if client and client.info.context_window
        else 0
    )
    need = Need("asked", tokens, tokens, True, context.state.words, "", per_token, room).naming(files)
    cut = cut_of(messages, need)
    if cut is None:
        raise ActionError(SMALL)
    if objection := await objection_of(points, "manual", arguments.focus):
        raise ActionError(objection)
    try:
        with context.breakable():
            fact = await summarised(models, settings.tier, cut, need, session.spend, arguments.focus)
    except Unwritten as problem:
        raise ActionError(
            f"The conversation could not be summarised: {problem}. It was not changed."
        ) from None
    if not await session.compact(fact, messages):
        raise ActionError(CHANGED)
    return outcome_of(fact, context.state)


async def show(session: SessionRecord, arguments: ShowCompaction, context: ActionContext) -> ActionOutcome:
    """Show the last summary."""
    facts = (entry.fact for entry in reversed(session.entries()))
    last = next((fact for fact in facts if isinstance(fact, Compacted)), None)
    if last is None:
        raise ActionError(NEVER)
    return outcome_of(last, context.state, stands=summary_in(context.state) == last.item_id)


async def show_budget(
    settings: Settings, schema: bool, arguments: TokenBudget, context: ActionContext
) -> ActionOutcome:
    """Return the tokens of the next request beside the bounds of its model."""
    try:
        client = context.model()
    except ModelError as problem:
        raise ActionError(f"{problem} {problem.hint}".strip()) from None
    count, window = await client.count(await context.next_request()), client.info.context_window
    if not window:
        known = f"The size of the context window of {client.info.name} is not known"
        text = f"About {count.tokens:,} tokens. {known}: set context_window of the model."
        return ActionOutcome(text, {"tokens": count.tokens, "window": None})
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
