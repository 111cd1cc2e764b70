"""Requests with a `clientKey` are followed once, whoever asks again, and when (protocol#client-keys)."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from hashlib import sha256
from typing import Any

from agls.doors.errors import bad
from agls.doors.messages import JsonObject
from agls.engine.admission import REQUESTS, ClientRequest, KeyConflict
from agls.engine.facts import Admitted, Noted
from agls.engine.session import Session
from agls.engine.state import Note
from agls_protocol.converter import make_converter

LARGEST_ANSWER = 65_536  # characters of JSON that are kept with the session
BEGUN = "begun"
DONE = "done"
FAILED = "failed"
PROMPT = "prompt"  # how a prompt or a message was asked for, where that was not as usual
UNKNOWN = (
    "A request with this clientKey was begun, and its process ended before it was done. What it did is not "
    "known: look, and ask again with a new clientKey if it is still wanted."
)
TOO_LARGE = "A request with this clientKey was done; its answer was too large to be kept."


class Idempotency:
    """Follows requests of sessions once. What was begun and done is noted in the session itself."""

    def __init__(self) -> None:
        self._converter = make_converter()
        self._doing: dict[tuple[str, str], tuple[str, asyncio.Future[JsonObject]]] = {}

    async def follow(
        self, session: Session, request: ClientRequest, work: Callable[[], Awaitable[object]]
    ) -> JsonObject:
        """Do the work, or give what it gave for the same request; what failed may be tried again.

        **Raises** `Refused` (`keyConflict`), `Bad` (its outcome is not known) and what the work raises.
        """
        if not request.key:
            return self._converter.unstructure(await work())
        place = (session.session_id, request.key)
        if place in self._doing:
            asked, answer = self._doing[place]
            if asked != request.asked:
                raise KeyConflict
            return await asyncio.shield(answer)
        if (known := answered(session, request)) is not None:
            return known
        future: asyncio.Future[JsonObject] = asyncio.get_running_loop().create_future()
        self._doing[place] = (request.asked, future)
        try:
            result = await self._noted(session, request, work)
            future.set_result(result)
            return result
        finally:
            future.cancel()  # nothing happens when there is a result; else who waits for it tries again
            del self._doing[place]

    async def _noted(
        self, session: Session, request: ClientRequest, work: Callable[[], Awaitable[object]]
    ) -> JsonObject:
        note(session, request, BEGUN)
        await session.log.sync()
        try:
            result: JsonObject = self._converter.unstructure(await work())
        except Exception:
            note(session, request, FAILED)
            raise
        kept = {"answer": result} if len(json.dumps(result)) <= LARGEST_ANSWER else {}
        note(session, request, DONE, **kept)
        await session.log.sync()
        return result


def check_prompt(session: Session, key: str, method: str, *ways: str) -> None:
    """Refuse a key that another request has; note how this prompt is asked for, right before it is.

    `ways` are the params that its fact does not have, "" where they are as usual: then there is no note.
    **Raises** `Refused` (`keyConflict`).
    """
    if not key:
        return
    asked = " ".join((method, *ways)).rstrip()
    known = [note.data["asked"] for note in _notes(session) if note.data.get("key") == key]
    if not known and key in session.state.keys:
        fact, _ = session.state.keys[key]
        known = ["agent/run" if isinstance(fact, Admitted) else "agent/steer"]
    if known and known[0] != asked:
        raise KeyConflict
    if asked != method and not known:
        note(session, ClientRequest(key, asked), PROMPT)


def check_no_prompt(session: Session, request: ClientRequest) -> None:
    """Refuse the key of a prompt for anything else. **Raises** `Refused` (`keyConflict`)."""
    if request.key in session.state.keys:
        raise KeyConflict


def note(session: Session, request: ClientRequest, kind: str, **data: Any) -> None:
    """Write down how it stands with a request."""
    session.log.record(Noted(REQUESTS, kind, {"key": request.key, "asked": request.asked, **data}))


def answered(session: Session, request: ClientRequest) -> JsonObject | None:
    """Return the answer to this request, by whatever process; `None` when it was not done.

    **Raises** `Refused` (`keyConflict`) and `Bad`.
    """
    check_no_prompt(session, request)
    last = next((known for known in reversed(_notes(session)) if known.data.get("key") == request.key), None)
    if last is None:
        return None
    if last.data["asked"] != request.asked:
        raise KeyConflict
    if last.kind == FAILED:
        return None
    if "answer" not in last.data:
        raise bad("failed", TOO_LARGE if last.kind == DONE else UNKNOWN)
    return last.data["answer"]


def _notes(session: Session) -> Sequence[Note]:
    return session.state.notes.get(REQUESTS, ())


def _members(record: object) -> JsonObject:
    return {name: value for name, value in vars(record).items() if value and name != "client_key"}


def request_of(method: str, params: Any) -> ClientRequest:
    """Return what is asked for with these params: absent members and the key itself make no difference."""
    asked = json.dumps([method, params], sort_keys=True, default=_members)
    return ClientRequest(params.client_key, sha256(asked.encode()).hexdigest())
