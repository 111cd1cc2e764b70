"""Opens a session's transcript in the editor, or says where it is (protocol 3.2)."""

import asyncio
from contextlib import suppress
from pathlib import Path

from aglet.doors.lsp.door import Attached, Door
from aglet.doors.lsp.messages import JsonObject
from aglet.doors.lsp.peer import PeerError
from aglet.doors.lsp.transcript import write_page
from aglet.doors.markdown import heading, markdown
from aglet.doors.replay import Replay
from aglet.doors.shapes import file_uri
from aglet.engine.ports import JournalError
from aglet.stores.files import TRANSCRIPT


async def open_transcript(door: Door, attached: Attached) -> JsonObject:
    """Write it, keep it up to date from here on, and show it where the client can. Raises `JournalError`."""
    session = attached.session
    file = door.world.setup.state_folder / "sessions" / f"{session.session_id}{TRANSCRIPT}"
    async with attached.transcript.opening:
        if not attached.transcript.kept:
            await _write(attached, file)
    uri = file_uri(str(file))
    if door.client.show_document:
        shown = door.peer.request("window/showDocument", {"uri": uri, "takeFocus": True})
        shown.future.add_done_callback(_look_away)
    return {
        "sessionId": session.session_id,
        "path": str(file),
        "uri": uri,
        "shown": door.client.show_document,
    }


async def _write(attached: Attached, file: Path) -> None:
    journal = attached.session.log.journal
    replay = Replay(attached.session.session_id, journal.epoch)

    def write() -> int:
        replay.take(journal.entries())
        page = heading(file.stem, replay.transcript.info) + markdown(replay.events)
        write_page(file, page)
        return len(replay.events)

    try:
        written = await asyncio.to_thread(write)
    except OSError as problem:
        raise JournalError(f"The transcript cannot be written to {file}: {problem.strerror}.") from problem
    replay.take(journal.entries(replay.seq))  # from here to the end of this step nothing else happens
    attached.transcript.follow(file, replay.events[written:])


def _look_away(future: asyncio.Future[object]) -> None:
    """The client may refuse: the path was returned as well."""
    with suppress(PeerError, asyncio.CancelledError):
        future.result()
