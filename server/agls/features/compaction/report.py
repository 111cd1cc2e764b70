"""What a summary replaced and what stayed, for people and for programs."""

from collections.abc import Sequence

from agls.engine.actions import ActionOutcome
from agls.engine.facts import Compacted
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Message, Text, UserMessage
from agls.short_text import brief

SHOWN = 200  # characters of what the user said that are shown of each message
GONE = "The model does not see it any more: it was undone, or the conversation went back."
WORDS = "Your words that stayed in front of it:"


def outcome_of(fact: Compacted, state: State, *, stands: bool = True) -> ActionOutcome:
    """Return the size before and after, the user's words that stayed, and the summary, if it still stands."""
    before, after = fact.tokens_before, fact.tokens_after
    kept = [f"- {words}" for message in state.transcript if (words := _said(message, fact.kept))]
    size = f"Summarised: about {before:,} tokens before, {after:,} now. Cause: {fact.cause or 'not known'}."
    how = "" if stands else GONE
    parts = (size, how, "\n".join([WORDS, *kept]) if kept else "", fact.summary)
    data: JsonObject = {
        "itemId": fact.item_id,
        "cause": fact.cause,
        "tokensBefore": before,
        "tokensAfter": after,
        "kept": list(fact.kept),
        "summary": fact.summary,
        "undone": not stands,
    }
    return ActionOutcome("\n\n".join(filter(None, parts)), data)


def _said(message: Message, kept: Sequence[str]) -> str:
    if not isinstance(message, UserMessage) or message.item_id not in kept or message.origin != "user":
        return ""
    return brief(" ".join(part.text for part in message.content if isinstance(part, Text)), SHOWN)
