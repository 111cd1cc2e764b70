"""`agls usage`: the spending of each day, by caller."""

import argparse
import asyncio
from collections.abc import Sequence

from agls.config.environment import process_environment
from agls.config.folders import state_folder
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.listing import table
from agls.doors.headless.streams import write, write_json
from agls.engine.ledger import Row, used_in
from agls.engine.vocabulary import JsonObject
from agls.stores.files import FileStore
from agls.stores.ledger import DayLedger, name_of
from agls.toolkit import used_json

TITLES = ("day", "caller", "runs", "calls", "tools", "tokens in", "out", "cost", "seconds")


def usage(given: argparse.Namespace) -> int:
    """Write it to standard output, the newest day first; days begin at midnight UTC."""
    if given.days < 1:
        raise CannotBegin(f"--days {given.days} shows nothing: name 1 day or more.", "usage")
    folder = state_folder(process_environment()).resolve()
    ledger = DayLedger(folder, FileStore(folder).follow)
    try:
        lines = asyncio.run(_lines(ledger, given.days))
    except OSError as error:
        raise CannotBegin(f"Past spending cannot be read in {folder}: {error.strerror}.", "failed") from error
    if given.json:
        write_json(lines)
    else:
        write(table([TITLES, *map(_cells, lines)], numbers=7) if lines else "Nothing was spent yet.\n")
    return Exit.DONE


async def _lines(ledger: DayLedger, days: int) -> Sequence[JsonObject]:
    """Return one line for each caller of each day."""
    lines: list[JsonObject] = []
    for day in ledger.days()[:days]:
        rows = await ledger.rows(day)
        for caller in sorted({row.caller for row in rows}):
            lines.append(_line(day, caller, [row for row in rows if row.caller == caller]))
    return lines


def _line(day: int, caller: str, rows: Sequence[Row]) -> JsonObject:
    runs, used = sum(row.runs for row in rows), used_in(rows)
    return {"day": name_of(day), "caller": caller, "runs": runs, **used_json(used)}


def _cells(line: JsonObject) -> Sequence[str]:
    cost = "unknown" if line["costUsd"] is None else f"${line['costUsd']:.4f}"
    counts = (f"{line[name]:,}" for name in ("modelCalls", "toolCalls", "inputTokens", "outputTokens"))
    return [line["day"], line["caller"] or "-", str(line["runs"]), *counts, cost, f"{line['seconds']:.0f}"]
