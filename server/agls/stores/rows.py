"""The rows of a list of sessions: their contents, search and pages; the same for every store."""

import base64
import json
import re
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
    Fact,
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
from agls.engine.vocabulary import JsonObject, SessionRow, Stop, StopReason, Text

TAGS, ARCHIVED = "tags", "archived"  # notes of the room `history` that a list shows
TITLE_LENGTH = 80  # characters of a first message that stands in for a title
_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


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
    about = SessionChanged()
    said = list[str]()
    work = _Work()
    first_line, notes = "", dict[str, JsonObject]()
    for entry in entries:
        match entry.fact:
            case SessionChanged() as new:
                about = SessionChanged(
                    new.cwd or about.cwd,
                    new.title or about.title,
                    new.parent or about.parent,
                    parent_item=new.parent_item if new.parent else about.parent_item,
                )
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
        work.take(entry.fact)
    title, tags = about.title or first_line, tags_in(notes.get(TAGS, {}))
    first, last = entries[0].at, entries[-1].at
    archived, interrupted = notes.get(ARCHIVED, {}).get("archived") is True, work.interrupted
    row = SessionRow(
        session_id,
        title,
        about.cwd,
        first,
        last,
        work.state,
        about.parent,
        tags,
        archived,
        interrupted,
        about.parent_item,
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


class _Work:
    """The runs that wait or work."""

    def __init__(self) -> None:
        self._run_id, self._cut_off = "", False
        self._waiting: set[str] = set()
        self._questions: set[str] = set()

    def take(self, fact: Fact) -> None:
        """Take in the next entry."""
        match fact:
            case Admitted(run_id):
                self._waiting.add(run_id)
            case QueueChanged(run_ids):
                self._waiting.intersection_update(run_ids)
            case RunStarted(run_id):
                self._run_id, self._cut_off = run_id, False
                self._waiting.discard(run_id)
            case RunEnded(run_id, stop):
                self._ended(run_id, stop)
            case Asked(request_id):
                self._questions.add(request_id)
            case Answered(request_id):
                self._questions.discard(request_id)
            case SessionChanged(parent=parent, parent_item="") if parent:
                self._run_id, self._cut_off = "", False  # a fork begins: that was the other's
            case Rewound(keep=keep, undoes=undoes) if undoes or keep is not None:
                self._cut_off = False  # it was taken back
            case _:
                pass

    def _ended(self, run_id: str, stop: Stop) -> None:
        self._waiting.discard(run_id)
        if run_id == self._run_id:
            self._run_id, self._cut_off = "", stop.reason is StopReason.INTERRUPTED
            self._questions.clear()

    @property
    def state(self) -> str:
        return "idle" if not self._run_id else "waiting" if self._questions else "running"

    @property
    def interrupted(self) -> bool:
        return not self._run_id and (self._cut_off or bool(self._waiting))


def at_rest(row: SessionRow) -> SessionRow:
    """Return the row for a session that no process writes: whatever its entries say, nothing runs."""
    return replace(row, state="idle", interrupted=row.interrupted or row.state != "idle")


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0].rstrip()
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


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
