"""The rows of a list of sessions: their contents, search and pages; the same for every store."""

import base64
import json
import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from typing import cast

from agls.engine.facts import (
    Admitted,
    Answered,
    Asked,
    Cut,
    Entry,
    Noted,
    QueueChanged,
    Replied,
    Rewound,
    RunEnded,
    RunStarted,
    SessionChanged,
    Steered,
)
from agls.engine.ports import JournalError, NoSuchSession
from agls.engine.state import State, fold_without_history
from agls.engine.vocabulary import JsonObject, SessionRow, StopReason, Text
from agls.regex import regex
from agls.short_text import cut

TAGS, ARCHIVED = "tags", "archived"  # notes of the room `history` that a list shows
STANDING = (SessionChanged, Admitted, QueueChanged, RunStarted, RunEnded, Asked, Answered)
TITLE_LENGTH = 80  # characters of a first message that stands in for a title
_SESSION_ID = regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def is_session_id(name: str) -> bool:
    """Return whether this may name a session: letters, digits, `_` and `-`, at most 100."""
    return _SESSION_ID.fullmatch(name) is not None


def checked(session_id: str) -> str:
    """Return the same id. **Raises** `NoSuchSession` when it cannot be one."""
    if not is_session_id(session_id):
        raise NoSuchSession(f"{session_id[:100]!r} is not a session id: letters, digits, '_' and '-' only.")
    return session_id


def summarise(session_id: str, entries: Sequence[Entry]) -> tuple[SessionRow, str]:
    """Return the row of these entries (at least one), and the `searchable` text of it all."""
    state, first_line = State(), ""
    said, notes = list[str](), dict[str, JsonObject]()
    for entry in entries:
        if isinstance(entry.fact, STANDING):
            state = fold_without_history(state, entry)
        match entry.fact:
            case SessionChanged(parent=parent, parent_item="") if parent:
                state = state._replace(stop=None)  # a fork begins: what broke off was the other's
            case Rewound(keep=keep, undoes=undoes) if undoes or keep is not None:
                state = state._replace(stop=None)  # what broke off was taken back
            case Admitted(content=content) | Steered(content=content, origin="user"):
                words = "\n".join(part.text for part in content if isinstance(part, Text))
                first_line = first_line or _first_line(words)
                said.append(words)
            case Replied(text=text) | Cut(text=text):
                said.append(text)
            case Noted(feature="history", kind=kind, data=data):
                notes[kind] = data
            case _:
                pass
    broken_off = state.stop is not None and state.stop.reason is StopReason.INTERRUPTED
    title, tags = state.title or first_line, tags_in(notes.get(TAGS, {}))
    row = SessionRow(
        session_id,
        title,
        state.cwd,
        entries[0].at,
        entries[-1].at,
        state.status,
        state.parent,
        tags,
        archived=notes.get(ARCHIVED, {}).get("archived") is True,
        interrupted=not state.running and (broken_off or bool(state.queue)),
        parent_item=state.parent_item,
    )
    return row, searchable("\n".join([title, *tags, *said]))


def tags_in(data: JsonObject) -> tuple[str, ...]:
    """Return the tags in a note of the room `history`."""
    tags: object = data.get("tags")
    return tuple(map(str, cast("list[object]", tags))) if isinstance(tags, list) else ()


def row_of(data: JsonObject) -> SessionRow:
    """Return a row that was kept as JSON. **Raises** `TypeError` when it is none."""
    made: JsonObject = {**data, "tags": tuple(data["tags"])}
    return SessionRow(**made)


def at_rest(row: SessionRow) -> SessionRow:
    """Return the row for a session that no process writes: whatever its entries say, nothing runs."""
    return replace(row, state="idle", interrupted=row.interrupted or row.state != "idle")


def _first_line(text: str) -> str:
    return cut(text.strip().partition("\n")[0].rstrip(), TITLE_LENGTH)


def searchable(text: str) -> str:
    """Return the text without what a search ignores: case, width, control and broken characters."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return plain.encode("utf-8", "replace").decode().replace("\0", " ")


def terms(search: str) -> list[str]:
    """Return the words that must all occur, anywhere in the text; of a long search only the first."""
    return searchable(search[:1000]).split()[:20]


def cursor_after(row: SessionRow) -> str:
    """Return the cursor of the page that goes on behind this row."""
    place = json.dumps([row.updated_at, row.session_id])
    return base64.urlsafe_b64encode(place.encode()).decode()


def place_of(cursor: str) -> tuple[float, str]:
    """Return the last row that was seen, as (updated, session id). **Raises** `JournalError`."""
    try:
        updated, session_id = json.loads(base64.urlsafe_b64decode(cursor))
        return float(updated), str(session_id)
    except (ValueError, TypeError) as error:
        raise JournalError("This list cursor is not valid: list again from the start.") from error
