"""Puts a session's open questions to the client, and its answers to the session (protocol#to-the-client)."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, Protocol

from agls.doors import from_wire
from agls.doors.agent.client import ClientCapabilities
from agls.doors.agent.peer import Peer, Pending
from agls.doors.messages import JsonObject
from agls.engine.facts import Answered, Asked
from agls.engine.session import Session
from agls.engine.vocabulary import Answer, Question
from agls.views import values, wire_json

FAILED = Answer("unanswered", feedback="The client answered with an error.")
NOBODY = Answer("unanswered", feedback="Nobody here can answer this.")
ONCE = "once"  # the scope of an answer that holds for this call alone
NO_FIELDS: JsonObject = {"type": "object", "properties": {}}


class Way(NamedTuple):
    """The request by which a question is put to this client, and how its answer is read."""

    method: str
    params: JsonObject
    read: Callable[[Any], Answer]


class OtherWays(Protocol):
    """How questions reach a client that does not know the agent's own requests."""

    def way(self, question: Question) -> Way | None: ...
    def announce(self, asked: Asked) -> bool: ...


class OpenQuestions:
    """The questions of one session that the client has in front of it."""

    def __init__(self, session: Session, peer: Peer, others: OtherWays) -> None:
        self._session = session
        self._peer = peer
        self._client = client = peer.client
        self._others = others
        self._pending: dict[str, Pending] = {}
        if client.can_answer:
            session.questions.attend(True, forms=client.forms)

    def put(self, asked: Asked) -> None:
        """Ask the client in the best way it has; what it cannot show is unanswered at once."""
        if self._client.by_events:
            return
        way = self._way(asked.request_id, asked.question)
        if way is None:
            if self._others.announce(asked):
                return
            asyncio.get_running_loop().call_soon(self._session.questions.answer, asked.request_id, NOBODY)
            return
        pending = self._pending[asked.request_id] = self._peer.request(way.method, way.params)
        pending.future.add_done_callback(partial(self._answered, asked.request_id, way))

    def put_again(self) -> None:
        """Ask everything that is open and not in front of the client."""
        for request_id, question in self._session.outline.questions.items():
            if request_id not in self._pending:
                self.put(Asked(request_id, question))

    def leave(self) -> None:
        """Take every question back without an answer to it."""
        for pending in self._pending.values():
            pending.withdraw()
        self._pending.clear()

    def withdraw(self, answered: Answered) -> None:
        """Take a question back that was answered elsewhere, or that nobody needs any more."""
        if pending := self._pending.pop(answered.request_id, None):
            pending.withdraw()

    def _answered(self, request_id: str, way: Way, future: asyncio.Future[Any]) -> None:
        if future.cancelled() or self._pending.pop(request_id, None) is None:
            return
        answer = FAILED if future.exception() else way.read(future.result())
        self._session.questions.answer(request_id, answer)

    def _way(self, request_id: str, question: Question) -> Way | None:
        session, client = self._session, self._client
        agent = values.agent_id(session.outline)
        place = {"sessionId": session.session_id, "runId": session.outline.run_id, "agentId": agent}
        read = partial(read_answer, client, question)
        if question.kind == "form":
            form = {"requestId": request_id, "message": question.title, **shown_as(client, question)}
            params = {**form, **wire_json.filled(itemId=question.call_id), **place}
            return Way("agent/askUser", params, read) if client.forms else None
        if client.permission:
            shown = values.question(request_id, shown_to(client, question))
            params = {**shown, **place, **(review(question) if client.confirms else {})}
            return Way("agent/requestPermission", params, read)
        return self._others.way(question)


def shown_as(client: ClientCapabilities, question: Question) -> JsonObject:
    """Return a form to fill in, or an address to open for a client that does that."""
    if client.urls and question.subject.get("type") == "url":
        return {"mode": "url", "url": question.subject["url"], "schema": NO_FIELDS}
    return {"mode": "form", "schema": question.schema}


def shown_to(client: ClientCapabilities, question: Question) -> Question:
    """Return the question as this client can show it: its dialog may know no answer that holds for longer."""
    if not client.permission or client.remembers:
        return question
    return replace(question, options=tuple(option for option in question.options if option.scope == ONCE))


def read_answer(client: ClientCapabilities, question: Question, response: Any) -> Answer:
    """Return the answer of this client; one beyond its capabilities counts as none."""
    answer = from_wire.answer(shown_to(client, question), response, client.name)
    unsaid = (answer.input is not None and not client.edits_input) or (answer.content and not client.confirms)
    return from_wire.NOT_UNDERSTOOD if answer.outcome == "selected" and unsaid else answer


def review(question: Question) -> JsonObject:
    """Return the single changes of an edit, for a client whose user takes some and leaves others."""
    changes = question.subject.get("changes", ())
    hunks = [
        {
            "hunkId": hunk_id,
            "uri": changes[place]["uri"],
            "line": hunk.was,
            "old": "".join(hunk.old),
            "new": "".join(hunk.new),
        }
        for hunk_id, (place, hunk) in from_wire.shown_hunks(question).items()
    ]
    return wire_json.filled(hunks=hunks)
