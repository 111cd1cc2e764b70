"""`agls sessions`: the sessions there are, newest first."""

import json
from collections.abc import Sequence
from datetime import datetime

from agls.doors.harmless import harmless
from agls.doors.headless.streams import tell, write
from agls.doors.shapes import file_uri, timestamp
from agls.engine.ports import Store
from agls.engine.vocabulary import JsonObject, SessionRow
from agls.frozen import frozen

HEADINGS = ("SESSION", "LAST USED", "STATE", "FOLDER", "TITLE")
TITLE_WIDTH = 50
WIDEST = 48  # characters of a cell that others are aligned with


@frozen
class Wanted:
    """Which sessions: with these words, of this folder ("" for all), with this tag, also those put away."""

    search: str = ""
    cwd: str = ""
    tag: str = ""
    archived: bool = False


def rows_of(store: Store, wanted: Wanted) -> list[SessionRow]:
    """All that are like that, the latest first. Raises `JournalError`."""
    rows: list[SessionRow] = []
    cursor = ""
    while True:
        page, cursor = store.list(cwd=wanted.cwd, search=wanted.search, cursor=cursor)
        rows += [row for row in page if (wanted.archived or not row.archived)]
        if not cursor:
            break
    return [row for row in rows if wanted.tag in {"", *row.tags}]


def write_sessions(store: Store, wanted: Wanted, *, as_json: bool) -> None:
    """Write the sessions to standard output. Raises `JournalError`."""
    rows = rows_of(store, wanted)
    if as_json:
        write(json.dumps([_wire(row) for row in rows], indent=2) + "\n")
    elif rows:
        write(table([HEADINGS, *(_cells(row) for row in rows)]))
    elif wanted != Wanted():
        tell("No session is like that. All of them: agls sessions --archived\n")
    else:
        tell('There are no sessions. Begin one: agls run "…"\n')


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as aligned text; an uncommonly long cell pushes only its own row."""
    rows = [[harmless(cell) for cell in row] for row in rows]
    widths = [
        max(len(row[column]) for row in rows if len(row[column]) <= WIDEST) for column in range(len(rows[0]))
    ]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "".join(line.rstrip() + "\n" for line in lines)


def _cells(row: SessionRow) -> tuple[str, ...]:
    title = " ".join([*row.title.split(), *(f"#{tag}" for tag in row.tags)])
    title = title if len(title) <= TITLE_WIDTH else title[: TITLE_WIDTH - 1] + "…"
    return row.session_id, local(row.updated_at), standing(row), row.cwd, title


def standing(row: SessionRow) -> str:
    """How the session stands, in a word."""
    if row.state == "idle" and (row.interrupted or row.archived):
        return "interrupted" if row.interrupted else "archived"
    return row.state


def local(at: float) -> str:
    """Unix seconds as a date and a time of day here."""
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")


def _wire(row: SessionRow) -> JsonObject:
    said: JsonObject = {
        "sessionId": row.session_id,
        "title": row.title,
        "cwd": file_uri(row.cwd),
        "createdAt": timestamp(row.created_at),
        "updatedAt": timestamp(row.updated_at),
        "state": row.state,
    }
    marks = {"parentSessionId": row.parent, "tags": list(row.tags)}
    marks |= {"archived": row.archived, "interrupted": row.interrupted}
    return said | {name: value for name, value in marks.items() if value}
