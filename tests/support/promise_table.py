"""`--promises`: which promises of SECURITY.md the tests of this run prove, as a table at the end.

A promise holds when the run came to its end and each of its tests passed: one that failed, that was skipped,
left out, or not reached takes it away. Then the run fails, and a table of a part is not written to the page.
"""

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol, cast

import pytest

BEGIN, END = "<!-- generated: last run -->", "<!-- end -->"
HEAD = "| Promise | Tests | Passed | Failed | Not run | State |\n|---|--:|--:|--:|--:|---|\n"
PROMISES = [f"P{number}" for number in range(1, 16)]
OUTCOMES = {"passed": "passed", "failed": "failed", "error": "failed", "skipped": "skipped"}
WHOLE = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
ROW = re.compile(r"^\| (P\d+) \|.*\| \*\*(proved|partly|not yet proved)\*\*.*\|$", re.MULTILINE)
STATES = {"proved": "holds", "partly": "holds in part", "not yet proved": "not yet proved: see above"}

Ids = dict[str, set[str]]
FOUND = pytest.StashKey[Ids]()  # the tests of each promise
SENT = "promises"  # their name in what a process of pytest-xdist sends to the first one


class Worker(Protocol):
    """A process of pytest-xdist, as the first process sees it."""

    config: pytest.Config


class Reports(Protocol):
    """The part of pytest's terminal reporter that is asked here."""

    def getreports(self, name: str) -> list[pytest.TestReport]: ...


@dataclass(frozen=True)
class Promised:
    """How the tests of one promise ended, and why some were not run.

    `missing` ones were neither run nor skipped. `page` is the state that the page claims.
    """

    passed: int = 0
    failed: int = 0
    skipped: int = 0
    missing: int = 0
    reasons: frozenset[str] = field(default_factory=frozenset[str])
    page: str = "proved"

    @property
    def all(self) -> int:
        """How many tests it has."""
        return self.passed + self.failed + self.skipped + self.missing

    @property
    def is_shown(self) -> bool:
        """Whether each of its tests passed."""
        return bool(self.passed and not (self.failed or self.skipped or self.missing or self.reasons))

    @property
    def state(self) -> str:
        """What that says of the promise."""
        if self.failed:
            return "**broken**"
        if not self.is_shown:
            return f"not proved: {'; '.join(sorted(self.reasons)) or 'it has no test'}"
        return STATES[self.page]


@dataclass(frozen=True)
class Report:
    """The promises as a run shows them, and whether all of their tests had their turn."""

    promises: Mapping[str, Promised]
    is_whole: bool


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--promises", action="store_true", help="print which promises the tests prove")
    parser.addoption("--write-promises", action="store_true", help="and write that into SECURITY.md")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Note the promises of each test, before any is left out; a report of another process has no marks."""
    if not config.getoption("--promises"):
        return
    found = config.stash.setdefault(FOUND, {})
    for item in items:
        for mark in item.iter_markers("promise"):
            item.user_properties += [("promise", value) for value in mark.args]
            for value in mark.args:
                found.setdefault(str(value), set()).add(item.nodeid)
    output = worker_output(config)
    if output is not None:
        output[SENT] = {name: sorted(ids) for name, ids in found.items()}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Worker, error: object) -> None:
    """Take over what a process of pytest-xdist collected."""
    found = node.config.stash.setdefault(FOUND, {})
    for name, ids in (worker_output(node) or {}).get(SENT, {}).items():
        found.setdefault(name, set()).update(ids)


def worker_output(owner: object) -> dict[str, dict[str, list[str]]] | None:
    """Return what a process of pytest-xdist sends to the first one at its end; `None` elsewhere."""
    return cast("dict[str, dict[str, list[str]]] | None", getattr(owner, "workeroutput", None))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """Let a run fail that does not show every promise."""
    config = session.config
    if not config.getoption("--promises") or worker_output(config) is not None:
        return
    shown = all(one.is_shown for one in report_of(config, exitstatus).promises.values())
    if exitstatus == pytest.ExitCode.OK and not shown:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, exitstatus: int, config: pytest.Config
) -> None:
    if not config.getoption("--promises"):
        return
    report = report_of(config, exitstatus)
    rows, page = table(report.promises), config.rootpath / "SECURITY.md"
    terminalreporter.section("promises of SECURITY.md")
    terminalreporter.line(rows)
    if not config.getoption("--write-promises"):
        return
    if not report.is_whole:
        terminalreporter.line(f"{page.name} is not written: this run was not a whole one.")
        return
    when = datetime.now(UTC).date().isoformat()
    page.write_text(written(page.read_text(encoding="utf-8"), rows, when), encoding="utf-8")


def report_of(config: pytest.Config, exitstatus: int) -> Report:
    """Return what a run shows of each promise."""
    terminal = cast("Reports", config.pluginmanager.get_plugin("terminalreporter"))
    ends = ends_of({kind: terminal.getreports(kind) for kind in OUTCOMES})
    collected = config.stash.get(FOUND, Ids())
    files = files_of(config.rootpath)
    broken_off = exitstatus not in WHOLE
    found = {
        name: counted(
            ends.get(name, {}), collected.get(name, set()), files.get(name, set()), broken_off=broken_off
        )
        for name in PROMISES
    }
    page = dict(ROW.findall((config.rootpath / "SECURITY.md").read_text(encoding="utf-8")))
    claimed = {name: Promised(**{**vars(one), "page": page[name]}) for name, one in found.items()}
    left_out = any(one.missing or (one.reasons and not one.skipped) for one in found.values())
    return Report(claimed, is_whole=not (broken_off or left_out))


def files_of(root: Path) -> Mapping[str, set[str]]:
    """Return the files of tests that have marks of each promise."""
    found: dict[str, set[str]] = {}
    for path in sorted((root / "tests").rglob("test_*.py")):
        for name in promised_in(path.read_text(encoding="utf-8")):
            found.setdefault(name, set()).add(path.relative_to(root).as_posix())
    return found


def promised_in(source: str) -> Iterator[str]:
    """Yield the promises that a file has marks of; a file that is not Python has all that it names."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        yield from re.findall(r"\b(P\d+)\b", source)
        return
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=ast.Attribute(attr="mark"), attr="promise"), args=names):
                yield from (str(name.value) for name in names if isinstance(name, ast.Constant))
            case _:
                pass


