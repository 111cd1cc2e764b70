"""Permission questions to a client that knows only LSP: messages with buttons, or with the command to use."""

from functools import partial
from typing import Any

from agls.doors.agent.asking import Way
from agls.doors.agent.client import ClientCapabilities
from agls.doors.agent.peer import Peer
from agls.doors.messages import JsonObject
from agls.engine.facts import Asked
from agls.engine.vocabulary import Answer, Question
from agls.json_values import is_object
from agls.views.permission_text import message_text

WARNING = 2  # LSP MessageType


def way(client: ClientCapabilities, question: Question) -> Way | None:
    """Return how the client is asked by a message with buttons; `None` when it has none."""
    if not client.message_requests:
        return None
    read = partial(read_choice, question, by=client.name)
    return Way("window/showMessageRequest", message_request(question), read)


def announce(peer: Peer, client: ClientCapabilities, asked: Asked) -> bool:
    """Say how the question can be answered by a command. **Returns** whether it can."""
    if not client.plain or asked.question.kind == "form":
        return False
    peer.notify("window/showMessage", by_command(asked))
    return True


def message_request(question: Question) -> JsonObject:
    """Return the message and its buttons: none allows what the message does not show."""
    shown = message_text(question)
    actions = [{"title": o.label} for o in question.options if shown.whole or o.decision == "reject"]
    return {"type": WARNING, "message": shown.text, "actions": actions}


def by_command(asked: Asked) -> JsonObject:
    """Return a permission question for a client that can only show it."""
    how = f"Answer with a code action, or by the command agls.approve or agls.reject ({asked.request_id})."
    return {"type": WARNING, "message": f"{message_text(asked.question).text}\n{how}"}


def read_choice(question: Question, chosen: Any, by: str) -> Answer:
    """Return the answer behind the exact title; anything else is a refusal (protocol#plain-mode)."""
    title = chosen.get("title") if is_object(chosen) else None
    offered = [action["title"] for action in message_request(question)["actions"]]
    for option in question.options:
        if option.label == title and title in offered:
            return Answer("selected", option.option_id, by=by)
    return Answer("dismissed", by=by)
