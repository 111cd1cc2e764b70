"""`benchmarks/run`: measure agls beside the floor and print the table."""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.client import Broken
from benchmarks.machine import described
from benchmarks.measures import FULL, MEASURES, QUICK, TINY, Sizes, Values
from benchmarks.peers import Bench, Model
from benchmarks.rows import MISSED, ROWS, Result, missed, results_of, table

HERE = Path(__file__).parent
SIZES = {"full": FULL, "quick": QUICK, "tiny": TINY}


def main(argv: Sequence[str] | None = None) -> int:
    """Measure. Returns 1 when a row misses its must, 2 when something could not be measured, else 0."""
    options = _parser().parse_args(argv)
    rows = [row for row in ROWS if not options.row or row.key in options.row]
    measures = dict.fromkeys(row.measure for row in rows)
    with tempfile.TemporaryDirectory(prefix="agls-bench-") as folder:
        machine = described(Path(folder))
        try:
            values = measured(list(measures), SIZES[options.size], Path(folder))
        except Broken as problem:
            sys.stderr.write(f"benchmarks/run: {problem}\n")
            return 2
    results = [result for result in results_of(values) if result.row in rows]
    page = report(machine, results, options.size)
    sys.stdout.write(page)
    if options.json:
        numbers = {row: values.of(row) for row in values.rows()}
        options.json.write_text(json.dumps({"machine": machine, "values": numbers}, indent=1))
    if options.write:
        (HERE / "RESULTS.md").write_text(f"# Results\n\nWritten by `benchmarks/run --write`.\n\n{page}")
    return int(any(result.met == MISSED for result in results))


def measured(measures: Sequence[str], sizes: Sizes, folder: Path) -> Values:
    """Measure these. Raises `Broken`."""
    values = Values()
    with Model() as model:
        bench = Bench(model, folder)
        for measure in measures:
            sys.stderr.write(f"measuring: {measure}\n")
            MEASURES[measure](bench, sizes, values)
    return values


def report(machine: dict[str, str], results: Sequence[Result], size: str) -> str:
    """Return where it was measured, the table, and the rows that miss their must."""
    where = "\n".join(f"- {name}: {value}" for name, value in machine.items())
    misses = "\n".join(f"- {line}" for line in missed(results)) or "- none"
    return f"{where}\n- size of the run: {size}\n\n{table(results)}\n\nMissed:\n\n{misses}\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks/run", description=__doc__)
    parser.add_argument(
        "--quick", dest="size", action="store_const", const="quick", default="full", help="minutes, rough"
    )
    parser.add_argument(
        "--tiny", dest="size", action="store_const", const="tiny", help="only shows that the command works"
    )
    keys = [row.key for row in ROWS]
    parser.add_argument("--row", action="append", choices=keys, help="measure only this row; may be repeated")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all values that were measured")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md")
    return parser


if __name__ == "__main__":
    sys.exit(main())
