"""`agls sessions`: the sessions there are, newest first."""

import sys
from collections.abc import Sequence
from datetime import datetime
from shutil import get_terminal_size

from agls.config import home_folder
from agls.doors.headless.streams import write, write_json, write_stderr
from agls.engine.ports import Store
from agls.engine.vocabulary import JsonObject, SessionRow
from agls.frozen import frozen
from agls.short_text import cut
from agls.views.escape import escape_controls
from agls.views.wire_json import file_uri, timestamp

HEADINGS = ("SESSION", "LAST USED", "STATE", "FOLDER", "TITLE")
TITLE_WIDTH = 50
FOLDER_WIDTH = 20  # columns of a folder on a narrow terminal: the end of its name
NARROWEST = 60  # columns; below that lines are broken by the terminal
LONG_AGO = 180  # days
MORE = "Not shown: {} older. All of them: --limit 0. To find one: agls sessions search WORD\n"
WIDEST = 48  # characters of a cell that others are aligned with


@frozen
class ListFilter:
    """The wanted sessions: with these words, of this folder ("": all), with this tag, also archived ones."""

    search: str = ""
    cwd: str = ""
    tag: str = ""
    archived: bool = False


def rows_of(store: Store, wanted: ListFilter) -> list[SessionRow]:
    """Return all sessions that fit, the latest first. **Raises** `JournalError`."""
    rows: list[SessionRow] = []
    cursor = ""
    while True:
        page, cursor = store.list(cwd=wanted.cwd, search=wanted.search, cursor=cursor)
        rows += [row for row in page if (wanted.archived or not row.archived)]
        if not cursor:
            break
    return [row for row in rows if wanted.tag in {"", *row.tags}]


def write_sessions(store: Store, wanted: ListFilter, most: int, *, as_json: bool) -> None:
    """Write the sessions to standard output, `most` of them (0: all). **Raises** `JournalError`."""
    found = rows_of(store, wanted)
    rows = found[:most] if most else found
    if as_json:
        write_json([_wire(row) for row in rows])
    elif rows:
        write(_fitted(rows) if sys.stdout.isatty() else table([HEADINGS, *(_cells(row) for row in rows)]))
        if len(found) > len(rows):
            write_stderr(MORE.format(len(found) - len(rows)))
    elif wanted != ListFilter():
        write_stderr("No session matches. To list all: agls sessions --archived\n")
    else:
        write_stderr('There are no sessions. Begin one: agls run "…"\n')


def table(rows: Sequence[Sequence[str]], *, numbers: int = 0) -> str:
    """Return rows of cells as aligned text, the last `numbers` columns to the right.

    A very long cell pushes its own row.
    """
    rows = [[escape_controls(cell) for cell in row] for row in rows]
    widths = [
        max(len(row[column]) for row in rows if len(row[column]) <= WIDEST) for column in range(len(rows[0]))
    ]
    sides = "<" * (len(widths) - numbers) + ">" * numbers
    form = "  ".join(f"{{:{side}{width}}}" for side, width in zip(sides, widths, strict=True))
    return "".join(form.format(*row).rstrip() + "\n" for row in rows)


def _fitted(rows: Sequence[SessionRow]) -> str:
    """Return the rows for a terminal: no line is wider than it, and the titles get the rest of the width."""
    width = max(get_terminal_size().columns, NARROWEST)
    cells = [(i, short_local(row.updated_at), s, f, t) for row in rows for i, _, s, f, t in [_cells(row)]]
    home = str(home_folder())
    folders = [
        f"~{f.removeprefix(home)}" if f == home or f.startswith(f"{home}/") else f for *_, f, _ in cells
    ]
    most = max(FOLDER_WIDTH, width - 100)
    shown = [f if len(f) <= most else f"…{f[1 - most :]}" for f in map(escape_controls, folders)]
    lines = table([HEADINGS, *((*row[:3], f, row[4]) for row, f in zip(cells, shown, strict=True))])
    return "".join(f"{cut(line, width)}\n" for line in lines.splitlines())


def _cells(row: SessionRow) -> tuple[str, ...]:
    title = " ".join([*row.title.split(), *(f"#{tag}" for tag in row.tags)])
    return row.session_id, local(row.updated_at), standing(row), row.cwd, cut(title, TITLE_WIDTH)


def standing(row: SessionRow) -> str:
    """Return the state of the session, in a word."""
    if row.state == "idle" and (row.interrupted or row.archived):
        return "interrupted" if row.interrupted else "archived"
    return row.state


def local(at: float) -> str:
    """Return Unix seconds as a date and a time of day here."""
    return datetime.fromtimestamp(at).astimezone().strftime("%Y-%m-%d %H:%M")


def short_local(at: float) -> str:
    """Return the time in short: without the year in the last months."""
    then, now = datetime.fromtimestamp(at).astimezone(), datetime.now().astimezone()
    return then.strftime("%Y-%m-%d" if (now - then).days > LONG_AGO else "%m-%d %H:%M")


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
