"""The undo of the last summary: the model sees what it replaced, as far as its window has room for that."""

from agls.engine.actions import ActionContext, ActionError, ActionOutcome
from agls.engine.context import SUMMARY, expanded
from agls.engine.facts import Expanded
from agls.engine.ports import ModelClient, ModelError, new_id
from agls.engine.state import State
from agls.engine.vocabulary import UserMessage
from agls.features.compaction.bounds import bounds_of
from agls.features.compaction.settings import Settings
from agls.features.compaction.sizes import Ruler, believed, bytes_of_a_token, sum_of, tokens_in
from agls.room.session_ports import SessionRecord
from agls.toolkit import Arguments

NOTHING = "There is no summary to undo: the model sees the conversation as it is."
CHANGED = "Something was said meanwhile, so nothing was changed. Try again when no run is active."
TOO_LARGE = (
    "Without the summary the conversation has about {size:,} tokens, and {model} takes {hard:,} at most: the "
    "next run would summarise it again. Choose a model with a larger window first (/model)."
)
SOON = " Room is made again from {threshold:,} tokens on: the next run may summarise it again."


def summary_in(state: State) -> str:
    """Return the item id of the last summary that the model sees, "" for none."""
    messages = reversed(state.context.messages)
    found = (m.item_id for m in messages if isinstance(m, UserMessage) and m.origin == SUMMARY)
    return next(found, "")


async def undo_summary(
    settings: Settings, schema: bool, session: SessionRecord, arguments: Arguments, context: ActionContext
) -> ActionOutcome:
    """Undo the last summary, unless no request would fit then. **Raises** `ActionError`."""
    state = context.state
    undone, messages = summary_in(state), state.context.messages
    if undone not in state.summaries:
        raise ActionError(NOTHING)
    longer = expanded(messages, state.summaries[undone])
    client = client_of(context)
    before = (await Ruler().size(believed(state), client)).tokens
    per_token = await bytes_of_a_token(longer, client)
    after = max(before + tokens_in(sum_of(longer) - sum_of(messages), per_token), 1)
    warning = _warning(settings, context, after, schema=schema)
    if not await session.compact(Expanded(new_id("item"), undone, before, after), messages):
        raise ActionError(CHANGED)
    text = f"The summary is undone: about {before:,} tokens before, {after:,} now.{warning}"
    return ActionOutcome(text, {"undone": undone, "tokensBefore": before, "tokensAfter": after})


def _warning(settings: Settings, context: ActionContext, tokens: int, *, schema: bool) -> str:
    """Return what the user should know of the size, "" for nothing. **Raises** `ActionError`: too large."""
    client = client_of(context)
    window = client.info.context_window if client else None
    if not client or not window:  # nobody can be asked now: its window does not count
        return ""
    bounds = bounds_of(window, settings.at, schema=schema)
    if tokens > bounds.hard:
        raise ActionError(TOO_LARGE.format(size=tokens, model=client.info.name, hard=bounds.hard))
    return SOON.format(threshold=bounds.threshold) if tokens > bounds.threshold else ""


def client_of(context: ActionContext) -> ModelClient | None:
    try:
        return context.model()
    except ModelError:
        return None
