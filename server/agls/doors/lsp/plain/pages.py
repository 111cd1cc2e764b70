"""A session's transcript in the editor: a file, and a virtual document where the client has those."""

import asyncio
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from agls.doors import from_wire
from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.errors import cannot_open
from agls.doors.lsp.connection import LspConnection
from agls.doors.lsp.plain.transcript import TranscriptPage, session_of, virtual_uri, write_page
from agls.doors.messages import JsonObject
from agls.engine.facts import Entry
from agls.engine.ports import JournalError
from agls.engine.session import Session
from agls.json_values import object_in
from agls.order import NOTES
from agls.stores.files import TRANSCRIPT
from agls.views.render.markdown import heading, markdown
from agls.views.replay import Replay
from agls.views.session_history import SessionHistory
from agls.views.values import session_info
from agls.views.wire_json import file_uri


async def open_transcript(connection: LspConnection, attached: Attached) -> JsonObject:
    """Write the transcript, keep it up to date from here on, and show it where the client can.

    A client that has virtual documents shows the virtual one: nobody edits it, and the client hears when it
    changes. **Raises** `JournalError`.
    """
    session = attached.session
    file = connection.world.setup.state_folder / "sessions" / f"{session.session_id}{TRANSCRIPT}"
    transcript = connection.presenter(session.session_id).transcript
    async with transcript.opening:
        if not transcript.kept:
            await _write(connection, attached, transcript, file)
    uri = file_uri(str(file))
    virtual = {"virtualUri": virtual_uri(session.session_id)} if connection.client.virtual_documents else {}
    if connection.client.show_document:
        shown = {"uri": virtual.get("virtualUri", uri), "takeFocus": True}
        connection.peer.request_and_forget("window/showDocument", shown)
    answer = {"sessionId": session.session_id, "path": str(file), "uri": uri, **virtual}
    return {**answer, "shown": connection.client.show_document}


async def virtual_transcript(connection: LspConnection, params: Any, call: Call) -> JsonObject:
    """`workspace/textDocumentContent`: the transcript as it is now. **Raises** `Malformed` and `Bad`."""
    call.interruptible = True
    uri = object_in(params).get("uri")
    session_id = session_of(uri) if isinstance(uri, str) else ""
    if not session_id:
        raise from_wire.Malformed(f"params.uri is like {virtual_uri('SESSION')}; agls.transcript gives it")
    if attached := connection.attached.get(session_id):
        connection.presenter(session_id).page.was_read()
        history = await connection.history(attached.session)
        return {"text": await asyncio.to_thread(_page_of, attached.session, history, history.seq)}
    try:
        entries = await connection.world.sessions.peek(session_id)
    except JournalError as problem:
        raise cannot_open(session_id, problem) from None
    return {"text": await asyncio.to_thread(_page_of_entries, session_id, entries)}


def _page_of(session: Session, history: SessionHistory, seq: int) -> str:
    events = chain.from_iterable(history.facts(0, seq + 1))
    return heading(session.session_id, {**session_info(session.state)}) + markdown(events)


def _page_of_entries(session_id: str, entries: Sequence[Entry]) -> str:
    replay = Replay(NOTES, session_id, entries)
    return heading(session_id, replay.transcript.info) + markdown(replay.events)


async def _write(
    connection: LspConnection, attached: Attached, transcript: TranscriptPage, file: Path
) -> None:
    session = attached.session
    history = await connection.history(session)
    written = history.seq

    def write() -> None:
        write_page(file, _page_of(session, history, written))

    try:
        await asyncio.to_thread(write)
    except OSError as problem:
        raise JournalError(f"The transcript cannot be written to {file}: {problem.strerror}.") from problem
    attached.publisher.make_all()  # what waits would be appended once more
    history.catch_up()  # from here to the end of this step nothing else happens
    transcript.follow(file, [*chain.from_iterable(history.facts(written, history.seq + 1))])
