"""Keeping and reverting what the agent changed, one change at a time (protocol#plain-mode)."""

import asyncio
from contextlib import suppress

from agls.diff import find, guess, is_made, lines_of, stood
from agls.doors import from_wire
from agls.doors.errors import bad
from agls.doors.lsp.call import Call
from agls.doors.lsp.door import Attached, Door
from agls.doors.lsp.review import Pending, in_the_editor, kept, reverted
from agls.doors.messages import Bad, JsonObject
from agls.engine.invoking import NOBODY
from agls.engine.ports import JournalError, WorkspaceError
from agls.views.escape import escape_controls

LABEL = "agls: revert this change"
MOVED_ON = (
    "This change is not there any more as agls wrote it, or could be in several places. Nothing was reverted"
)
WARNING = 2  # LSP MessageType


async def changes(door: Door, given: JsonObject, call: Call) -> JsonObject:
    """The changes nobody has judged, of one session or of all that are attached, and where they are now.

    `stands` says whether an open document still has the change as it was made; absent for other files.
    """
    named = from_wire.named(given, "sessionId")
    told: list[JsonObject] = []
    for session_id, attached in list(door.attached.items()):
        if named in {"", session_id}:
            await refresh(attached)
            told += [{"sessionId": session_id, **_told(door, pending)} for pending in attached.review.all()]
    return {"changes": told}


def _told(door: Door, pending: Pending) -> JsonObject:
    hunk, line = pending.hunk, pending.line
    told: JsonObject = {"hunk": pending.hunk_id, "uri": pending.uri}
    if buffer := door.buffer(pending.uri):
        lines = lines_of(buffer.text)
        found = find(hunk, lines, line)
        line = guess(hunk, lines, line) if found is None else found
        told["stands"] = found is not None
    return {**told, "line": line, "old": "".join(hunk.old), "new": "".join(hunk.new)}


async def keep(door: Door, given: JsonObject, call: Call) -> JsonObject:
    """The user is content with a change: it is not offered any more."""
    attached, pending = await _pending(door, given)
    attached.session.log.record(kept(pending.hunk_id))
    return {"hunk": pending.hunk_id, "outcome": "kept"}


async def revert(door: Door, given: JsonObject, call: Call) -> JsonObject:
    """Have the editor put back what stood there, behind the answer. Raises `Bad` and `WorkspaceError`."""
    attached, pending = await _pending(door, given)
    if door.buffer(pending.uri) is None:
        raise _impossible("The file is not open in the editor. Open it, then try again")
    if not door.client.document_changes:
        raise _impossible("This editor cannot apply versioned edits. Undo it there")
    workspace = attached.session.outfit(NOBODY).workspace
    workspace.allow(pending.uri)  # whoever takes a change back says yes to that
    file = await workspace.read(pending.uri)
    hunk, lines = pending.hunk, lines_of(file.text)
    place = find(hunk, lines, pending.line)
    if place is None:
        raise _impossible(MOVED_ON)
    text = "".join((*lines[:place], *hunk.old, *lines[place + len(hunk.new) :]))

    async def put_back() -> None:
        try:
            change = await workspace.write(pending.uri, text, expected=file.version, label=LABEL)
        except WorkspaceError as problem:
            said = escape_controls(f"agls: the change was not reverted: {problem}")
            door.peer.notify("window/showMessage", {"type": WARNING, "message": said})
        else:
            attached.session.log.record(reverted(pending.hunk_id, change, stood(hunk, lines, place)))
            await refresh(attached)

    call.behind = put_back
    return {"hunk": pending.hunk_id, "outcome": "reverting"}


async def refresh(attached: Attached) -> None:
    """Take in what happened in the session since its changes were looked at."""
    review, journal = attached.review, attached.session.log.journal
    review.take(await asyncio.to_thread(journal.entries, review.seq))


class UndoneReverts:
    """Follows the editor's own undo: a change that stands again after it was reverted waits again."""

    def __init__(self, door: Door) -> None:
        self._door = door
        self._edited = dict[str, None]()
        self._woken = asyncio.Event()

    def edited(self, uri: str) -> None:
        """The user edited this document."""
        if any(attached.review.undone(uri) for attached in self._door.attached.values()):
            self._edited[uri] = None
            self._woken.set()

    async def follow(self) -> None:
        """Record what was undone or done again, until cancelled. What a later edit passed by is left out."""
        while True:
            await self._woken.wait()
            self._woken.clear()
            while self._edited:
                uri = next(iter(self._edited))
                del self._edited[uri]
                for session_id, attached in list(self._door.attached.items()):
                    with suppress(JournalError):  # whoever asks what waits hears why that cannot be read
                        await refresh(attached)
                        if self._door.attached.get(session_id) is attached:
                            self._look(attached, uri)
                            await refresh(attached)

    def _look(self, attached: Attached, uri: str) -> None:
        buffer = self._door.buffer(uri)
        lines = lines_of(buffer.text) if buffer else []
        for change in attached.review.undone(uri) if buffer else ():
            made = is_made(change.undone or change.hunk, lines)
            if made is not None and made is not change.waits:
                verdict = "restored" if made else "reverted"
                attached.session.log.record(in_the_editor(change.hunk_id, verdict))


async def _pending(door: Door, given: JsonObject) -> tuple[Attached, Pending]:
    hunk_id = given.get("hunk")
    if not isinstance(hunk_id, str):
        raise from_wire.Malformed("hunk must be the id of a change, as the code actions carry it")
    for attached in list(door.attached.values()):
        await refresh(attached)
        if pending := attached.review.find(hunk_id):
            return attached, pending
    raise _impossible("This change is kept or reverted already, or not from a session that is open here")


def _impossible(why: str) -> Bad:
    return bad("failed", f"{why}.")
