"""`agls usage`: what was spent on each day, and by whom."""

import argparse
import asyncio
import json
from collections.abc import Iterator, Sequence

from agls.config.environment import process_environment
from agls.config.folders import state_folder
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.streams import write
from agls.engine.ledger import Row
from agls.engine.limits import NOTHING
from agls.engine.vocabulary import JsonObject
from agls.features.usage.summary import summary
from agls.stores.files import FileStore
from agls.stores.ledger import DayLedger, name_of
from agls.views.escape import escape_controls

TITLES = ("day", "caller", "runs", "calls", "tools", "tokens in", "out", "cost", "seconds")


def usage(given: argparse.Namespace) -> int:
    """Write it to standard output, the newest day first; days begin at midnight UTC."""
    folder = state_folder(process_environment()).resolve()
    ledger = DayLedger(folder, FileStore(folder).follow)
    try:
        lines = asyncio.run(_lines(ledger, given.days))
    except OSError as error:
        raise CannotBegin(
            f"What was spent is not readable in {folder}: {error.strerror}.", "failed"
        ) from error
    write(f"{json.dumps(lines, indent=2)}\n" if given.json else escape_controls(_table(lines)))
    return Exit.DONE


async def _lines(ledger: DayLedger, days: int) -> Sequence[JsonObject]:
    """One for each caller of each day."""
    lines: list[JsonObject] = []
    for day in ledger.days()[:days]:
        rows = await ledger.rows(day)
        for caller in sorted({row.caller for row in rows}):
            lines.append(_line(day, caller, [row for row in rows if row.caller == caller]))
    return lines


def _line(day: int, caller: str, rows: Sequence[Row]) -> JsonObject:
    total = NOTHING
    for row in rows:
        total = total.plus(row.used)
    return {"day": name_of(day), "caller": caller, "runs": sum(row.runs for row in rows), **summary(total)}


def _table(lines: Sequence[JsonObject]) -> str:
    if not lines:
        return "Nothing was spent yet.\n"
    cells = [TITLES, *(tuple(_cells(line)) for line in lines)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(TITLES))]
    return "".join(
        "  ".join(
            cell.ljust(width) if column < 2 else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        + "\n"
        for row in cells
    )


def _cells(line: JsonObject) -> Iterator[str]:
    cost = "unknown" if line["costUsd"] is None else f"${line['costUsd']:.4f}"
    yield from (line["day"], line["caller"] or "-", str(line["runs"]))
    yield from (f"{line[name]:,}" for name in ("modelCalls", "toolCalls", "inputTokens", "outputTokens"))
    yield from (cost, f"{line['seconds']:.0f}")
