"""The table of promises: a test that failed, was skipped, left out or not reached takes a promise away."""

import os
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import pytest

from support.promise_table import BEGIN, END, PROMISES, Promised, counted, ends_of, table, written

PAGE = "\n".join(
    [
        *(f"| {name} | **Words.** | Limit. | **proved**. |" for name in PROMISES[:13]),
        "| P14 | **Words.** | Limit. | **partly**: one. Missing: two. |",
        "| P15 | **Words.** | Limit. | **not yet proved**: nothing. |",
        f"\n{BEGIN}\n\n{END}\n",
    ]
)
OTHERS = ", ".join(f'"{name}"' for name in PROMISES if name != "P5")
REST = f"""
import pytest
pytestmark = pytest.mark.promise({OTHERS})
def test_rest(): ...
"""
PROBES = """
import pytest
pytestmark = pytest.mark.promise("P5")
def test_first(): ...
@pytest.mark.parametrize("probe", ["read", "write"])
def test_probe(probe):
    assert probe
"""


class Ran(NamedTuple):
    """A run of the small project: its exit code, the states that it printed, and what its page says then."""

    code: int
    states: dict[str, str]
    page: str


def run(root: Path, *arguments: str, probes: str = PROBES, more: str = "") -> Ran:
    (root / "tests").mkdir(exist_ok=True)
    (root / "SECURITY.md").write_text(PAGE)
    (root / "pytest.ini").write_text("[pytest]\nmarkers = promise(*ids): proves them\n")
    (root / "tests/test_probes.py").write_text(probes)
    (root / "tests/test_rest.py").write_text(REST + more)
    plugins = ("-p", "xdist.plugin", "-p", "support.promise_table", "-p", "no:cacheprovider")
    program = [sys.executable, "-m", "pytest", "-q", *plugins]
    others = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE_")}
    done = subprocess.run(
        [*program, "--promises", "--write-promises", *arguments],
        cwd=root,
        env={
            **others,
            "PYTHONPATH": str(Path(__file__).parent),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # each worker loads them, too
        },
        capture_output=True,
        text=True,
        check=False,
    )
    rows = re.findall(r"^\| (P\d+) \|.*\| ([^|]+) \|$", done.stdout, re.M)
    return Ran(done.returncode, dict(rows), (root / "SECURITY.md").read_text())


slow = partial(pytest.param, marks=pytest.mark.slow)  # the workers of pytest-xdist take longest to start


@pytest.mark.parametrize("workers", ["0", "2"])
def test_whole_run_shows_every_promise_as_far_as_the_page_claims_it(tmp_path: Path, workers: str) -> None:
    ran = run(tmp_path, "-n", workers)
    assert ran.code == 0, ran
    assert ran.states["P5"] == "holds"
    assert ran.states["P14"] == "holds in part"
    assert ran.states["P15"].startswith("not yet proved")
    assert "| P5 | 3 | 3 | 0 | 0 | holds |" in ran.page


@pytest.mark.parametrize(
    ("workers", "arguments", "probes", "state"),
    [
        ("2", (), PROBES + "    assert probe != 'write'", "**broken**"),
        ("2", (), PROBES + "    if probe == 'write': pytest.skip('no bwrap')", "not proved: no bwrap"),
        ("0", ("--deselect=tests/test_probes.py::test_probe[write]",), PROBES, "1 of its tests was left out"),
        ("0", ("-k", "not probe and not first"), PROBES, "3 of its tests were left out"),
        slow("2", ("-k", "not probe and not first"), PROBES, "3 of its tests were left out"),
        ("0", ("tests/test_rest.py",), PROBES, "`tests/test_probes.py` left out"),
        ("0", (), PROBES + "    if probe == 'write': pytest.exit('enough')", "the run was broken off"),
        slow("2", (), PROBES + "    if probe == 'read': raise KeyboardInterrupt", "the run was broken off"),
        ("0", ("--maxfail=1",), PROBES + "    assert probe != 'read'", "**broken**"),
        ("0", (), PROBES + "import of_nothing", "`tests/test_probes.py` left out"),
        ("0", (), PROBES + "not Python", "`tests/test_probes.py` left out"),
        ("0", (), 'import pytest\npytestmark = pytest.mark.promise("P5")', "not proved"),
    ],
)  # fmt: skip
def test_promise_falls_when_one_of_its_probes_is_switched_off(
    tmp_path: Path, workers: str, arguments: tuple[str, ...], probes: str, state: str
) -> None:
    ran = run(tmp_path, "-n", workers, *arguments, probes=probes)
    assert ran.code != 0, ran
    assert state in ran.states["P5"], ran
    assert "| P5 | 3 | 3 |" not in ran.page, ran


def test_file_that_only_writes_of_a_mark_is_none_of_its_tests(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_words.py").write_text("SOURCE = 'pytestmark = pytest.mark.promise(\"P5\")'\n")
    assert run(tmp_path).states["P5"] == "holds"


def test_partial_run_is_not_written_to_the_page(tmp_path: Path) -> None:
    assert run(tmp_path, "-k", "probe").page == PAGE


def test_tests_that_were_not_reached_take_their_promise_away(tmp_path: Path) -> None:
    more = "def test_behind(): assert False\n"
    ran = run(tmp_path, "-n", "0", "--maxfail=1", "tests/test_rest.py", "tests/test_probes.py", more=more)
    assert "not proved: 3 of its tests were left out" in ran.states["P5"], ran
    assert ran.page == PAGE


def report(test: str, *promises: str, reason: str = "") -> Any:
    longrepr = ("file", 1, f"Skipped: {reason}") if reason else None
    return SimpleNamespace(
        nodeid=test, user_properties=[("promise", each) for each in promises], longrepr=longrepr
    )


def test_each_test_counts_once_by_the_worst_of_its_reports() -> None:
    reports = {
        "passed": [report("a", "P1", "P2"), report("b", "P1")],
        "failed": [report("a", "P1", "P2")],
        "error": [],
        "skipped": [report("c", "P3", reason="needs a real editor"), report("d")],
    }
    found = ends_of(reports)
    assert counted(found["P1"], {"a", "b"}, {"a"}, broken_off=False) == Promised(1, 1)
    assert counted(found["P2"], {"a"}, {"a"}, broken_off=False) == Promised(0, 1)
    reasons = frozenset({"needs a real editor"})
    assert counted(found["P3"], {"c"}, {"c"}, broken_off=False) == Promised(skipped=1, reasons=reasons)


@pytest.mark.parametrize(
    ("promised", "state"),
    [
        (Promised(3), "holds"),
        (Promised(3, page="partly"), "holds in part"),
        (Promised(3, 1, 1), "**broken**"),
        (Promised(3, 0, 1, reasons=frozenset({"no bubblewrap"})), "not proved: no bubblewrap"),
        (Promised(), "not proved: it has no test"),
    ],
)
def test_promise_holds_when_all_its_tests_passed(promised: Promised, state: str) -> None:
    assert promised.state == state
    assert table({"P1": promised}).endswith(f"| {state} |")


def test_table_is_written_to_its_place() -> None:
    page = f"a\n{BEGIN}\nold\n{END}\nb"
    assert written(page, "rows", "2026-01-02") == f"a\n{BEGIN}\n\n2026-01-02, Linux:\n\nrows\n\n{END}\nb"
    with pytest.raises(ValueError, match="no place"):
        written("nothing", "rows", "2026-01-02")
