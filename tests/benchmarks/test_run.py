"""The measuring command works from end to end. Its numbers do not matter here: machines are noisy."""

import http.client
import json
import re
import subprocess
from pathlib import Path

import pytest

from benchmarks import measures, searching
from benchmarks.client import Broken
from benchmarks.measures import Values
from benchmarks.model import MARK
from benchmarks.peers import Bench, Model
from benchmarks.rows import ROWS, missed, results_of

ROOT = Path(__file__).parents[2]


def bench(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [ROOT / "benchmarks" / "run", "--tiny", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_run_without_row_measures_and_prints_every_row_that_this_machine_can_have(tmp_path: Path) -> None:
    found = bench("--json", tmp_path / "values.json")

    assert found.returncode in {0, 1}, found.stderr
    skipped = set(re.findall(r"^skipped: (\w+) \(", found.stderr, re.MULTILINE))
    assert skipped <= {"definitions", "search", "sandbox"}
    rows = [row for row in ROWS if row.measure not in skipped]
    lines = [line for line in found.stdout.splitlines() if line.startswith("| ")][1:]
    assert [line.split(" | ")[0].removeprefix("| ") for line in lines] == [row.label for row in rows]
    values = json.loads((tmp_path / "values.json").read_text())["values"]
    assert set(values) == {row.key for row in rows}
    assert all(value > 0 for row in values.values() for name in ("floor", "agls") for value in row[name])


def test_run_with_row_prints_only_that_row() -> None:
    found = bench("--row", "initialize")

    assert found.returncode in {0, 1}, found.stderr
    assert "spawn to `initialize` answer" in found.stdout
    assert "session ready" not in found.stdout


def test_run_with_unknown_row_is_refused() -> None:
    found = bench("--row", "speed")

    assert found.returncode == 2
    assert "invalid choice: 'speed'" in found.stderr


def test_missed_rows_are_marked_and_listed() -> None:
    values = Values()
    for row, floor, agls in (("cancel", 1.0, 4.1), ("burst", 1000.0, 790.0), ("tool", 1.0, 4.0)):
        values.add(row, "floor", floor)
        values.add(row, "agls", agls)

    results = results_of(values)

    assert {result.row.key: result.met for result in results} == {
        "burst": "MISSED",
        "tool": "must",
        "cancel": "MISSED",
    }
    assert missed(results) == [
        "burst of 5,000 chunks, rate: 0.79 x, must 0.8 x",
        "cancel to end of turn: 4.1 x, must 4 x",
    ]


@pytest.mark.parametrize(("join", "chunks"), [(False, 1 + 40 + 3), (True, 1 + 3 + 1)])
def test_model_sends_each_event_as_one_http_chunk_unless_joined(join: bool, chunks: int) -> None:
    prompt = MARK + json.dumps({"do": "stream", "count": 40, "join": join})
    with Model() as model:
        connection = http.client.HTTPConnection("127.0.0.1", model.port)
        connection.request("POST", "/", json.dumps({"messages": [{"role": "user", "content": prompt}]}))
        answer = connection.getresponse()
        found = []
        while size := int(answer.fp.readline(), 16):
            found.append(answer.fp.read(size + 2))
        connection.close()

    assert len(found) == chunks  # the role, the texts, and what ends the answer
    assert sum(chunk.count(b"data: ") for chunk in found) == 1 + 40 + 3


def test_search_without_ripgrep_is_skipped_and_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(searching, "ripgrep", lambda: "")
    values = Values()
    with Model() as model:
        measures.search(Bench(model, tmp_path), measures.TINY, values)
    assert values.rows() == []
    assert "skipped: search (there is no ripgrep" in capsys.readouterr().err


def test_benchmark_rejects_a_search_that_misses_a_line(tmp_path: Path) -> None:
    searching.make_tree(tmp_path, 200)
    case = searching.CASES["rare"]
    assert searching.called(tmp_path, case, alone=True) > 0
    with pytest.raises(Broken, match="agls gave 10 lines, not 11"):
        searching.called(tmp_path, case._replace(lines=11), alone=True)
