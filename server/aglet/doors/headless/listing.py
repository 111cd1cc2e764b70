"""`aglet sessions`: the sessions there are, newest first."""

import json
from collections.abc import Sequence
from datetime import datetime

from aglet.doors.harmless import harmless
from aglet.doors.headless.streams import tell, write
from aglet.doors.shapes import file_uri, timestamp
from aglet.engine.ports import Store
from aglet.engine.vocabulary import SessionRow

HEADINGS = ("SESSION", "LAST USED", "STATE", "FOLDER", "TITLE")
TITLE_WIDTH = 50
WIDEST = 48  # characters of a cell that others are aligned with


def write_sessions(store: Store, *, search: str, cwd: str, as_json: bool) -> None:
    """Write the sessions (of one folder, or with these words in them) to standard output.

    Raises `JournalError`.
    """
    rows: list[SessionRow] = []
    cursor = ""
    while True:
        page, cursor = store.list(cwd=cwd, search=search, cursor=cursor)
        rows += page
        if not cursor:
            break
    if as_json:
        write(json.dumps([_wire(row) for row in rows], indent=2) + "\n")
    elif rows:
        write(table([HEADINGS, *(_cells(row) for row in rows)]))
    elif search or cwd:
        tell("No session is like that. All of them: aglet sessions\n")
    else:
        tell('There are no sessions. Begin one: aglet run "…"\n')


def table(rows: Sequence[Sequence[str]]) -> str:
    """Rows of cells as aligned text; an uncommonly long cell pushes only its own row."""
    rows = [[harmless(cell) for cell in row] for row in rows]
    widths = [
        max(len(row[column]) for row in rows if len(row[column]) <= WIDEST) for column in range(len(rows[0]))
    ]
    lines = ("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) for row in rows)
    return "".join(line.rstrip() + "\n" for line in lines)


def _cells(row: SessionRow) -> tuple[str, ...]:
    title = " ".join(row.title.split())
    title = title if len(title) <= TITLE_WIDTH else title[: TITLE_WIDTH - 1] + "…"
    return row.session_id, _local(row.updated_at), row.state, row.cwd, title


def _local(at: float) -> str:
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")


def _wire(row: SessionRow) -> dict[str, str]:
    said = {
        "sessionId": row.session_id,
        "title": row.title,
        "cwd": file_uri(row.cwd),
        "createdAt": timestamp(row.created_at),
        "updatedAt": timestamp(row.updated_at),
        "state": row.state,
    }
    return {**said, "parentSessionId": row.parent} if row.parent else said