def ends_of(reports: Mapping[str, Sequence[pytest.TestReport]]) -> dict[str, dict[str, tuple[str, str]]]:
    """Return how the tests of each promise ended, and why; a test counts once, by its worst report."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for kind, outcome in OUTCOMES.items():
        for report in reports[kind]:
            for name, value in getattr(report, "user_properties", ()):  # none: it could not be collected
                if name != "promise":
                    continue
                ends = found.setdefault(str(value), {})
                if ends.get(report.nodeid, ("", ""))[0] != "failed":
                    ends[report.nodeid] = (outcome, reason_of(report))
    return found


def counted(
    ends: Mapping[str, tuple[str, str]], collected: set[str], files: set[str], *, broken_off: bool
) -> Promised:
    """Return what the ends of a promise's tests say of it: all that were `collected`, of all its `files`."""
    outcomes = [outcome for outcome, _ in ends.values()]
    reasons = {reason for outcome, reason in ends.values() if outcome == "skipped"}
    missing = len(collected - ends.keys())
    reasons |= set(_what_is_missing(missing, files - {each.partition("::")[0] for each in collected}))
    if broken_off:
        reasons.add("the run was broken off")
    passed, failed, skipped = (outcomes.count(one) for one in ("passed", "failed", "skipped"))
    return Promised(passed, failed, skipped, missing, frozenset(reasons))


def reason_of(report: pytest.TestReport) -> str:
    """Return why a test was not run, "" when it was."""
    where = report.longrepr
    return str(where[2]).removeprefix("Skipped: ") if isinstance(where, tuple) else ""


def table(found: Mapping[str, Promised]) -> str:
    """Return the rows, as Markdown."""
    return HEAD + "\n".join(
        f"| {name} | {one.all} | {one.passed} | {one.failed} | {one.skipped + one.missing} | {one.state} |"
        for name, one in found.items()
    )


def written(page: str, rows: str, when: str) -> str:
    """Return the page with this table between its marks. **Raises** `ValueError` when it has no place."""
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError("the page has no place for the last run")
    return f"{before}{begin}\n\n{when}, Linux:\n\n{rows}\n\n{end}{after}"


def _what_is_missing(tests: int, files: Iterable[str]) -> Iterable[str]:
    if tests:
        yield f"{tests} of its tests {'was' if tests == 1 else 'were'} left out"
    if names := sorted(files):
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        yield f"`{names[0]}`{more} left out"
