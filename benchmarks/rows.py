"""The rows of the table: what has to be reached, what is aimed at, and what was."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.measures import Values

MIB, RATE = "MiB", "/s"
MISSED = "MISSED"


class Row(NamedTuple):
    """One row. `must` and `aim` are ratios to the floor; for a rate at least that, for all else at most."""

    key: str
    measure: str
    label: str
    unit: str
    must: float
    aim: float
    alone: bool = False  # `must` and `aim` are values of agls's own
    over: bool = False  # `must` and `aim` are values beyond the floor's


ROWS = (
    Row("initialize", "start", "spawn to `initialize` answer", "ms", 0.3, 0.3),
    Row("ready", "start", "spawn to session ready", "ms", 4, 2.5),
    Row("request", "first", "prompt to the model's request", "ms", 5, 3),
    Row("first", "first", "first token, added", "ms", 4, 3),
    Row("burst", "burst", "burst of 5,000 chunks, rate", RATE, 0.8, 1.5),
    Row("joined", "burst", "burst, 16 events in one HTTP chunk, rate", RATE, 0.8, 2),
    Row("together", "together", "8 sessions at once, rate", RATE, 0.8, 1.5),
    Row("parse", "parse", "reading a chunk of an answer", "µs", 2, 1.5),
    Row("p50", "paced", "paced 1,000/s, latency p50", "ms", 2, 1.2),
    Row("p99", "paced", "paced 1,000/s, latency p99", "ms", 3, 2),
    Row("tool", "tools", "tool turn", "ms", 4, 3),
    Row("cancel", "cancel", "cancel to end of turn", "ms", 4, 2),
    Row("turn10", "history", "turn 10 of one session", "ms", 6, 3),
    Row("turn400", "history", "turn 400 of one session", "ms", 4, 2),
    Row("growth", "history", "turn 400 / turn 10", "x", 1.5, 1.1, alone=True),
    Row("resume", "history", "resume of 400 turns, process ready", "ms", 2.5, 1.5),
    Row("resume from spawn", "history", "resume of 400 turns, from the spawn", "ms", 4.5, 4.5),
    Row("disk", "history", "bytes on disk of 400 turns", "B", 3, 2),
    Row("resident", "memory", "resident after session/new", MIB, 2.6, 2.2),
    Row("peak", "memory", "peak after three bursts", MIB, 3, 2.5),
    Row("long tail", "long", "10,000 items: page of the tail, process ready", "ms", 100, 100, alone=True),
    Row("long turn", "long", "10,000 items: a turn / one behind one item as long", "x", 1.1, 1, alone=True),
    Row("definition", "definitions", "definition by a warm Neovim, beyond its own", "ms", 5, 3, over=True),
    Row("sandbox", "sandbox", "a command in the sandbox, beyond one without", "ms", 15, 10, over=True),
    Row("servers start", "extending", "50 servers: `initialize`, beyond none", "ms", 10, 3, over=True),
    Row("servers tokens", "extending", "50 servers: request, beyond none", "tok", 3_000, 2_000, over=True),
    Row("servers resident", "extending", "50 servers: resident, beyond none", MIB, 5, 2, over=True),
    Row("server call", "extending", "call, beyond a server and a tool turn", "ms", 3, 2, over=True),
    Row("hook", "extending", "hook, beyond its process and a tool turn", "ms", 5, 2, over=True),
    Row("list", "extending", "list with 1,000 skills and commands", "ms", 100, 50, alone=True),
    Row("glob first", "search", "100,000 files: first `glob` of a process", "ms", 1.3, 1),
    Row("glob with rg", "search", "100,000 files: `glob`", "ms", 1.3, 1),
    Row("common with rg", "search", "100,000 files: first 100 lines of a common text", "ms", 1.3, 1),
    Row("rare with rg", "search", "100,000 files: a text in 10 of them", "ms", 1.3, 1.1),
    Row("absent with rg", "search", "100,000 files: a text in none", "ms", 1.3, 1.1),
    Row("glob alone", "search", "100,000 files, no ripgrep: `glob`", "ms", 10, 1),
    Row("common alone", "search", "100,000 files, no ripgrep: first 100 lines", "ms", 10, 1),
    Row("rare alone", "search", "100,000 files, no ripgrep: a text in 10", "ms", 10, 3),
    Row("absent alone", "search", "100,000 files, no ripgrep: a text in none", "ms", 10, 3),
)


class Result(NamedTuple):
    """A row as it was measured: medians, their ratio, and the ratio of the best values."""

    row: Row
    floor: float
    agls: float
    ratio: float
    best: float
    met: str

    @property
    def number(self) -> float:
        """The number that is compared with `must` and `aim`."""
        if self.row.over:
            return self.agls - self.floor
        return self.agls if self.row.alone else self.ratio


def results_of(values: Values) -> Sequence[Result]:
    """Return the results of the rows that were measured."""
    return [_result(row, values) for row in ROWS if row.key in values.rows()]


def _result(row: Row, values: Values) -> Result:
    measured = values.of(row.key)
    floor, agls = statistics.median(measured["floor"]), statistics.median(measured["agls"])
    best = max if row.unit == RATE else min
    ratio = best(measured["agls"]) / best(measured["floor"])
    result = Result(row, floor, agls, agls / floor, ratio, "")
    return result._replace(met=_met(row, result.number))


def _met(row: Row, number: float) -> str:
    sign = -1 if row.unit == RATE else 1
    if sign * number <= sign * row.aim:
        return "aim"
    return "must" if sign * number <= sign * row.must else MISSED


def table(results: Sequence[Result]) -> str:
    """Return the table in Markdown."""
    head = "| measure | unit | floor | agls | ratio | ratio of the best | must | aim | met |"
    lines = [head, "|---|---|--:|--:|--:|--:|--:|--:|---|", *(_line(result) for result in results)]
    return "\n".join(lines)


def missed(results: Sequence[Result]) -> Sequence[str]:
    """Return a line for each row that misses its must."""
    return [
        f"{row.label}: {_with_unit(row, result.number)}, must {_with_unit(row, row.must)}"
        for result in results
        if result.met == MISSED and (row := result.row)
    ]


def _line(result: Result) -> str:
    row = result.row
    limits = [_with_unit(row, row.must), _with_unit(row, row.aim)]
    numbers = [_shown(result.floor), _shown(result.agls), f"{result.ratio:.2f} x", f"{result.best:.2f} x"]
    return f"| {' | '.join([row.label, row.unit, *numbers, *limits, result.met])} |"


def _with_unit(row: Row, number: float) -> str:
    return f"{number:.3g} {row.unit if row.alone or row.over else 'x'}"


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
