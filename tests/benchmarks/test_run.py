"""The command that measures works from end to end. Its numbers do not matter here: machines are noisy."""

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks.rows import ROWS

ROOT = Path(__file__).parents[2]


def bench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [ROOT / "benchmarks" / "run", "--tiny", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_every_row_is_measured_and_printed(tmp_path: Path) -> None:
    found = bench("--json", tmp_path / "values.json")

    assert found.returncode in {0, 1}, found.stderr
    lines = [line for line in found.stdout.splitlines() if line.startswith("| ")][1:]
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines] == [row.label for row in ROWS]
    values = json.loads((tmp_path / "values.json").read_text())["values"]
    assert set(values) == {row.key for row in ROWS}
    assert all(value > 0 for row in values.values() for name in ("floor", "agls") for value in row[name])


def test_one_row_can_be_asked_for() -> None:
    found = bench("--row", "initialize")

    assert found.returncode in {0, 1}, found.stderr
    assert "spawn to `initialize` reply" in found.stdout
    assert "session ready" not in found.stdout


def test_an_unknown_row_is_refused() -> None:
    found = bench("--row", "speed")

    assert found.returncode == 2
    assert "invalid choice: 'speed'" in found.stderr
