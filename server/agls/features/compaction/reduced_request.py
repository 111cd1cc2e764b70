"""The request without all that it can do without: what is tried before a run ends because it is too long."""

from dataclasses import replace

from agls.engine.context import ENVIRONMENT
from agls.engine.facts import Overflowed
from agls.engine.feature import RunView
from agls.engine.ports import CallModel, ModelRequest, Reply
from agls.engine.state import State
from agls.engine.vocabulary import Message, UserMessage
from agls.features.compaction.summary import ROOM
from agls.short_text import sentence
from agls.toolkit import in_brief

REDUCED = "reduced"
ANSWER = 1_024  # tokens that are asked for
TITLE = "The request did not fit into the context of the model"
TRIED = (
    "It is tried once more with a short answer, short descriptions of the tools, and without what is known "
    "of the machine. All that you said is in it."
)
REFUSED = (
    "The request does not fit into the context of the model{}, with nothing left that can go. It says: {}"
)
HINT = (
    " Say it shorter, attach a long text as a file (it is read in parts), begin a new session, go back "
    "to an earlier prompt, or use a model with a larger context."
)


def is_reduced(state: State) -> bool:
    """Return whether the requests of this run are reduced."""
    notes = state.notes.get(ROOM, ())
    return any(note.kind == REDUCED and note.data.get("runId") == state.run_id for note in notes)


async def around_model(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
    """Reduce the request where the run noted that."""
    if not is_reduced(view.state):
        return await inner(request)
    reply = await inner(reduced(request))
    if not isinstance(reply, Overflowed):
        return reply
    return replace(reply, message=REFUSED.format(_numbers(reply), sentence(reply.message)) + HINT)


def reduced(request: ModelRequest) -> ModelRequest:
    """Return the request without the environment and most descriptions of tools, for a short answer."""
    return replace(
        request,
        messages=tuple(message for message in request.messages if not _can_go(message)),
        tools=tuple(map(in_brief, request.tools)),
        max_output_tokens=min(ANSWER, request.max_output_tokens or ANSWER),
    )


def _numbers(overflow: Overflowed) -> str:
    used = f"it has {overflow.used:,} tokens" if overflow.used else ""
    limit = f"the model takes {overflow.limit:,}" if overflow.limit else ""
    said = ", ".join(number for number in (used, limit) if number)
    return f" ({said})" if said else ""


def _can_go(message: Message) -> bool:
    return isinstance(message, UserMessage) and message.origin == ENVIRONMENT
