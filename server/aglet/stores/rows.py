"""What a list of sessions shows, searches and pages through; the same for every store."""

import base64
import json
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import replace

from aglet.engine.facts import (
    Admitted,
    Answered,
    Asked,
    Cut,
    Entry,
    Replied,
    RunEnded,
    RunStarted,
    SessionChanged,
    Steered,
)
from aglet.engine.ports import JournalError
from aglet.engine.vocabulary import SessionRow, Text

TITLE_LENGTH = 80  # characters of a first message that stands in for a title
_SESSION_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,99}")


def is_session_id(name: str) -> bool:
    """Whether this may name a session: letters, digits, `_` and `-`, at most 100."""
    return _SESSION_ID.fullmatch(name) is not None


def checked(session_id: str) -> str:
    """The same id. Raises `JournalError` when it cannot be one."""
    if not is_session_id(session_id):
        raise JournalError(f"{session_id[:100]!r} is not a session id: letters, digits, '_' and '-' only.")
    return session_id


def summarise(session_id: str, entries: Sequence[Entry]) -> tuple[SessionRow, str]:
    """What these entries (at least one) come to in a list, and the `searchable` text of it all."""
    about, said = SessionChanged(), list[str]()
    questions: set[str] = set()
    run_id = first_line = ""
    for entry in entries:
        match entry.fact:
            case SessionChanged() as new:
                about = SessionChanged(
                    new.cwd or about.cwd, new.title or about.title, new.parent or about.parent
                )
            case Admitted(content=content) | Steered(content=content, origin="user"):
                words = "\n".join(part.text for part in content if isinstance(part, Text))
                first_line = first_line or _first_line(words)
                said.append(words)
            case Replied(text=text) | Cut(text=text):
                said.append(text)
            case RunStarted(started):
                run_id = started
            case RunEnded(ended) if ended == run_id:
                run_id = ""
                questions.clear()
            case Asked(request_id):
                questions.add(request_id)
            case Answered(request_id):
                questions.discard(request_id)
            case _:
                pass
    state = "idle" if not run_id else "waiting" if questions else "running"
    title = about.title or first_line
    first, last = entries[0].at, entries[-1].at
    row = SessionRow(session_id, title, about.cwd, first, last, state, about.parent)
    return row, searchable("\n".join([title, *said]))


def at_rest(row: SessionRow) -> SessionRow:
    """The row when no process writes the session: whatever its entries say, nothing runs."""
    return replace(row, state="idle")


def _first_line(text: str) -> str:
    line = text.strip().partition("\n")[0].rstrip()
    return line if len(line) <= TITLE_LENGTH else line[: TITLE_LENGTH - 1].rstrip() + "…"


def searchable(text: str) -> str:
    """The text without the differences a search ignores: case, width, control and broken characters."""
    plain = unicodedata.normalize("NFKC", text).casefold()
    return plain.encode("utf-8", "replace").decode().replace("\0", " ")


def terms(search: str) -> list[str]:
    """The pieces that must all occur, anywhere in the text; of a very long search only the beginning."""
    return searchable(search[:1000]).split()[:20]


def cursor_after(row: SessionRow) -> str:
    """The cursor of the page that goes on behind this row."""
    place = json.dumps([row.updated_at, row.session_id])
    return base64.urlsafe_b64encode(place.encode()).decode()


def place_of(cursor: str) -> tuple[float, str]:
    """The last row that was seen, as (updated, session id). Raises `JournalError`."""
    try:
        updated, session_id = json.loads(base64.urlsafe_b64decode(cursor))
        return float(updated), str(session_id)
    except (ValueError, TypeError) as error:
        raise JournalError("This list cursor is not valid: list again from the start.") from error
