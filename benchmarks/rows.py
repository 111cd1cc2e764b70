"""The rows of the table: what has to be reached, what is aimed at, and what was."""

import statistics
from collections.abc import Sequence
from typing import NamedTuple

from benchmarks.measures import Values

MIB, RATE = "MiB", "/s"


class Row(NamedTuple):
    """One row. `must` and `aim` are ratios to the floor; for a rate at least that, for all else at most."""

    key: str
    measure: str
    label: str
    unit: str
    must: float
    aim: float
    alone: bool = False  # `must` and `aim` are values of agls's own


ROWS = (
    Row("initialize", "start", "spawn to `initialize` reply", "ms", 1, 0.5),
    Row("ready", "start", "spawn to session ready", "ms", 8, 4),
    Row("first", "first", "prompt to first token", "ms", 5, 3),
    Row("request", "first", "prompt to the model's request, connection warm", "ms", 50, 10, alone=True),
    Row("burst", "burst", "burst of 5,000 chunks, rate", RATE, 0.8, 2),
    Row("parse", "parse", "reading a chunk of an answer", "µs", 2, 1.5),
    Row("p50", "paced", "paced 1,000/s, latency p50", "ms", 2, 1.2),
    Row("p99", "paced", "paced 1,000/s, latency p99", "ms", 3, 2),
    Row("tool", "tools", "tool turn", "ms", 8, 3),
    Row("cancel", "cancel", "cancel to end of run", "ms", 6, 2),
    Row("resident", "memory", "resident after session/new", MIB, 3.5, 2.6),
    Row("peak", "memory", "peak after three bursts", MIB, 4, 3),
    Row("turn", "history", "turn 400 of one session", "ms", 6, 2),
    Row("growth", "history", "turn 400 / turn 10", "x", 1.5, 1.1, alone=True),
    Row("resume", "history", "resume of 400 turns in a new process", "ms", 6, 1.5),
    Row("disk", "history", "bytes on disk of 400 turns", "B", 4, 2),
    Row("together", "together", "8 sessions at once, rate", RATE, 0.6, 1.5),
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
        """What is compared with `must` and `aim`."""
        return self.agls if self.row.alone else self.ratio


def results_of(values: Values) -> Sequence[Result]:
    """The rows that were measured."""
    return [_result(row, values) for row in ROWS if row.key in values.rows()]


def _result(row: Row, values: Values) -> Result:
    measured = values.of(row.key)
    floor, agls = statistics.median(measured["floor"]), statistics.median(measured["agls"])
    best = max if row.unit == RATE else min
    ratio = agls / floor
    return Result(
        row,
        floor,
        agls,
        ratio,
        best(measured["agls"]) / best(measured["floor"]),
        _met(row, agls if row.alone else ratio),
    )


def _met(row: Row, number: float) -> str:
    sign = -1 if row.unit == RATE else 1
    if sign * number <= sign * row.aim:
        return "aim"
    return "must" if sign * number <= sign * row.must else "no"


def table(results: Sequence[Result]) -> str:
    """The table in Markdown."""
    head = "| measure | unit | floor | agls | ratio | ratio of the best | must | aim | met |"
    lines = [head, "|---|---|--:|--:|--:|--:|--:|--:|---|", *(_line(result) for result in results)]
    return "\n".join(lines)


def _line(result: Result) -> str:
    row = result.row
    limits = [f"{row.must:g}{'' if row.alone else ' x'}", f"{row.aim:g}{'' if row.alone else ' x'}"]
    numbers = [_shown(result.floor), _shown(result.agls), f"{result.ratio:.2f} x", f"{result.best:.2f} x"]
    return f"| {' | '.join([row.label, row.unit, *numbers, *limits, result.met])} |"


def _shown(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
