"""Pages that the user points at (`@https://…`): fetched before the model is asked, by calls like its own.

The calls pass every gate that a call of the model passes. What is not allowed stays a link, and the model and
the user see why.
"""

import re
from collections.abc import Iterator

from agls.engine.facts import Replied
from agls.engine.feature import RunView
from agls.engine.ports import CallModel, ModelRequest, Reply, new_id
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, ResourceLink, ToolCall, UserMessage
from agls.features.web.activation import ROOM
from agls.features.web.fetching import FETCH
from agls.regex import regex

MENTIONED = "mentioned"
MOST = 5  # pages of one message
_ADDRESS = regex(r"https?://[^\s/]", re.IGNORECASE)


async def fetch_mentioned(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
    """Ask the model; for pages that a new message points at, answer first with calls that fetch them."""
    messages = list(_new_messages(view.state))
    urls = list(dict.fromkeys(url for message in messages for url in _pages(message)))
    if not urls:
        return await inner(request)
    view.note(ROOM, MENTIONED, {"itemIds": [message.item_id for message in messages]})
    calls = tuple(ToolCall(new_id("call"), FETCH, {"url": url}) for url in urls)
    return Replied(request.reply_id, "", tool_calls=calls, finish="tool_calls", cost=0.0, model_calls=0)


def _new_messages(state: State) -> Iterator[UserMessage]:
    """Yield what the user said for this run and whose pages were not fetched yet, the newest first."""
    left = {*state.words} - {*_fetched(state)}
    for message in reversed(state.context.messages):
        if not left:
            return
        if isinstance(message, UserMessage) and message.item_id in left:
            left.discard(message.item_id)
            yield message


def _fetched(state: State) -> Iterator[str]:
    for note in state.notes.get(ROOM, ()):
        if note.kind == MENTIONED:
            yield from _item_ids(note.data)


def _item_ids(data: JsonObject) -> Iterator[str]:
    yield from data.get("itemIds", ())


def _pages(message: UserMessage) -> list[str]:
    links = (part.uri for part in message.content if isinstance(part, ResourceLink))
    return [uri for uri in links if _ADDRESS.match(uri)][:MOST]
